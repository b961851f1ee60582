"""The figures of one result, each with its interval: what reports, comparisons and campaigns print."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bench.analysis import claims, distribution, figures, intervals, steady, sweep
from bench.analysis.distribution import Summary
from bench.analysis.intervals import Interval, Settings
from bench.analysis.result import Result

SHOWN = ("ttft_intended", "ttft", "ttst", "tpot", "itl", "event_gap", "e2el_intended", "e2el", "normalized", "stall", "lateness")
WITH_INTERVAL = (50.0, 90.0, 95.0, 99.0)
LABELS = {"ttft_intended": "TTFT, intended send", "ttft": "TTFT, actual send", "ttst": "second token after the first", "tpot": "TPOT",
          "itl": "ITL, a token", "event_gap": "gap between events", "e2el_intended": "E2E latency, intended send",
          "e2el": "E2E latency, actual send", "normalized": "E2E latency a token", "stall": "stalled time of a request",
          "lateness": "client lateness"}


@dataclass(frozen=True)
class MetricSummary:
    metric: str
    view: str  # ok, or all: failed requests censored at their limit
    summary: Summary
    n_undefined: int
    mean: Interval
    percentiles: dict[float, Interval]  # of those that are not withheld
    order: dict[float, Interval]  # distribution-free, where every value is a request of its own


@dataclass(frozen=True)
class Steadiness:
    """The run's own judgement of its window."""

    ttft: steady.Stationarity
    rate: steady.Stationarity
    warmup_end_s: float  # MSER-5 on the 100-ms rate series of the whole run
    little_residual: float
    rate_effective_n: float
    over_saturated: bool


def of_metric(requests: list[dict], metric: str, settings: Settings = Settings()) -> MetricSummary:
    good = figures.good(requests)
    sample = figures.samples(good)[metric]
    values = sample.defined
    found = distribution.summary(values)
    shown = [p for p in WITH_INTERVAL if p in found.linear]
    repetition = figures.repetitions(good)
    estimates = intervals.hierarchical(sample, repetition, shown, settings)
    alone = metric in figures.PER_REQUEST
    mean = intervals.mean(values, settings) if alone and len(set(repetition)) == 1 and values.size > 1 else estimates[0]
    order = {p: intervals.quantile(values, p / 100, settings) for p in shown} if alone else {}
    return MetricSummary(metric, "ok", found, sample.n_undefined, mean, dict(zip(shown, estimates[1:], strict=True)), order)


def of_all_view(requests: list[dict], metric: str, limit_ms: float | None) -> MetricSummary:
    values = figures.censored(requests, metric, limit_ms)
    found = distribution.summary(values)
    order = {p: intervals.quantile(values, p / 100) for p in WITH_INTERVAL if p in found.linear}
    return MetricSummary(metric, "all", found, 0, intervals.no_interval(found.mean, found.n), order, order)


def limit_ms(result: Result) -> float | None:
    clients = sweep.spec_of(result).get("clients", {})
    limits = [clients[name] for name in ("timeout_ms", "deadline_ms") if clients.get(name)]
    return float(min(limits)) if limits else None


def spans(requests: list[dict]) -> list[tuple[int, int]]:
    """[first send, last end] of each repetition."""
    found = []
    for repetition in sorted(set(figures.repetitions(requests))):
        of = [r for r in requests if (r["repetition"] or 0) == repetition and r["send_ns"] is not None and r["end_ns"] is not None]
        if of:
            found.append((min(r["send_ns"] for r in of), max(r["end_ns"] for r in of) + 1))
    return found


def rate(result: Result, kind: str, settings: Settings = Settings()) -> Interval:
    """output_tokens_per_s or requests_per_s. Over repetitions where there are several, else over the seconds of the window."""
    repetitions = sorted(set(figures.repetitions(result.requests)))
    if len(repetitions) > 1:
        return _rate_of_repetitions(result, kind, settings)
    value = figures.rates(result.everything, result.window)[kind]
    if kind == "output_tokens_per_s":
        parts = [figures.token_stamps(r) for r in result.everything]
        stamps = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    else:
        stamps = np.array([r["end_ns"] for r in figures.good(result.everything) if r["end_ns"] is not None], dtype=np.int64)
    seconds = (result.window[1] - result.window[0]) / 1e9
    _, series = steady.bucketed(stamps, None, 1.0 if seconds >= 20 else seconds / 20, result.window)
    found = intervals.moving_block(series, settings=settings)
    shift = value - found.estimate  # the last bucket is cut where the window is no whole number of them
    return Interval(value, found.low + shift, found.high + shift, found.method, found.n, found.n_effective)


def _rate_of_repetitions(result: Result, kind: str, settings: Settings) -> Interval:
    tops, seconds = [], []
    for repetition in sorted(set(figures.repetitions(result.requests))):
        of = [r for r in result.requests if (r["repetition"] or 0) == repetition]
        (a, b), = spans(of) or [(0, 1)]
        good = figures.good(of)
        tops.append(sum(r["output_tokens"] for r in good) if kind == "output_tokens_per_s" else len(good))
        seconds.append((b - a) / 1e9)
    rates = np.array(tops) / np.array(seconds)
    half = float(stats.t.isf((1 - settings.confidence) / 2, len(rates) - 1) * stats.sem(rates))
    return Interval(float(rates.mean()), float(rates.mean()) - half, float(rates.mean()) + half, "Student, of repetitions", len(rates))


def goodput(result: Result) -> Interval | None:
    """Share of the offered requests that met every objective, with Wilson's interval; None without objectives."""
    slo = sweep.spec_of(result).get("slo") or []
    if not slo or not result.requests:
        return None
    good = figures.meets(result.requests, slo)
    test = stats.binomtest(int(good.sum()), len(good))
    bounds = test.proportion_ci(0.95, method="wilson")
    return Interval(float(good.mean()), float(bounds.low), float(bounds.high), "Wilson", len(good))


def slo_claims(result: Result) -> list[str]:
    """Each objective as a limit claim at the goodput target."""
    spec = sweep.spec_of(result)
    target = spec.get("goodput_target", sweep.DEFAULT_TARGET)
    lines = []
    for objective in spec.get("slo") or []:
        good = figures.meets(result.requests, [objective])
        claim = claims.of_counts(int((~good).sum()), len(good), target)
        what = f"{objective['metric']} {objective['op']} {objective['value_ms']:g} ms for {100 * target:g} %"
        lines.append(claim.text(what))
    return lines


def steadiness(result: Result) -> Steadiness:
    good = figures.good(result.requests)
    ttft = figures.samples(good)["ttft_intended"].values
    there = ~np.isnan(ttft)
    sent = np.array([r["intended_ns"] for r in good], dtype=float)[there] / 1e9
    parts = [figures.token_stamps(r) for r in result.everything]
    stamps = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    whole = (0, max((r["end_ns"] or 0 for r in result.everything), default=0) + 1)
    _, fast = steady.bucketed(stamps, None, 0.1, whole)
    seconds = (result.window[1] - result.window[0]) / 1e9
    at, series = steady.bucketed(stamps, None, 1.0 if seconds >= 20 else max(seconds / 20, 1e-6), result.window)
    growth, ttft_growth = steady.over_saturated(result.everything, result.window)
    return Steadiness(steady.stationarity(sent, ttft[there]), steady.stationarity(at, series), steady.mser5(fast) * 0.1,
                      steady.little_residual(result.everything, result.window),
                      len(series) / intervals.autocorrelation_time(series) if len(series) else math.nan,
                      growth.positive and ttft_growth.positive)
