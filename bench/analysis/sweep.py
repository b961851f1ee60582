"""From results at several loads to the points and knees of saturation."""

import math
from dataclasses import dataclass, replace

import numpy as np

from bench.analysis import figures, saturation, steady
from bench.analysis.result import Part, Result
from bench.analysis.saturation import Knee, LoadPoint

DEFAULT_TARGET = 0.99
SETTLE = 0.1  # of the time in which a load is sent: it begins on an empty server
LEAST_CURVE = 5  # loads that make a curve
LEAST_SENT = 10  # requests of a load whose ends are cut off
STEADY_LAWS = ("constant", "poisson", "gamma")  # of one rate


@dataclass(frozen=True)
class Sweep:
    results: list[Result]  # in order of load
    points: list[LoadPoint]
    target: float

    @property
    def open_loop(self) -> bool:
        return all(math.isfinite(point.rate) for point in self.points)

    def load_of(self, i: int) -> float:
        """What the x axis shows: the offered rate, or mean in flight of a closed loop."""
        return self.points[i].rate if self.open_loop else self.points[i].in_flight

    @property
    def axis(self) -> str:
        return "offered rate, requests/s" if self.open_loop else "mean in flight"

    def knees(self) -> dict[str, Knee]:
        """Those that this kind of load has."""
        found = {"curve": saturation.curve_knee(self.points)} if len(self.points) >= LEAST_CURVE else {}
        if self.open_loop:
            found |= {"slo": saturation.slo_knee(self.points, self.target), "queue": saturation.queue_knee(self.points)}
        return found

    def usl(self) -> saturation.Usl | None:
        return saturation.fit_usl(np.array([p.in_flight for p in self.points]), np.array([p.throughput for p in self.points]))


def spec_of(result: Result) -> dict:
    """The spec as a tree; a spec that is kept as text has no members to read."""
    return result.document["spec"] if isinstance(result.document["spec"], dict) else {}


def sending(part: Part, settle: float) -> Part:
    """Of a load the time in which it is sent, less its first tenth: before, the server fills; after, it empties."""
    sent = sorted(r["intended_ns"] for r in part.requests)
    if len(sent) < LEAST_SENT:
        return part
    a, b = max(part.window[0], sent[0]), min(part.window[1], sent[-1])
    a += round(settle * (b - a))
    return replace(part, window=(a, b), requests=[r for r in part.requests if a <= r["intended_ns"] < b])


def while_sent(result: Result) -> Result:
    """A workload that says itself what counts is taken at its word."""
    spec = spec_of(result)
    settled = spec.get("warmup", {}).get("seconds") or spec.get("steady", {}).get("mode") == "fixed"
    return replace(result, parts=[sending(part, 0.0 if settled else SETTLE) for part in result.parts])


def offered_rate(result: Result) -> float:
    """Requests a second: as the workload says, or counted where its rate changes; NaN in a closed loop, where the server decides."""
    arrival = spec_of(result).get("arrival", {})
    if arrival.get("law") in ("closed", "burst", None):
        return math.nan
    if arrival["law"] in STEADY_LAWS:
        return float(arrival["rate"])
    return len(result.requests) / sum((part.window[1] - part.window[0]) / 1e9 for part in result.parts)


def point_of(result: Result) -> LoadPoint:
    """Repetitions together; of their growths that in the middle."""
    good = figures.meets(result.requests, spec_of(result).get("slo") or [])
    growths = sorted((steady.over_saturated(part.everything, part.window) for part in result.parts), key=lambda pair: pair[0].slope)
    growth, ttft_growth = growths[len(growths) // 2]
    held = [steady.mean_in_flight(part.everything, part.window) for part in result.parts]
    rates = [figures.rates(part.everything, part.window)["requests_per_s"] for part in result.parts]
    return LoadPoint(rate=offered_rate(result), in_flight=float(np.mean(held)), throughput=float(np.mean(rates)), n=len(result.requests),
                     n_good=int(good.sum()), growth=growth, ttft_growth=ttft_growth)


def result_counts(result: Result) -> bool:
    return result.state == "ok" and bool(result.requests)


def of(results: list[Result]) -> Sweep | None:
    """Of the valid ones. None of fewer than three loads, or where open and closed loops are mixed."""
    points = [(counted, point_of(counted)) for counted in map(while_sent, results) if result_counts(counted)]
    kinds = {math.isfinite(point.rate) for _, point in points}
    if len(points) < 3 or len(kinds) > 1:
        return None
    points.sort(key=lambda pair: pair[1].rate if kinds == {True} else pair[1].in_flight)
    targets = [spec_of(result).get("goodput_target", DEFAULT_TARGET) for result, _ in points]
    return Sweep([result for result, _ in points], [point for _, point in points], targets[0])
