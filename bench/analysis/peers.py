"""Our server beside others: the results that bench/peers/compare keeps, one a turn. The engine is the arm, the round the repetition.
What is held against each other is of one round and of machines alike: probes that saw the same bandwidth.
"""

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from bench.analysis import figures, summaries, verdict
from bench.analysis.campaign_rows import Row
from bench.analysis.evidence import Evidence
from bench.analysis.intervals import Interval, Settings
from bench.analysis.render import interval, number
from bench.analysis.result import Refused, Result

COLUMNS = ("workload", "engine", "rounds", "output tokens/s", "TTFT p50, ms", "TTFT p95", "ITL p50, ms", "ITL p99", "peak RSS, MiB",
           "equal work")
RATIO_COLUMNS = ("workload", "ours / theirs", "rounds", "output tokens/s, ratio", "TTFT p50, ratio")
OURS = "mie-"
MOST_PROBE_MOVE = 0.15
PROMISE_COLUMNS = ("ours / theirs", "figure", "workload", "median of rounds", "promised", "kept")
C1, C8, C32 = (f"peers-128-64-c{n}" for n in (1, 8, 32))
BEST = "the fastest of the others"
# Output rate, ours over theirs: the least.
PROMISES = (("mie-q4_1", "llama-q4_1", {C1: 3.0, C8: 6.0, C32: 7.0}), ("mie-q4_1", BEST, {C1: 1.8, C8: 1.8, C32: 1.8}),
            ("mie-bf16", "vllm-bf16", {C1: 1.8, C8: 1.8, C32: 1.8}))
TTFT_PROMISE = ("mie-q4_1", "llama-q4_1", C1, 0.2)  # the most
COMMAND = "bench/peers/compare --mie build/release/bin/mie --model MODEL.gguf --out DIR"
ALL = "geometric mean"


@dataclass(frozen=True)
class Turns:
    """All turns of one engine at one workload."""

    workload: str
    engine: str
    results: list[Result]  # by round

    @property
    def requests(self) -> list[dict]:
        return [request for result in self.results for request in result.requests]

    @property
    def by_round(self) -> dict[int, Result]:
        return {result.parts[0].repetition: result for result in self.results}


def turns_of(evidence: Evidence) -> list[Turns]:
    """By workload and engine; other results have no arm or several repetitions, and are not looked at."""
    found = defaultdict(list)
    for result in evidence.results:
        if len(result.parts) == 1 and result.parts[0].arm and result.parts[0].repetition > 0:
            found[result.label, result.parts[0].arm].append(result)
    return [Turns(workload, engine, sorted(results, key=lambda r: r.parts[0].repetition))
            for (workload, engine), results in sorted(found.items(), key=lambda item: (item[0][0], _place(item[0][1])))]


def _place(engine: str) -> tuple[bool, str]:
    return not engine.startswith(OURS), engine


def output_rate(result: Result) -> float:
    return float(figures.rates(result.parts[0].everything, result.parts[0].window)["output_tokens_per_s"])


def bandwidth(result: Result) -> float:
    probe = result.document["probe"]
    return float(np.mean([probe[when]["read_gbps"] for when in ("before", "after")]))


def peak_mib(turns: Turns) -> float:
    """Median over the rounds of the most that the server had resident in one; bench/peers/compare measures it beside the result."""
    peaks = []
    for result in turns.results:
        path = Path(result.folder).parent / "turn.json"
        try:
            peaks.append(json.loads(path.read_text(encoding="utf-8"))["peak_resident_bytes"])
        except (OSError, ValueError, KeyError) as error:
            raise Refused(f"{path}: {error}") from None
    return float(np.median(peaks)) / 2**20


def equal_work(turns: Turns, others: list[Turns]) -> bool:
    """Every load of every engine: the planned tokens by usage and by the server's counters, and the same sums as the others'."""
    sums = {tuple(r.document["counts"][name] for name in ("tokens_in", "tokens_out")) for one in others for r in one.results}
    checks = [r.document["checks"]["counters"] for r in turns.results]
    return len(sums) == 1 and all(check["checked"] > 0 and check["failed"] == 0 for check in checks)


def rate_interval(turns: Turns) -> Interval:
    rates = np.array([output_rate(result) for result in turns.results])
    mean = float(rates.mean())
    half = float(stats.t.isf(0.025, len(rates) - 1) * stats.sem(rates)) if len(rates) > 1 else math.nan
    return Interval(mean, mean - half, mean + half, "Student, of rounds", len(rates))


def _percentiles(turns: Turns, metric: str, percents: tuple[float, float], settings: Settings) -> list[str]:
    found = summaries.of_metric(turns.requests, metric, settings)
    return [interval(found.percentiles[p], 3) if p in found.percentiles else f"needs {found.summary.withheld.get(p, 0)}"
            for p in percents]


def rows(evidence: Evidence, settings: Settings) -> list[Row]:
    """Each engine at each workload. Percentiles are over the requests of all rounds."""
    every = turns_of(evidence)
    made = []
    for turns in every:
        alike = [other for other in every if other.workload == turns.workload]
        cells = [turns.workload, turns.engine, str(len(turns.results)), interval(rate_interval(turns)),
                 *_percentiles(turns, "ttft", (50.0, 95.0), settings), *_percentiles(turns, "itl", (50.0, 99.0), settings),
                 number(peak_mib(turns)), "yes" if equal_work(turns, alike) else "NO"]
        made.append(Row(cells, (), turns.results[0].spec_sha256[:12], COMMAND))
    return made


def pairs(ours: Turns, theirs: Turns) -> list[tuple[Result, Result]]:
    """Rounds that both have, and that saw the same bandwidth: that of virtual machines jumps by half for minutes."""
    other = theirs.by_round
    both = [(result, other[number]) for number, result in ours.by_round.items() if number in other]
    return [pair for pair in both if _move(*map(bandwidth, pair)) <= MOST_PROBE_MOVE]


def _move(a: float, b: float) -> float:
    return max(a, b) / min(a, b) - 1 if min(a, b) > 0 else math.inf


def ratio(found: list[tuple[Result, Result]], figure) -> verdict.Comparison:
    """Ours over theirs."""
    return verdict.one("", np.array([figure(theirs) for _, theirs in found]), np.array([figure(ours) for ours, _ in found]), True)


def median_ttft(result: Result) -> float:
    return float(np.median(figures.samples(figures.good(result.requests))["ttft"].defined))


def opponents(every: list[Turns]) -> list[tuple[str, str]]:
    """Who is held against whom: the same weights, and every peer with other ones against our first."""
    names = list(dict.fromkeys(turns.engine for turns in every))
    ours = [name for name in names if name.startswith(OURS)]
    found = []
    for peer in (name for name in names if not name.startswith(OURS)):
        same = [name for name in ours if name.partition("-")[2] == peer.partition("-")[2]]
        found += [(name, peer) for name in same or ours[-1:]]
    return found


def _ratio_row(workload: str, sides: tuple[str, str], cells: list[str], source: str) -> Row:
    return Row([workload, " / ".join(sides), *cells], (), source, COMMAND)


def _as_interval(found: verdict.Comparison) -> Interval:
    return Interval(found.ratio, found.low, found.high, "Student, of log ratios of rounds", found.n_pairs)


def ratio_rows(evidence: Evidence, settings: Settings) -> list[Row]:
    """Ours over theirs, round by round: each workload, then the geometric mean of them all."""
    every = turns_of(evidence)
    at = {(turns.workload, turns.engine): turns for turns in every}
    made = []
    for sides in opponents(every):
        found = {}
        for workload in dict.fromkeys(turns.workload for turns in every):
            there = [at.get((workload, name)) for name in sides]
            if all(there) and (both := pairs(*there)):
                found[workload] = (both, there[0].results[0].spec_sha256[:12])
        means = []
        for workload, (both, source) in found.items():
            rate, ttft = ratio(both, output_rate), ratio(both, median_ttft)
            means.append((rate.ratio, ttft.ratio))
            cells = [str(len(both)), *(interval(_as_interval(one), 3) for one in (rate, ttft))]
            made.append(_ratio_row(workload, sides, cells, source))
        if len(means) > 1:
            centre = np.exp(np.log(np.array(means)).mean(axis=0))
            made.append(_ratio_row(ALL, sides, ["–", *(number(float(one), 3) for one in centre)], f"{len(means)} workloads"))
    return made


def fastest(every: list[Turns], workload: str) -> str | None:
    """The engine other than ours with the highest median rate."""
    medians = {turns.engine: float(np.median([output_rate(result) for result in turns.results])) for turns in every
               if turns.workload == workload and not turns.engine.startswith(OURS)}
    return max(medians, key=medians.get, default=None)


def _kept(every: list[Turns], workload: str, sides: tuple[str, str | None], figure) -> list[float]:
    at = {turns.engine: turns for turns in every if turns.workload == workload}
    if not all(name in at for name in sides):
        return []
    return [figure(ours) / figure(theirs) for ours, theirs in pairs(*(at[name] for name in sides))]


def promise_rows(evidence: Evidence, settings: Settings) -> list[Row]:
    """What the project promises of its speed beside others, and whether the median of the rounds keeps it."""
    every = turns_of(evidence)
    made = []
    for ours, theirs, bounds in PROMISES:
        for workload, bound in bounds.items():
            other = fastest(every, workload) if theirs == BEST else theirs
            found = _kept(every, workload, (ours, other), output_rate)
            made.append(_promise_row((ours, other or theirs), "output tokens/s", workload, found, (bound, True)))
    ours, theirs, workload, bound = TTFT_PROMISE
    found = _kept(every, workload, (ours, theirs), median_ttft)
    made.append(_promise_row((ours, theirs), "TTFT p50", workload, found, (bound, False)))
    return made


def _promise_row(sides: tuple[str, str], figure: str, workload: str, found: list[float], promise: tuple[float, bool]) -> Row:
    bound, at_least = promise
    median = float(np.median(found)) if found else math.nan
    kept = "not measured" if not found else "yes" if (median >= bound if at_least else median <= bound) else "NO"
    spread = f" ({number(min(found), 3)} to {number(max(found), 3)}, {len(found)} rounds)" if found else ""
    return Row([" / ".join(sides), figure, workload, number(median, 3) + spread, f"{'≥' if at_least else '≤'} {bound:g}", kept],
               (), "", COMMAND)
