"""Intervals: what is resampled, and by which of scipy's methods. Everything here is a pure function of its arguments and a seed.

The unit is the repetition, then the request inside it. Resampling both counts the noise of requests twice (the repetitions'
own figures carry it already) and resampling five repetitions cannot leave their range. So the two-stage bootstrap gives an
interval its shape, and its width is that of drawing whole repetitions, with Student's factor for their number. The self-test
measures what comes of it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bench.analysis.figures import Sample

RESAMPLES = 10_000
LEAST_RESAMPLES = 1_000
DRAWS = 50_000_000  # values looked at in one bootstrap; fewer resamples of very large samples
CHUNK = 4_000_000  # values at a time, so that memory stays under 100 MB
BLOCK_TIMES = 10  # block length of a series in autocorrelation times: what the blocks cut is then a twentieth of the variance


@dataclass(frozen=True)
class Interval:
    estimate: float
    low: float
    high: float
    method: str
    n: int
    n_effective: float = math.nan

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def there(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True)
class Settings:
    confidence: float = 0.95
    resamples: int = RESAMPLES
    seed: int = 0


def no_interval(estimate: float, n: int) -> Interval:
    return Interval(estimate, math.nan, math.nan, "none: too few", n)


def mean(values: np.ndarray, settings: Settings = Settings()) -> Interval:
    """BCa interval of the mean of independent values."""
    values = np.asarray(values, dtype=float)
    if values.size < 2 or np.ptp(values) == 0:
        estimate = float(values.mean()) if values.size else math.nan
        return Interval(estimate, estimate, estimate, "constant", values.size) if values.size > 1 else no_interval(estimate, 1)
    batch = max(1, CHUNK // values.size)
    found = stats.bootstrap((values,), np.mean, vectorized=True, n_resamples=_resamples(values.size, settings), batch=batch,
                            confidence_level=settings.confidence, method="BCa", rng=np.random.default_rng(settings.seed))
    low, high = found.confidence_interval
    return Interval(float(values.mean()), float(low), float(high), "BCa", values.size)


def ratio(numerators: np.ndarray, denominators: np.ndarray, settings: Settings = Settings()) -> Interval:
    """BCa interval of a ratio of sums over units that have both, as tokens over seconds by repetition."""
    numerators, denominators = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    estimate = float(numerators.sum() / denominators.sum())
    if numerators.size < 2:
        return no_interval(estimate, numerators.size)

    def of(a, b, axis=-1):
        return a.sum(axis=axis) / b.sum(axis=axis)

    found = stats.bootstrap((numerators, denominators), of, paired=True, vectorized=True, n_resamples=settings.resamples,
                            confidence_level=settings.confidence, method="BCa", rng=np.random.default_rng(settings.seed))
    low, high = found.confidence_interval
    return Interval(estimate, float(low), float(high), "BCa", numerators.size)


def quantile(values: np.ndarray, p: float, settings: Settings = Settings()) -> Interval:
    """Distribution-free interval of a quantile from order statistics (binomial); NaN where so few values allow none."""
    values = np.asarray(values, dtype=float)
    estimate = float(np.quantile(values, p))
    found = stats.quantile_test(values, q=estimate, p=p).confidence_interval(confidence_level=settings.confidence)
    return Interval(estimate, float(found.low), float(found.high), "order statistics", values.size)


def _resamples(n: int, settings: Settings) -> int:
    return min(settings.resamples, max(LEAST_RESAMPLES, DRAWS // max(n, 1)))


def _weights(groups: list[np.ndarray], n_requests: int, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """[n_draws, n_requests]: how often each request occurs when repetitions are drawn, then requests inside each."""
    drawn = rng.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=n_draws)
    weights = np.zeros((n_draws, n_requests), dtype=np.int32)
    for group, times in zip(groups, drawn.T, strict=True):
        rows = np.repeat(np.arange(n_draws), times * group.size)
        picks = rows * group.size + rng.integers(0, group.size, size=rows.size)
        weights[:, group] = np.bincount(picks, minlength=n_draws * group.size).reshape(n_draws, group.size)
    return weights


def _whole(groups: list[np.ndarray], n_requests: int, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """As _weights, but a repetition is drawn with its requests as they are."""
    weights = np.zeros((n_draws, n_requests), dtype=np.int32)
    drawn = rng.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=n_draws)
    for group, times in zip(groups, drawn.T, strict=True):
        weights[:, group] = times[:, None]
    return weights


def _statistics(values: np.ndarray, weights: np.ndarray, percents: Sequence[float]) -> np.ndarray:
    """[n_draws, 1 + n_percents]: mean and linear percentiles of sorted values that occur weights times each."""
    cumulated = np.cumsum(weights, axis=1, dtype=np.int32)  # below 2**31: a chunk is a few million
    totals = cumulated[:, -1]
    found = np.full((len(weights), 1 + len(percents)), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        found[:, 0] = weights.astype(float) @ values / totals
    if not percents:
        return found
    # One search for all rows: each row's counts are lifted above those of the row before it.
    lift = np.arange(len(weights), dtype=np.int64)[:, None] * (int(totals.max()) + 1)
    line = (cumulated + lift).ravel()
    places = (totals[:, None] - 1) * np.asarray(percents) / 100
    below = np.floor(places)
    first = np.arange(len(weights))[:, None] * len(values)
    last = len(values) - 1
    lower = values[np.clip(np.searchsorted(line, below + lift, side="right") - first, 0, last)]
    above = np.minimum(below + 1, totals[:, None] - 1)
    upper = values[np.clip(np.searchsorted(line, above + lift, side="right") - first, 0, last)]
    found[:, 1:] = np.where(totals[:, None] > 0, lower + (upper - lower) * (places - below), np.nan)
    return found


def _plain(values: np.ndarray, percents: Sequence[float]) -> np.ndarray:
    return np.concatenate([[values.mean()], np.percentile(values, percents)]) if values.size else np.full(1 + len(percents), np.nan)


def hierarchical(sample: Sample, repetition: np.ndarray, percents: Sequence[float] = (),
                 settings: Settings = Settings()) -> list[Interval]:
    """Intervals of the mean and of percentiles, in this order. Of one repetition, requests alone are drawn."""
    sample = sample.kept()
    order = np.argsort(sample.values, kind="stable")
    values, owner = sample.values[order], sample.owner[order]
    estimates = _plain(values, percents)
    groups = [np.flatnonzero(repetition == r) for r in np.unique(repetition[np.unique(owner)])] if values.size else []
    n_units = len(groups) if len(groups) > 1 else np.unique(owner).size
    if n_units < 2:
        return [no_interval(float(e), values.size) for e in estimates]
    rng = np.random.default_rng(settings.seed)
    step = max(1, CHUNK // max(values.size, len(repetition)))

    def draws(make, n_draws: int) -> np.ndarray:
        return np.concatenate([
            _statistics(values, make(groups, len(repetition), min(step, n_draws - start), rng)[:, owner], percents)
            for start in range(0, n_draws, step)])

    found = draws(_weights, _resamples(values.size, settings))
    spread = draws(_whole, LEAST_RESAMPLES).std(axis=0) if len(groups) > 1 else np.nanstd(found, axis=0)
    method = "bootstrap of repetitions and requests" if len(groups) > 1 else "bootstrap of requests"
    return [_calibrated(found[:, i], float(estimates[i]), float(spread[i]), (n_units, values.size, method), settings)
            for i in range(len(estimates))]


def _calibrated(draws: np.ndarray, estimate: float, spread: float, of: tuple[int, int, str], settings: Settings) -> Interval:
    """The draws' quantiles around the estimate, with a spread of their own put in place of theirs, and stretched to the width that
    n units allow to claim: Student's factor, and n - 1 in place of the bootstrap's n."""
    n_units, n, method = of
    tail = (1 - settings.confidence) / 2
    draws = draws[np.isfinite(draws)]
    low, high = np.quantile(draws, [tail, 1 - tail]) - draws.mean()
    stretch = stats.t.isf(tail, n_units - 1) / stats.norm.isf(tail) * math.sqrt(n_units / (n_units - 1))
    stretch *= spread / draws.std() if draws.std() > 0 else 1.0
    return Interval(estimate, float(estimate + stretch * low), float(estimate + stretch * high), method, n, float(n_units))


def autocorrelation_time(series: np.ndarray) -> float:
    """1 + 2·Σρ, cut where the sum of a pair of neighbouring lags is no longer positive (Geyer's initial sequence)."""
    series = np.asarray(series, dtype=float)
    n = series.size
    centred = series - series.mean() if n else series
    variance = float(centred @ centred)
    if n < 4 or variance == 0:
        return 1.0
    spectrum = np.abs(np.fft.rfft(centred, 2 * n)) ** 2
    rho = np.fft.irfft(spectrum)[:n] / variance
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    cut = negative[0] if negative.size else pairs.size
    return max(1.0, float(2 * pairs[:cut].sum() - 1))


def moving_block(series: np.ndarray, statistic: Callable[..., np.ndarray] = np.mean,
                 settings: Settings = Settings()) -> Interval:
    """Interval of a statistic of a time series whose neighbours depend on each other; says how many independent values it is worth.

    statistic takes axis=.
    """
    series = np.asarray(series, dtype=float)
    n = series.size
    estimate = float(statistic(series, axis=0)) if n else math.nan
    time = autocorrelation_time(series)
    block = min(max(1, math.ceil(BLOCK_TIMES * time)) if time > 1 else 1, max(1, n // 4))
    n_blocks = math.ceil(n / block)
    if n < 4:
        return no_interval(estimate, n)
    rng = np.random.default_rng(settings.seed)
    n_resamples, step = _resamples(n, settings), max(1, CHUNK // n)
    draws = []
    for start in range(0, n_resamples, step):
        first = rng.integers(0, n - block + 1, size=(min(step, n_resamples - start), n_blocks))
        rows = (first[:, :, None] + np.arange(block)).reshape(len(first), -1)[:, :n]
        draws.append(statistic(series[rows], axis=1))
    tail = (1 - settings.confidence) / 2
    low, high = np.quantile(np.concatenate(draws), [tail, 1 - tail]) - np.concatenate(draws).mean()
    stretch = stats.t.isf(tail, n_blocks - 1) / stats.norm.isf(tail) * math.sqrt(n_blocks / (n_blocks - 1))
    return Interval(estimate, estimate + stretch * float(low), estimate + stretch * float(high),
                    f"moving blocks of {block}", n, n / time)
