"""A short load against a freshly started server: TTFT, inter-token latency and throughput of streaming chat requests.

    python3 bench/smoke.py --binary build/release/bin/mie --model MODEL.gguf [-- flags of mie serve]

All requests start at once (a closed burst), are greedy, and run to --max-tokens or the end of the answer. Times are taken at
the client, when the line of an event has arrived. It is a check that figures are sane, not a benchmark: one burst, one prompt set.
"""

import argparse
import http.client
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field

TOPICS = ("rain", "bread", "the moon", "a bicycle", "salt", "an old clock", "bees", "paper", "glass", "tides", "chess", "wool",
          "lightning", "a lighthouse", "maps", "honey")
START_LIMIT_S = 120.0


@dataclass
class Timing:
    start: float = 0.0
    arrivals: list[float] = field(default_factory=list)  # of events that carry text
    prompt_tokens: int = 0
    output_tokens: int = 0
    finish_reason: str = "none"


class Server:
    """One `mie serve` on a free loopback port, ended with SIGTERM on the way out."""

    def __init__(self, binary: str, model: str, flags: list[str]):
        self.log = tempfile.NamedTemporaryFile()
        self.process = subprocess.Popen([binary, "serve", "--model", model, "--host", "127.0.0.1", "--port", "0", *flags],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)

    def __enter__(self) -> "Server":
        limit = time.monotonic() + START_LIMIT_S
        while time.monotonic() < limit and self.process.poll() is None:
            with open(self.log.name, "rb") as written:
                address = re.search(rb"http://127\.0\.0\.1:(\d+)", written.read())
            if address:
                self.port = int(address[1])
                if self.is_ready():
                    return self
            time.sleep(0.05)
        self.__exit__()
        with open(self.log.name, errors="replace") as written:
            sys.exit(f"bench: the server did not become ready:\n{written.read()[-2000:]}")

    def is_ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def __exit__(self, *_) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()


def stream(port: int, topic: str, max_tokens: int) -> Timing:
    """One streaming chat request, timed."""
    timing = Timing()
    body = {"stream": True, "stream_options": {"include_usage": True}, "temperature": 0, "max_tokens": max_tokens,
            "messages": [{"role": "user", "content": f"Write a short story about {topic}."}]}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    timing.start = time.monotonic()
    connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    if answer.status != 200:
        sys.exit(f"bench: status {answer.status}: {answer.read(500)!r}")
    for line in answer:
        now = time.monotonic()
        if not line.startswith(b"data: {"):
            continue
        event = json.loads(line[6:])
        if usage := event.get("usage"):
            timing.prompt_tokens, timing.output_tokens = usage["prompt_tokens"], usage["completion_tokens"]
        for choice in event.get("choices", ()):
            if choice["delta"].get("content"):
                timing.arrivals.append(now)
            timing.finish_reason = choice.get("finish_reason") or timing.finish_reason
    connection.close()
    return timing


def burst(port: int, n: int, max_tokens: int) -> list[Timing]:
    results: list[Timing | None] = [None] * n

    def one(i: int) -> None:
        results[i] = stream(port, TOPICS[i % len(TOPICS)], max_tokens)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    finished = [r for r in results if r is not None and r.arrivals]
    if len(finished) != n:
        sys.exit(f"bench: {n - len(finished)} of {n} requests brought no token")
    return finished


def percentiles(values: list[float]) -> str:
    """p50 and p95, linear between the neighbours, in milliseconds."""
    if len(values) < 2:
        return f"{1000 * values[0]:.1f} ms" if values else "none"
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return f"p50 {1000 * cuts[49]:.1f} ms, p95 {1000 * cuts[94]:.1f} ms"


def report(results: list[Timing], max_tokens: int) -> None:
    start, end = min(r.start for r in results), max(r.arrivals[-1] for r in results)
    tokens = sum(r.output_tokens for r in results)
    gaps = [b - a for r in results for a, b in zip(r.arrivals, r.arrivals[1:])]
    prompts = [r.prompt_tokens for r in results]
    finishes = {reason: sum(r.finish_reason == reason for r in results) for reason in sorted({r.finish_reason for r in results})}
    print(f"workload    {len(results)} streaming chat requests at once, prompts of {min(prompts)} to {max(prompts)} tokens, "
          f"at most {max_tokens} tokens each, greedy")
    print(f"finished    {', '.join(f'{count} {reason}' for reason, count in finishes.items())}; {tokens} output tokens")
    print(f"TTFT        {percentiles([r.arrivals[0] - r.start for r in results])}")
    print(f"ITL         {percentiles(gaps)} between events that carry text")
    print(f"throughput  {tokens / (end - start):.1f} output tokens/s over {end - start:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--requests", type=int, default=16)
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("flags", nargs="*", help="flags of mie serve, after --")
    options = parser.parse_args()
    if not 1 <= options.requests <= 256:
        parser.error("--requests is 1 to 256")
    with Server(options.binary, options.model, options.flags) as server:
        burst(server.port, 1, 8)  # warm-up: the first step pays for page faults and thread start
        results = burst(server.port, options.requests, options.max_tokens)
    report(results, options.max_tokens)


if __name__ == "__main__":
    main()
