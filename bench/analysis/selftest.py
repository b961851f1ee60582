"""The statistics against truths that are known because they were made: each check prints its figure beside its limit.

    arrivals      gaps of each arrival law: Kolmogorov-Smirnov, mean rate, squared CV; needs the program that expands workloads
    coverage      95 % intervals hold the true value in 93 to 97 % of simulated runs
    A/A           two equal arms are told apart in at most 5 % (within the binomial error of so many runs)
    knee          saturation of a simulated M/G/k queue, whose capacity is k over the mean service time, within 3 %
    withheld      a percentile of too few requests is not shown
"""

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import signal, stats

from bench.analysis import arrivals, attribution, claims, distribution, intervals, saturation, steady, verdict
from bench.analysis.figures import Sample
from bench.analysis.intervals import Interval, Settings
from bench.analysis.saturation import LoadPoint

FULL = 1000  # simulated runs that the limits are made for
QUICK = 1000  # resamples: what a coverage of a thousand runs can show needs no more
LOW, HIGH = 0.93, 0.97
SERVERS = 16
REQUESTS = 40_000  # of each load of the queue


@dataclass(frozen=True)
class Check:
    name: str
    figure: float
    low: float
    high: float
    point: int = 0  # of the harness's self-test; 0: the statistics' own

    @property
    def passed(self) -> bool:
        return self.low <= self.figure <= self.high

    def limits(self) -> str:
        return f"{self.low:.4g} to {self.high:.4g}" if math.isfinite(self.high) else f"at least {self.low:.4g}"

    def cells(self) -> str:
        """For a program: point, verdict, check, figure, limit."""
        return "\t".join((str(self.point), "pass" if self.passed else "FAIL", self.name, f"{self.figure:.4g}", self.limits()))

    def line(self) -> str:
        return f"{'ok    ' if self.passed else 'FAILED'}  {self.name:58} {self.figure:8.4g}   {self.limits()}"


# A case draws one run and returns the interval made of it and the truth behind it.
Case = Callable[[np.random.Generator], tuple[Interval, float]]


def repetitions(draw: np.random.Generator, between: float) -> tuple[Interval, float]:
    """Five repetitions of forty requests; `between` is the spread of the repetitions, in that of the requests."""
    n, each = 5, 40
    values = draw.normal(10, 1, n * each) + np.repeat(draw.normal(0, between, n), each)
    sample = Sample(values, np.arange(n * each))
    return intervals.hierarchical(sample, np.repeat(np.arange(n), each), (), Settings(resamples=QUICK))[0], 10.0


def median_of_repetitions(draw: np.random.Generator) -> tuple[Interval, float]:
    """The median over ten repetitions of skewed values, where repetitions differ by a tenth."""
    n, each = 10, 40
    values = draw.lognormal(0, 0.5, n * each) * np.repeat(np.exp(draw.normal(0, 0.1, n)), each)
    sample = Sample(values, np.arange(n * each))
    return intervals.hierarchical(sample, np.repeat(np.arange(n), each), (50.0,), Settings(resamples=QUICK))[1], 1.0


def one_repetition(draw: np.random.Generator) -> tuple[Interval, float]:
    """ITLs of one repetition: eight of a request, which has a speed of its own."""
    n, each = 60, 8
    values = np.repeat(draw.normal(20, 2, n), each) + draw.normal(0, 1, n * each)
    sample = Sample(values, np.repeat(np.arange(n), each))
    return intervals.hierarchical(sample, np.zeros(n, dtype=int), (), Settings(resamples=QUICK))[0], 20.0


def skewed_mean(draw: np.random.Generator) -> tuple[Interval, float]:
    return intervals.mean(draw.lognormal(0, 0.5, 200), Settings(resamples=QUICK)), math.exp(0.125)


def ratio_of_sums(draw: np.random.Generator) -> tuple[Interval, float]:
    """Tokens over seconds of 40 repetitions."""
    seconds = draw.uniform(0.5, 1.5, 40)
    return intervals.ratio(7 * seconds + draw.normal(0, 1, 40), seconds, Settings(resamples=QUICK)), 7.0


def median(draw: np.random.Generator) -> tuple[Interval, float]:
    return intervals.quantile(draw.exponential(1, 300), 0.5), math.log(2)


def p99(draw: np.random.Generator) -> tuple[Interval, float]:
    return intervals.quantile(draw.exponential(1, 3000), 0.99), math.log(100)


def series(draw: np.random.Generator) -> tuple[Interval, float]:
    """AR(1) with coefficient 0.5, as ten minutes of seconds."""
    noise = draw.normal(size=700)
    return intervals.moving_block(signal.lfilter([1], [1, -0.5], noise)[100:], settings=Settings(resamples=QUICK)), 0.0


COVERED: dict[str, Case] = {
    "coverage: repetitions that differ as little as requests": lambda draw: repetitions(draw, 0.0),
    "coverage: repetitions that differ": lambda draw: repetitions(draw, 0.5),
    "coverage: repetitions that differ much": lambda draw: repetitions(draw, 2.0),
    "coverage: median of repetitions that differ": median_of_repetitions,
    "coverage: tokens of one repetition, by request": one_repetition,
    "coverage: mean of a skewed sample, BCa": skewed_mean,
    "coverage: ratio of sums, BCa": ratio_of_sums,
    "coverage: median by order statistics": median,
    "coverage: p99 by order statistics": p99,
    "coverage: mean of an autocorrelated series": series,
}


def coverage(case: Case, runs: int, seed: int) -> float:
    draw = np.random.default_rng(seed)
    found = [case(draw) for _ in range(runs)]
    return float(np.mean([interval.low <= truth <= interval.high for interval, truth in found]))


def false_positives(runs: int, seed: int, n_pairs: int = 10, n_metrics: int = 4) -> tuple[float, float]:
    """Share of A/A comparisons of four metrics with a p under 5 %, corrected; and share whose interval misses 1 for one metric."""
    draw = np.random.default_rng(seed)
    told, missed = 0, 0
    for _ in range(runs):
        common = draw.normal(0, 0.1, (n_metrics, n_pairs))  # what the pair met together: a noisy minute
        sides = [np.exp(common + draw.normal(0, 0.03, (n_metrics, n_pairs))) for _ in range(2)]
        found = verdict.family({str(m): (sides[0][m], sides[1][m], True) for m in range(n_metrics)})
        told += any(c.p_holm <= verdict.ALPHA for c in found) or any(c.verdict in (verdict.BETTER, verdict.WORSE) for c in found)
        missed += not found[0].low <= 1 <= found[0].high
    return told / runs, missed / runs


def queue(rate: float, draw: np.random.Generator, n: int = REQUESTS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M/G/k with gamma service of mean 1: arrivals, starts, ends."""
    arrivals = np.cumsum(draw.exponential(1 / rate, n))
    service = draw.gamma(2.0, 0.5, n)
    free = [0.0] * SERVERS
    starts = np.empty(n)
    for i in range(n):
        starts[i] = max(arrivals[i], free[0])
        heapq.heapreplace(free, starts[i] + service[i])
    return arrivals, starts, starts + service


def load_point(rate: float, draw: np.random.Generator) -> LoadPoint:
    """What a result at this rate would say. Waits over twenty service times miss the objective: they are one in a hundred at 99 % of the
    capacity (the tail of the wait falls with exp(-2k(1 - ρ)t / (1 + cv²))), so that this knee too lies at the capacity."""
    arrivals, starts, ends = queue(rate, draw)
    end = arrivals[-1]
    skip = end * 0.1
    edges = np.linspace(skip, end, 201)
    held = np.array([(arrivals <= at).sum() - (ends <= at).sum() for at in edges])
    waits = starts - arrivals
    counted = arrivals >= skip
    done = ((ends >= skip) & (ends < end)).sum()
    return LoadPoint(rate, float(held.mean()), done / (end - skip), int(counted.sum()), int((waits[counted] <= 20).sum()),
                     steady.slope(edges, held), steady.slope(arrivals[counted][::20], waits[counted][::20]))


def knees(seed: int) -> dict[str, float]:
    """Each knee over the capacity: the SLO knee by bisection, as a campaign finds it, and the queue knee on the same loads."""
    draw = np.random.default_rng(seed)
    points = [load_point(share * SERVERS, draw) for share in (0.5, 0.7, 0.85, 1.15)]
    for _ in range(12):
        following = saturation.next_rate(points, 0.99, 0.5 * SERVERS)
        if following is None or any(abs(p.rate / following - 1) < 1e-9 for p in points):
            break
        points.append(load_point(following, draw))
    closed = np.arange(1, 49)
    # Without a pause between requests as many are served as there are clients, or places.
    curve = [min(n, SERVERS) / draw.gamma(2.0, 0.5, REQUESTS).mean() for n in closed]
    return {"SLO knee": saturation.slo_knee(points, 0.99).value / SERVERS, "queue knee": saturation.queue_knee(points).value / SERVERS,
            "curve knee (closed loop)": saturation.kneedle(closed, np.array(curve)) / SERVERS}


def usl_coverage(runs: int, seed: int) -> float:
    """How often the interval of σ holds it: 2 % contention, noise of 1 %."""
    draw = np.random.default_rng(seed)
    n = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256], dtype=float)
    found = [saturation.fit_usl(n, saturation.usl(n, 10, 0.02, 1e-4) * (1 + draw.normal(0, 0.01, len(n)))) for _ in range(runs)]
    return float(np.mean([fit is not None and fit.sigma[1] <= 0.02 <= fit.sigma[2] for fit in found]))


def shapley_error() -> float:
    """Two switches that halve and third the time, and save a further tenth together: ln 2 and ln 3 and half of -ln 0.9 each."""
    times = {frozenset(): 1.0, frozenset("a"): 1 / 2, frozenset("b"): 1 / 3, frozenset("ab"): 0.9 / 6}
    found = attribution.attribute({on: np.full(3, t) for on, t in times.items()}, resamples=10)
    shared = math.log(0.9) / 2
    return max(abs(found.shapley[0].log_effect + math.log(2) - shared), abs(found.shapley[1].log_effect + math.log(3) - shared))


def arrival_checks(mie_bench: Path) -> Iterator[Check]:
    for seed, law in enumerate(arrivals.LAWS):  # one each: the same numbers behind all laws would be one test
        found = arrivals.fit(law, arrivals.arrivals(mie_bench, law.text, seed=seed))
        of_rate, of_cv = arrivals.bounds(law, arrivals.N)
        yield Check(f"{law.name}: p of the KS test of {arrivals.N} gaps", found.p, arrivals.P, 1, 5)
        yield Check(f"{law.name}: mean rate over the law's", found.rate, 1 - of_rate, 1 + of_rate, 5)
        yield Check(f"{law.name}: squared CV over the law's", found.squared_cv, 1 - of_cv, 1 + of_cv, 5)
    for name, error in arrivals.exact(mie_bench):
        yield Check(f"{name}: greatest error of a gap, s", error, 0, 1e-9, 5)


def coverage_checks(runs: int, seed: int) -> Iterator[Check]:
    """The limits are those of a thousand runs; fewer get four standard errors."""
    few = 4 * math.sqrt(0.05 * 0.95 / runs)
    low, high = (LOW, HIGH) if runs >= FULL else (0.95 - few, min(0.95 + few, 1))
    for i, (name, case) in enumerate(COVERED.items()):
        yield Check(f"{name}, {runs} runs", coverage(case, runs, seed + i), low, high, 6)


def false_positive_checks(runs: int, seed: int) -> Iterator[Check]:
    told, missed = false_positives(runs, seed)
    allowed = float(stats.binom.ppf(0.99, runs, verdict.ALPHA)) / runs
    yield Check(f"A/A: equal arms told apart, {runs} runs", told, 0, allowed, 7)
    yield Check(f"A/A: intervals that miss 1, {runs} runs", missed, 0, allowed, 7)


def knee_checks(runs: int, seed: int) -> Iterator[Check]:
    for name, share in knees(seed).items():
        yield Check(f"knee of M/G/{SERVERS}: {name} over capacity", share, 0.97, 1.03, 8)


def other_checks(runs: int, seed: int) -> Iterator[Check]:
    yield Check("Universal Scalability Law: coverage of σ", usl_coverage(runs, seed), LOW, HIGH)
    yield Check("Shapley shares of a known ladder: greatest error", shapley_error(), 0, 1e-12)
    shown = [p for p in distribution.PERCENTILES if not distribution.withheld(distribution.needed(p) - 1, p)]
    yield Check("withheld: percentiles shown of one request too few", len(shown), 0, 0)
    yield Check("claims: requests without a miss that show p99 at 99 %", claims.needed(0, 0, 0.99) or 0, 459, 459)


def checks(runs: int, seed: int) -> Iterator[Check]:
    """One at a time, so that a reader sees them come."""
    for some in (coverage_checks, false_positive_checks, knee_checks, other_checks):
        yield from some(runs, seed)


def point_checks(point: int, runs: int, seed: int, mie_bench: Path) -> Iterator[Check]:
    return {5: lambda: arrival_checks(mie_bench), 6: lambda: coverage_checks(runs, seed),
            7: lambda: false_positive_checks(runs, seed), 8: lambda: knee_checks(runs, seed)}[point]()


def run_point(point: int, runs: int, seed: int, mie_bench: Path) -> int:
    """For `mie bench selftest`: a line of cells for each check."""
    failed = 0
    for check in point_checks(point, runs, seed, mie_bench):
        print(check.cells(), flush=True)
        failed += not check.passed
    return 1 if failed else 0


def run(runs: int, seed: int) -> int:
    print(f"{'':6}  {'check':58} {'figure':>8}   limit")
    failed = 0
    for check in checks(runs, seed):
        print(check.line(), flush=True)
        failed += not check.passed
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0
