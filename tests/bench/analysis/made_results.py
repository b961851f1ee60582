"""Writes result folders as the client does, from requests that a small model of a server made. Nothing here uses bench.analysis:
counts and distributions are computed by Python's own statistics, so that both sides can disagree.
"""

import hashlib
import heapq
import json
import random
import statistics
from fractions import Fraction
from math import ceil
from pathlib import Path

PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9)
MS = 1_000_000


def request(index: int, intended_ms: float = 0.0, ttft_ms: float = 100.0, gaps_ms=(20.0, 20.0, 20.0), **changes) -> dict:
    """A good request: sent when intended, then one token an event."""
    at = round(intended_ms * MS)
    first = at + round(ttft_ms * MS)
    stamps = [first]
    for gap in gaps_ms:
        stamps.append(stamps[-1] + round(gap * MS))
    made = {
        "id": f"r{index}", "index": index, "arm": "", "repetition": 0, "warmup": False, "seed": index, "session": index, "turn": 0,
        "status": "ok", "http_status": 200, "finish_reason": "length", "prompt_tokens": 32, "cached_tokens": 0,
        "output_tokens": len(stamps), "requested_output": len(stamps), "intended_ns": at, "send_ns": at, "sent_ns": at + 1000,
        "status_ns": first, "first_event_ns": first, "events": [[stamp, 1] for stamp in stamps], "end_ns": stamps[-1],
        "connection": 0, "bytes_in": 1000, "bytes_out": 200, "coalesced": 0, "error": None, "retry_after_s": None,
        "token_hash": None}
    return made | changes


def failed(index: int, status: str, intended_ms: float = 0.0, after_ms: float = 5.0, **changes) -> dict:
    end = round((intended_ms + after_ms) * MS)
    return request(index, intended_ms, status=status, events=[], output_tokens=0, prompt_tokens=0, first_event_ns=None, end_ns=end,
                   finish_reason=None, **changes)


def served(n: int, rate: float, servers: int = 4, seed: int = 1, token_ms: float = 20.0) -> list[dict]:
    """Poisson arrivals at a server with so many places; service is a prefill by prompt length and then tokens."""
    draw = random.Random(seed)
    free = [0.0] * servers
    at, made = 0.0, []
    for index in range(n):
        at += draw.expovariate(rate) * 1000
        begin = max(at, heapq.heappop(free))
        prompt, output = draw.randint(16, 512), draw.randint(4, 40)
        prefill = 10 + 0.1 * prompt
        gaps = [token_ms * draw.uniform(0.8, 1.3) for _ in range(output - 1)]
        late = draw.expovariate(1 / 0.05)
        one = request(index, at, begin - at + prefill, gaps, prompt_tokens=prompt)
        one["send_ns"] += round(late * MS)
        heapq.heappush(free, begin + prefill + sum(gaps))
        made.append(one)
    return made


def distribution(values: list[float]) -> dict:
    """Seconds, as the client writes them."""
    ordered, n = sorted(values), len(values)
    made = {"n": n, "mean": statistics.fmean(ordered), "sd": statistics.stdev(ordered) if n > 1 else 0.0, "min": ordered[0],
            "max": ordered[-1], "percentiles": {}}
    for percent in PERCENTILES:
        share = Fraction(str(percent)) / 100
        need = ceil(10 / (1 - share))
        place = (n - 1) * share
        low = int(place)
        linear = ordered[low] + (ordered[min(low + 1, n - 1)] - ordered[low]) * float(place - low)
        nearest = ordered[max(ceil(share * n), 1) - 1]
        shown = {"nearest": nearest, "linear": linear} if n >= need else {"nearest": None, "linear": None}
        made["percentiles"][f"p{percent:g}"] = shown | {"withheld": n < need, "needed": need}
    return made


def metrics(requests: list[dict]) -> dict:
    good = [r for r in requests if r["status"] in ("ok", "truncated_by_length")]
    values = {
        "ttft": [(r["events"][0][0] - r["send_ns"]) / 1e9 for r in good],
        "ttft_intended": [(r["events"][0][0] - r["intended_ns"]) / 1e9 for r in good],
        "e2el": [(r["end_ns"] - r["send_ns"]) / 1e9 for r in good],
        "itl": [(b[0] - a[0]) / 1e9 for r in good for a, b in zip(r["events"], r["events"][1:])]}
    return {name: {"ok": distribution(list_), "all": None} for name, list_ in values.items() if list_}


def spec_sha256(spec: dict) -> str:
    return hashlib.sha256(json.dumps(spec, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def document(requests: list[dict], spec: dict | None = None, **changes) -> dict:
    measured = [r for r in requests if not r["warmup"]]
    by_status = {}
    for r in measured:
        by_status[r["status"]] = by_status.get(r["status"], 0) + 1
    spec = {"schema": "mie.workload/1", "name": "made", "seed": 1, "target": {"kind": "http"},
            "arrival": {"law": "poisson", "rate": 1.0}} | (spec or {})
    end = max((r["end_ns"] for r in requests if r["end_ns"]), default=0) + 1
    return {
        "schema": "mie.result/1", "run_id": "0195-made", "created_utc": "2026-01-01T00:00:00Z", "command_line": "mie bench run made.toml",
        "spec": spec, "spec_sha256": spec_sha256(spec), "expanded_sha256": "cd" * 32,
        "host": {"cpu": "Made CPU", "threads_online": 2, "governor": "performance", "kernel": "6.1"},
        "server": {"arms": [{"name": "", "model": "made.gguf", "version": {"version": "0.1.0"}, "flags": ["--port", "0"]}]}, "windows": {"steady": {"a_ns": 0, "b_ns": end}},
        "counts": {"offered": len(measured), "sent": sum(r["send_ns"] is not None for r in measured), "by_status": by_status,
                   "retried": 0, "tokens_in": sum(r["prompt_tokens"] for r in measured),
                   "tokens_out": sum(r["output_tokens"] for r in measured),
                   "tokens_cached": sum(r["cached_tokens"] for r in measured)},
        "metrics": metrics(measured), "validity": {"state": "ok", "reasons": []},
        "reproduce": {"commands": ["mie bench run made.toml"]}} | changes


def write(folder: Path, requests: list[dict], spec: dict | None = None, **changes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").write_text(json.dumps(document(requests, spec, **changes)))
    (folder / "requests.jsonl").write_text("".join(json.dumps(r) + "\n" for r in requests))
    return folder
