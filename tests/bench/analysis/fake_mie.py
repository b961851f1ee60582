"""Stands in for `mie-bench run`: writes the result that a server with so many places would have given, whose capacity is places over
the mean service time. Gaps and services vary little (CV 1/8), so that two hundred requests know the capacity to a hundredth.

    fake_mie.py run SPEC --out DIR [--quiet] --model M [-- --log FILE --void LABEL=TIMES]
"""

import argparse
import heapq
import json
import random
import sys
from pathlib import Path

import made_results as made

PLACES, SERVICE_S, SHAPE = 8, 0.4, 64
TIMEOUT_S = 4.0  # a request that waits longer in overload is refused at once: its turn cannot come in time


def service(draw: random.Random) -> float:
    return draw.gammavariate(SHAPE, SERVICE_S / SHAPE) * 1000


def request(index: int, at: float, begin: float, length: float) -> dict:
    """The first token after a tenth of the service, the second at its end."""
    return made.request(index, at, begin - at + 0.1 * length, [0.9 * length])


def open_loop(spec: dict, draw: random.Random) -> list[dict]:
    arrival, seconds = spec["arrival"], spec["requests"]["duration_s"]
    shape = arrival.get("shape", 1.0)
    free, at, sent = [0.0] * PLACES, 0.0, []
    while (at := at + 1000 * draw.gammavariate(shape, 1 / (shape * arrival["rate"]))) < 1000 * seconds:
        begin, length = max(at, free[0]), service(draw)
        if begin - at > 1000 * TIMEOUT_S:
            sent.append(made.failed(len(sent), "rejected_429", at, retry_after_s=1))
            continue
        heapq.heapreplace(free, begin + length)
        sent.append(request(len(sent), at, begin, length))
    return sent


def closed_loop(spec: dict, draw: random.Random) -> list[dict]:
    ready = [(0.0, user) for user in range(spec["arrival"]["concurrency"])]
    free, sent = [0.0] * PLACES, []
    while ready[0][0] < 1000 * spec["requests"]["duration_s"]:
        at, user = heapq.heappop(ready)
        begin, length = max(at, free[0]), service(draw)
        heapq.heapreplace(free, begin + length)
        heapq.heappush(ready, (begin + length, user))
        sent.append(request(len(sent), at, begin, length))
    return sent


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("run")
    parser.add_argument("spec", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--model")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--void", default="=0")
    options = parser.parse_args([word for word in words if word != "--"])
    text = options.spec.read_text()
    spec = json.loads(text)
    label = options.spec.parent.name
    calls = options.log.read_text().splitlines() if options.log.exists() else []
    options.log.write_text("\n".join([*calls, label]) + "\n")
    voided, times = options.void.split("=")
    state = "disturbed" if label == voided and calls.count(label) < int(times) else "ok"
    draw = random.Random(f"{label} {spec['seed']} {calls.count(label)}")
    sent = (closed_loop if spec["arrival"]["law"] == "closed" else open_loop)(spec, draw)
    server = {"arms": [{"name": "", "model": "made", "flags": [], "peak_resident_bytes": 64 << 20}]}
    run_id = f"run-{len(calls):03}"
    made.write(options.out / run_id, sent, spec, run_id=run_id, spec_text=text, server=server,
               validity={"state": state, "reasons": ["made so"] if state != "ok" else []})
    return 0 if state == "ok" else 5


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
