"""Whether a run was steady: where the warm-up ends, whether the window drifts, what was in flight, whether the load grew over."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bench.analysis import figures
from bench.analysis.intervals import autocorrelation_time

MAX_DRIFT = 1.0  # % a minute
JUDGED_S = 30.0  # least window whose drift is judged: of a shorter one, a minute is a guess
MAX_LITTLE_RESIDUAL = 0.02
ALPHA = 0.01  # of the parts
N_PARTS = 4
N_SLOPE_BLOCKS = 20


@dataclass(frozen=True)
class Slope:
    """Theil–Sen slope a second, with its 95 % interval."""

    slope: float
    low: float
    high: float

    @property
    def positive(self) -> bool:
        return self.low > 0

    @property
    def flat(self) -> bool:
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class Stationarity:
    p_parts: float  # Kruskal–Wallis over the four parts
    drift: float  # % a minute of the median
    drift_low: float
    drift_high: float

    @property
    def drifts(self) -> bool:
        """Over the limit, and not noise."""
        return abs(self.drift) > MAX_DRIFT and not self.drift_low <= 0 <= self.drift_high

    @property
    def parts_differ(self) -> bool:
        return self.p_parts < ALPHA


def mser5(series: np.ndarray) -> int:
    """Where the warm-up ends: the number of leading values to leave out, a multiple of five, never over half of them.

    White's rule: leave out as much as makes the standard error of the mean of the rest least, in means of five values.
    """
    n = len(series) // 5
    if n < 4:
        return 0
    batches = np.asarray(series[: 5 * n], dtype=float).reshape(n, 5).mean(axis=1)
    left = n - np.arange(n)
    sums, squares = np.cumsum(batches[::-1])[::-1], np.cumsum((batches**2)[::-1])[::-1]
    error = np.maximum(squares - sums**2 / left, 0) / left.astype(float) ** 2
    return 5 * int(np.argmin(error[: n // 2 + 1]))


def block_means(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means over blocks so long that neighbours say little of each other; at most N_SLOPE_BLOCKS, at least N_PARTS."""
    n = len(values)
    n_blocks = int(min(N_SLOPE_BLOCKS, max(N_PARTS, n // max(1.0, 2 * autocorrelation_time(values)))))
    parts = np.array_split(np.arange(n), min(n_blocks, n))
    return np.array([times[p].mean() for p in parts]), np.array([values[p].mean() for p in parts])


def slope(times: np.ndarray, values: np.ndarray) -> Slope:
    """Times in seconds. Of block means, since neighbouring values are not independent."""
    if len(values) < N_PARTS:
        return Slope(math.nan, math.nan, math.nan)
    x, y = block_means(np.asarray(times, dtype=float), np.asarray(values, dtype=float))
    found = stats.theilslopes(y, x, alpha=0.95)
    return Slope(float(found.slope), float(found.low_slope), float(found.high_slope))


def stationarity(times: np.ndarray, values: np.ndarray) -> Stationarity:
    times, values = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if len(values) < 2 * N_PARTS or np.ptp(values) == 0 or np.ptp(times) == 0:
        return Stationarity(math.nan, 0.0, 0.0, 0.0)
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    # Inside the parts: a level that differs between them is what is looked for, not a dependence of neighbours.
    inside = np.concatenate([part - part.mean() for part in np.array_split(values, N_PARTS)])
    thin = max(1, math.ceil(autocorrelation_time(inside)))
    if len(values) // thin < 2 * N_PARTS:
        thin = max(1, len(values) // (2 * N_PARTS))
    means = np.array([part.mean() for part in np.array_split(values, len(values) // thin)])
    p = float(stats.kruskal(*np.array_split(means, N_PARTS)).pvalue) if np.ptp(means) > 0 else math.nan
    trend = slope(times, values)
    scale = 60 * 100 / abs(float(np.median(values))) if np.median(values) else math.nan
    return Stationarity(p, trend.slope * scale, trend.low * scale, trend.high * scale)


def bucketed(stamps_ns: np.ndarray, width_s: float, window: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Start of each bucket in seconds, and the stamps in it a second, for whole buckets of the window."""
    a, b = window
    n = max(1, int((b - a) // (width_s * 1e9)))
    edges = a + np.arange(n + 1) * width_s * 1e9
    found, _ = np.histogram(stamps_ns, bins=edges)
    return (edges[:-1] - a) / 1e9, found / width_s


def in_flight(requests: list[dict]) -> tuple[np.ndarray, np.ndarray]:
    """Sweep line over the half-open intervals [send, end) of all requests, whatever their status: stamps in ns, count from each on."""
    spans = [(r["send_ns"], r["end_ns"]) for r in requests if r["send_ns"] is not None and r["end_ns"] is not None]
    if not spans:
        return np.empty(0), np.empty(0, dtype=int)
    starts, ends = np.array(spans, dtype=np.int64).T
    stamps = np.concatenate([starts, ends])
    steps = np.concatenate([np.ones(len(starts), dtype=int), -np.ones(len(ends), dtype=int)])
    places, inverse = np.unique(stamps, return_inverse=True)
    change = np.zeros(len(places), dtype=int)
    np.add.at(change, inverse, steps)
    return places, np.cumsum(change)


def mean_in_flight(requests: list[dict], window: tuple[int, int]) -> float:
    """Exact mean over the window: the sum of what each request spends in it."""
    a, b = window
    spent = sum(max(0, min(r["end_ns"], b) - max(r["send_ns"], a)) for r in requests
                if r["send_ns"] is not None and r["end_ns"] is not None)
    return spent / (b - a)


def in_flight_series(requests: list[dict], width_s: float, window: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Mean in flight of each bucket of the window."""
    a, b = window
    n = max(1, int((b - a) // (width_s * 1e9)))
    edges = (a + np.arange(n + 1) * width_s * 1e9).astype(np.int64)
    places, counts = in_flight(requests)
    if not len(places):
        return (edges[:-1] - a) / 1e9, np.zeros(n)
    area = np.concatenate([[0.0], np.cumsum(counts[:-1] * np.diff(places))])  # request-ns before each place
    at = np.clip(np.searchsorted(places, edges, side="right") - 1, 0, None)
    total = np.where(edges < places[0], 0.0, area[at] + counts[at] * (edges - places[at]))
    return (edges[:-1] - a) / 1e9, np.diff(total) / np.diff(edges)


def little_residual(requests: list[dict], window: tuple[int, int]) -> float:
    """How far in flight is from rate times latency, as a share of in flight."""
    a, b = window
    inside = [r for r in requests if r["end_ns"] is not None and r["send_ns"] is not None and a <= r["end_ns"] < b]
    held = mean_in_flight(requests, window)
    latency = sum(r["end_ns"] - r["send_ns"] for r in inside)  # rate × mean latency × length of the window
    return abs(held - latency / (b - a)) / held if held else math.nan


def over_saturated(requests: list[dict], window: tuple[int, int]) -> tuple[Slope, Slope]:
    """Slopes of in flight and of TTFT; a load is over-saturated when both are positive at 95 %."""
    seconds, held = in_flight_series(requests, max(0.1, (window[1] - window[0]) / 1e9 / 200), window)
    inside = [r for r in requests if window[0] <= (r["intended_ns"] or r["send_ns"] or 0) < window[1]]
    ttft = figures.sample(inside, "ttft_intended").values
    sent = np.array([r["intended_ns"] or r["send_ns"] or 0 for r in inside]) / 1e9
    there = ~np.isnan(ttft)
    order = np.argsort(sent[there], kind="stable")
    return slope(seconds, held), slope(sent[there][order], ttft[there][order])
