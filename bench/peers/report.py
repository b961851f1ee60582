"""The table of a comparison: medians and ranges of each engine, and the ratios that the project promises."""

import statistics

import rounds

# Figure, ours, theirs ("best": whoever is fastest), concurrency → least ratio of tokens/s.
PROMISES = [("mie-q4_1", "llama-q4_1", {1: 3.0, 8: 6.0, 32: 7.0}), ("mie-q4_1", "best", {1: 1.8, 8: 1.8, 32: 1.8}),
            ("mie-bf16", "vllm-bf16", {1: 1.8, 8: 1.8, 32: 1.8})]
MAX_TTFT_RATIO = 0.2  # mie-q4_1 over llama-q4_1, p50 at concurrency 1


def select(runs: list[dict], engine: str, concurrency: int) -> list[dict]:
    return [r for r in runs if r["engine"] == engine and r["asked"]["concurrency"] == concurrency]


def names(runs: list[dict]) -> list[str]:
    return list(dict.fromkeys(r["engine"] for r in runs))


def best_peer(runs: list[dict], concurrency: int) -> str | None:
    """The engine other than ours with the highest median of tokens/s. One whose runs were all void is judged by those: a noisy
    hour must not make the ratio easier."""
    medians = {}
    for name in names(runs):
        done = select(runs, name, concurrency)
        if done and not name.startswith("mie-"):
            medians[name] = statistics.median(r["load"]["tok_s"] for r in rounds.valid(done) or done)
    return max(medians, key=medians.get, default=None)


def engine_lines(runs: list[dict], concurrencies: list[int]) -> list[str]:
    lines = ["| engine | at | rounds | tokens/s | TTFT p50, ms | TTFT p95, ms | ITL p50, ms | ITL p99, ms | probe, GB/s |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name in names(runs):
        for concurrency in concurrencies:
            done = select(runs, name, concurrency)
            counted = rounds.valid(done)
            if not counted:
                lines.append(f"| {name} | {concurrency} | 0 of {len(done)} | | | | | | |")
                continue
            cells = [cell([r["load"][f] for r in counted]) for f in
                     ("tok_s", "ttft_p50_ms", "ttft_p95_ms", "itl_p50_ms", "itl_p99_ms")]
            cells.append(cell([rounds.probe_of(r) for r in counted]))
            lines.append(f"| {name} | {concurrency} | {len(counted)} of {len(done)} | {' | '.join(cells)} |")
    return lines


def cell(values: list[float]) -> str:
    median, least, greatest = rounds.spread(values)
    return f"{median:.4g} ({least:.4g}–{greatest:.4g})"


def ratio_line(runs: list[dict], ours: str, theirs: str, concurrency: int, promise: tuple[str, float, bool]) -> str:
    """`promise`: the figure of the load meter, the bound, whether more is better."""
    figure, bound, more = promise
    found = rounds.ratios(select(runs, ours, concurrency), select(runs, theirs, concurrency), figure)
    what = {"tok_s": "tokens/s", "ttft_p50_ms": "TTFT p50"}[figure]
    asked = f"{'≥' if more else '≤'} {bound:g}"
    if not found:
        return f"| {ours} / {theirs} | {what} | {concurrency} | none | {asked} | not measured |"
    median = statistics.median(found)
    kept = median >= bound if more else median <= bound
    return f"| {ours} / {theirs} | {what} | {concurrency} | {cell(found)} of {len(found)} | {asked} | {'yes' if kept else 'NO'} |"


def promise_lines(runs: list[dict], concurrencies: list[int]) -> list[str]:
    lines = ["| ratio | figure | at | median (range) of rounds | promised | kept |", "|---|---|---|---|---|---|"]
    for ours, theirs, bounds in PROMISES:
        for concurrency in concurrencies:
            other = best_peer(runs, concurrency) if theirs == "best" else theirs
            if concurrency in bounds and other and {ours, other} <= set(names(runs)):
                lines.append(ratio_line(runs, ours, other, concurrency, ("tok_s", bounds[concurrency], True)))
    if 1 in concurrencies and {"mie-q4_1", "llama-q4_1"} <= set(names(runs)):
        lines.append(ratio_line(runs, "mie-q4_1", "llama-q4_1", 1, ("ttft_p50_ms", MAX_TTFT_RATIO, False)))
    return lines


def table(record: dict) -> str:
    runs = record["runs"]
    concurrencies = sorted({r["asked"]["concurrency"] for r in runs})
    discarded = [f"{r['engine']} x{r['asked']['concurrency']} round {r['round']}: {fault}"
                 for r in runs if (fault := rounds.fault(r))]
    head = [f"commit {record['commit']}, {record['cpu']}, {record['cores']} cores, {record['started']}", ""]
    tail = ["", f"{len(discarded)} of {len(runs)} runs do not count" + (": " + "; ".join(discarded) if discarded else "")]
    return "\n".join(head + engine_lines(runs, concurrencies) + [""] + promise_lines(runs, concurrencies) + tail)
