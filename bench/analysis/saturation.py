"""Where a server saturates: the three knees, and the curve between load and throughput.

SLO knee: the largest rate at which the share of good requests is kept. Curve knee: where more in flight stops buying throughput,
by Kneedle and by the Universal Scalability Law. Queue knee: the largest rate at which the queue does not grow.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, stats

from bench.analysis import claims
from bench.analysis.steady import Slope

RESOLUTION = 0.01  # of the SLO knee
KNEE_DRAWS = 2000
AGREE = 0.10  # knees further apart than this need a reason


@dataclass(frozen=True)
class LoadPoint:
    """One load of a sweep."""

    rate: float  # requests a second offered; NaN in a closed loop
    in_flight: float  # mean, measured
    throughput: float  # requests a second completed
    n: int
    n_good: int  # met every objective
    growth: Slope  # of in flight, a second
    ttft_growth: Slope

    @property
    def over_saturated(self) -> bool:
        return self.growth.positive and self.ttft_growth.positive


@dataclass(frozen=True)
class Knee:
    value: float
    low: float  # highest that passed
    high: float  # lowest that did not; infinite: none was seen
    unit: str

    @property
    def found(self) -> bool:
        return math.isfinite(self.value)


@dataclass(frozen=True)
class Usl:
    """λN / (1 + σ(N - 1) + κN(N - 1)), each coefficient with its 95 % interval."""

    rate: tuple[float, float, float]
    sigma: tuple[float, float, float]
    kappa: tuple[float, float, float]
    best_n: tuple[float, float, float]  # √((1 - σ) / κ); infinite without κ
    residual: float  # root mean square, as a share of the greatest throughput

    def at(self, n: np.ndarray) -> np.ndarray:
        return usl(np.asarray(n, dtype=float), self.rate[0], self.sigma[0], self.kappa[0])


def pooled(points: list[LoadPoint]) -> list[LoadPoint]:
    """Loads at the same rate as one: their requests together; whether they grew is the longest one's to say."""
    rates = sorted({point.rate for point in points})
    groups = [[point for point in points if point.rate == rate] for rate in rates]
    found = []
    for group in groups:
        longest = max(group, key=lambda point: point.n)
        n = sum(point.n for point in group)
        found.append(replace(longest, n=n, n_good=sum(point.n_good for point in group),
                             in_flight=sum(point.n * point.in_flight for point in group) / n,
                             throughput=sum(point.n * point.throughput for point in group) / n))
    return found


def slo_knee(points: list[LoadPoint], target: float) -> Knee:
    """Between the highest rate that passes under the lowest that fails. A rate that is open by the binomial test decides nothing."""
    verdicts = [(p.rate, claims.verdict(p.n_good, p.n, target)) for p in sorted(points, key=lambda p: p.rate)]
    failed = min((rate for rate, v in verdicts if v == "fail"), default=math.inf)
    passed = max((rate for rate, v in verdicts if v == "pass" and rate < failed), default=math.nan)
    return Knee(passed, passed, failed, "requests/s")


def next_rate(points: list[LoadPoint], target: float, start: float) -> float | None:
    """The rate to measure next; None once the knee is known to a hundredth."""
    if not points:
        return start
    knee = slo_knee(points, target)
    if not knee.found:
        return min(p.rate for p in points) / 2
    if math.isinf(knee.high):
        return knee.low * 2
    if knee.high / knee.low - 1 <= RESOLUTION:
        return None
    return math.sqrt(knee.low * knee.high)


def queue_knee(points: list[LoadPoint]) -> Knee:
    """The largest rate below the first that grows over, at which the slope of in flight is not told from 0."""
    ordered = sorted(points, key=lambda p: p.rate)
    grown = [p.rate for p in ordered if p.over_saturated]
    # One growing load below several that hold is chance (one in forty is): the queue grows from where it goes on growing.
    held = [p.rate for p in ordered if not p.growth.positive]
    low = max(held, default=math.nan)
    high = min((rate for rate in grown if not rate < low), default=math.inf)
    return Knee(low, low, high, "requests/s")


def kneedle(x: np.ndarray, y: np.ndarray) -> float:
    """Kneedle (Satopää et al.) of a concave rising curve: where it is furthest above its chord, both axes scaled to [0, 1]. What falls
    again behind the plateau counts as plateau."""
    order = np.argsort(x, kind="stable")
    x, y = np.asarray(x, dtype=float)[order], np.maximum.accumulate(np.asarray(y, dtype=float)[order])
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    above = (y - y[0]) / (y[-1] - y[0]) - (x - x[0]) / (x[-1] - x[0])
    return float(x[int(np.argmax(above))])


def usl(n: np.ndarray, rate: float, sigma: float, kappa: float) -> np.ndarray:
    return rate * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def fit_usl(n: np.ndarray, throughput: np.ndarray) -> Usl | None:
    """Least squares of relative errors, since throughputs of small and large loads are known equally well in per cent; None of fewer
    than five loads. The interval of N* is that of its logarithm, to first order."""
    n, throughput = np.asarray(n, dtype=float), np.asarray(throughput, dtype=float)
    if len(n) < 5 or np.ptp(n) == 0 or throughput.min() <= 0:
        return None
    start = (float((throughput / n).max()), 0.05, 1e-4)
    try:
        best, covariance = optimize.curve_fit(usl, n, throughput, p0=start, sigma=throughput, bounds=([0, 0, 0], [np.inf, 1, np.inf]))
    except RuntimeError:
        return None
    t = float(stats.t.isf(0.025, len(n) - 3))
    errors = np.sqrt(np.diag(covariance))
    fitted = [(float(v), max(0.0, float(v - t * e)), float(v + t * e)) for v, e in zip(best, errors, strict=True)]
    _, sigma, kappa = best
    peak = (math.inf, math.nan, math.inf)
    if kappa > 1e-9 and sigma < 1:
        value = math.sqrt((1 - sigma) / kappa)
        gradient = np.array([0, -0.5 / (1 - sigma), -0.5 / kappa])
        width = t * math.sqrt(float(gradient @ covariance @ gradient))
        peak = (value, value * math.exp(-width), value * math.exp(width))
    residual = float(np.sqrt(np.mean((usl(n, *best) - throughput) ** 2)) / throughput.max())
    return Usl(*fitted, best_n=peak, residual=residual)


def curve_knee(points: list[LoadPoint]) -> Knee:
    """Kneedle on throughput against mean in flight; the value is the throughput there."""
    x, y = np.array([p.in_flight for p in points]), np.array([p.throughput for p in points])
    at = kneedle(x, y)
    if not math.isfinite(at):
        return Knee(math.nan, math.nan, math.nan, "requests/s")
    value = float(y[int(np.argmin(np.abs(x - at)))])
    return Knee(value, value, float(y.max()), "requests/s")


def curve_interval(points: list[LoadPoint], errors: list[float], seed: int = 0) -> tuple[Knee, tuple[float, float]]:
    """The curve knee with the 95 % interval of its throughput, and that of the number in flight there: each load's throughput drawn
    anew with its standard error."""
    knee = curve_knee(points)
    if not knee.found:
        return knee, (math.nan, math.nan)
    draw = np.random.default_rng(seed)
    x, y = np.array([p.in_flight for p in points]), np.array([p.throughput for p in points])
    drawn = np.maximum(draw.normal(y, errors, (KNEE_DRAWS, len(y))), 1e-9)
    at = np.array([kneedle(x, row) for row in drawn])
    there = drawn[np.arange(KNEE_DRAWS), [int(np.argmin(np.abs(x - place))) for place in at]]
    low, high = np.nanquantile(there, [0.025, 0.975])
    in_flight = np.nanquantile(at, [0.025, 0.975])
    return Knee(knee.value, min(float(low), knee.value), max(float(high), knee.value), knee.unit), (float(in_flight[0]), float(in_flight[1]))


def disagreement(knees: dict[str, Knee]) -> str | None:
    """A sentence where the knees are over 10 % apart."""
    found = {name: knee.value for name, knee in knees.items() if knee.found}
    if len(found) < 2:
        return None
    low, high = min(found, key=found.get), max(found, key=found.get)
    if found[high] / found[low] - 1 <= AGREE:
        return None
    reasons = {
        "slo": "requests miss their objectives before the queue grows without end: latency, not capacity, is the limit",
        "queue": "the queue grows at a rate whose requests still meet their objectives within the window measured",
        "curve": "throughput flattens gradually: batches still grow, each request is served more slowly"}
    return f"the {low} knee ({found[low]:.3g}) lies {100 * (1 - found[low] / found[high]):.0f} % under the {high} knee " \
           f"({found[high]:.3g}): {reasons.get(low, 'they measure different things')}"
