"""What the prefix cache is worth: requests that share a long beginning, with the cache on and off, in turn.

    python3 bench/prefix_cache.py --binary build/release/bin/mie --model MODEL.gguf [--rounds 3]

Each round starts a server of each kind, sends all requests at once (a closed burst of completions of token ids, greedy, a few
output tokens) and takes the time to the first token at the client; the prompt tokens that were computed come from /metrics and
must be exactly what sharing leaves to compute, or the exit code is 1.
"""

import argparse
import http.client
import json
import random
import statistics
import sys
import threading
import time

from smoke import Server

VOCABULARY = 40_000


def prompts(n: int, n_shared: int, n_own: int) -> list[list[int]]:
    numbers = random.Random(1)
    ids = [[numbers.randrange(100, VOCABULARY) for _ in range(length)] for length in [n_shared] + [n_own] * n]
    return [ids[0] + own for own in ids[1:]]


def time_to_first_token(port: int, prompt: list[int], n_output: int) -> float:
    body = {"prompt": prompt, "max_tokens": n_output, "temperature": 0, "ignore_eos": True, "stream": True}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    began = time.monotonic()
    connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    first = None
    for line in answer:
        if line.startswith(b"data: {") and first is None:
            first = time.monotonic() - began
    connection.close()
    if answer.status != 200 or first is None:
        sys.exit(f"bench: status {answer.status}, no token")
    return first


def burst(port: int, asked: list[list[int]], n_output: int) -> list[float]:
    times = [0.0] * len(asked)

    def one(i: int) -> None:
        times[i] = time_to_first_token(port, asked[i], n_output)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def computed_prompt_tokens(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    line = next(line for line in text.splitlines() if line.startswith('mie_tokens_computed_total{kind="prefill"}'))
    return int(float(line.rsplit(" ", 1)[1]))


def measure(options: argparse.Namespace, flag: str) -> tuple[float, int]:
    """Median TTFT in seconds, and the prompt tokens that were computed."""
    asked = prompts(options.requests, options.shared, options.own)
    with Server(options.binary, options.model, [flag, "--max-num-seqs", str(options.requests)]) as server:
        time_to_first_token(server.port, asked[0][:1] * 8, 4)  # warm-up: page faults, thread start
        before = computed_prompt_tokens(server.port)
        times = burst(server.port, asked, options.output)
        return statistics.median(times), computed_prompt_tokens(server.port) - before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=64)
    parser.add_argument("--shared", type=int, default=1024, help="tokens that all prompts begin with")
    parser.add_argument("--own", type=int, default=64, help="tokens of each prompt behind them")
    parser.add_argument("--output", type=int, default=8)
    options = parser.parse_args()
    whole = options.requests * (options.shared + options.own)
    least = options.shared + options.requests * options.own  # a shared part of whole blocks is computed once
    print(f"workload    {options.requests} completions at once, {options.shared} shared and {options.own} own prompt tokens, "
          f"{options.output} output tokens, greedy")
    ratios, right = [], True
    for _ in range(options.rounds):
        off, n_off = measure(options, "--no-prefix-caching")
        on, n_on = measure(options, "--prefix-caching")
        ratios.append(off / on)
        right &= (n_off, n_on) == (whole, least)
        print(f"TTFT p50    off {1000 * off:.0f} ms, on {1000 * on:.0f} ms: {off / on:.1f} times lower; "
              f"prompt tokens computed: {n_off} and {n_on} (must be {whole} and {least})", flush=True)
    print(f"median      {statistics.median(ratios):.1f} times lower ({min(ratios):.1f} to {max(ratios):.1f})")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
