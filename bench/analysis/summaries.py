"""The figures of one result, each with its interval: what reports, comparisons and campaigns print."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bench.analysis import claims, distribution, figures, intervals, steady, sweep
from bench.analysis.distribution import Summary
from bench.analysis.intervals import Interval, Settings
from bench.analysis.result import Part, Result

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
    warmup_s: float  # MSER-5 on the 100-ms rate series, from the first request on
    little_residual: float
    rate_effective_n: float
    over_saturated: bool
    judged: bool  # the window is long enough

    @property
    def fault(self) -> str | None:
        """Why figures of this window are not those of a steady state."""
        if not self.judged:
            return None
        faults = [f"{name} drifts by {one.drift:.2g} % a minute" for name, one in (("TTFT", self.ttft), ("the rate", self.rate))
                  if one.drifts]
        faults += ["in flight and TTFT both grow (over-saturated)"] * self.over_saturated
        return ", ".join(faults) or None


@dataclass(frozen=True)
class ArmSummary:
    """Everything that tables show of one arm; a result without arms has one with an empty name."""

    name: str
    n_requests: int
    metrics: dict[str, MetricSummary]
    all_view: list[MetricSummary]
    rates: dict[str, Interval]
    goodput: Interval | None

    def everything(self) -> list[MetricSummary]:
        return [*self.metrics.values(), *self.all_view]


def of_arm(result: Result, arm: str, metrics: tuple[str, ...], settings: Settings) -> ArmSummary:
    of = result.of_arm(arm)
    return ArmSummary(
        arm, len(of.requests), {name: of_metric(of.requests, name, settings) for name in metrics},
        [of_all_view(of.requests, name, limit_ms(result)) for name in ("ttft_intended", "e2el_intended")],
        {kind: rate(of, kind, settings) for kind in ("output_tokens_per_s", "requests_per_s")}, goodput(of))


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


def rate(result: Result, kind: str, settings: Settings = Settings()) -> Interval:
    """output_tokens_per_s or requests_per_s, of one arm: over repetitions where there are several, else over seconds of the window."""
    rates = np.array([figures.rates(part.everything, part.window)[kind] for part in result.parts])
    if len(rates) > 1:
        mean, half = float(rates.mean()), float(stats.t.isf((1 - settings.confidence) / 2, len(rates) - 1) * stats.sem(rates))
        return Interval(mean, mean - half, mean + half, "Student, of repetitions", len(rates))
    part = result.parts[0]
    _, series = steady.bucketed(_stamps(part, kind), bucket_s(part), part.window)
    found = intervals.moving_block(series, settings=settings)
    shift = float(rates[0]) - found.estimate  # the last bucket is cut where the window is no whole number of them
    return Interval(float(rates[0]), found.low + shift, found.high + shift, found.method, found.n, found.n_effective)


def bucket_s(part: Part) -> float:
    """A second, or a twentieth of a window that is shorter than twenty."""
    seconds = (part.window[1] - part.window[0]) / 1e9
    return 1.0 if seconds >= 20 else seconds / 20


def _stamps(part: Part, kind: str) -> np.ndarray:
    if kind == "output_tokens_per_s":
        return np.concatenate([figures.token_stamps(r) for r in part.everything])
    return np.array([r["end_ns"] for r in figures.good(part.everything) if r["end_ns"] is not None], dtype=np.int64)


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


def steadiness(part: Part) -> Steadiness:
    good = figures.good(part.requests)
    ttft = figures.samples(good)["ttft_intended"].values
    there = ~np.isnan(ttft)
    sent = np.array([r["intended_ns"] for r in good], dtype=float)[there] / 1e9
    stamps = _stamps(part, "output_tokens_per_s")
    whole = (min(r["intended_ns"] for r in part.everything), max((r["end_ns"] or 0 for r in part.everything)) + 1)
    _, fast = steady.bucketed(stamps, 0.1, whole)
    at, series = steady.bucketed(stamps, bucket_s(part), part.window)
    growth, ttft_growth = steady.over_saturated(part.everything, part.window)
    return Steadiness(steady.stationarity(sent, ttft[there]), steady.stationarity(at, series), steady.mser5(fast) * 0.1,
                      steady.little_residual(part.everything, part.window),
                      len(series) / intervals.autocorrelation_time(series), growth.positive and ttft_growth.positive,
                      part.window[1] - part.window[0] >= steady.JUDGED_S * 1e9)


def unsteady(result: Result) -> list[str]:
    """One line for each part that was not steady, by the statistics that the client leaves to this side."""
    faults = [(part, steadiness(part).fault) for part in result.parts if part.requests]
    return [f"{part.arm} repetition {part.repetition} is not steady: {fault}.".strip() for part, fault in faults if fault]
