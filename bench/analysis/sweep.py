"""From results at several loads to the points and knees of saturation."""

import math
from dataclasses import dataclass

import numpy as np

from bench.analysis import figures, saturation, steady
from bench.analysis.result import Result
from bench.analysis.saturation import Knee, LoadPoint

DEFAULT_TARGET = 0.99


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
        found = {"curve": saturation.curve_knee(self.points)}
        if self.open_loop:
            found |= {"slo": saturation.slo_knee(self.points, self.target), "queue": saturation.queue_knee(self.points)}
        return found

    def usl(self) -> saturation.Usl | None:
        return saturation.fit_usl(np.array([p.in_flight for p in self.points]), np.array([p.throughput for p in self.points]))


def spec_of(result: Result) -> dict:
    """The spec as a tree; a spec that is kept as text has no members to read."""
    return result.document["spec"] if isinstance(result.document["spec"], dict) else {}


def offered_rate(result: Result) -> float:
    """Requests a second offered in the windows; NaN in a closed loop, where the server decides."""
    if spec_of(result).get("arrival", {}).get("law") in ("closed", "burst", None):
        return math.nan
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


def of(results: list[Result]) -> Sweep | None:
    """None of fewer than three loads, or where open and closed loops are mixed."""
    points = [(result, point_of(result)) for result in results]
    kinds = {math.isfinite(point.rate) for _, point in points}
    if len(points) < 3 or len(kinds) > 1:
        return None
    points.sort(key=lambda pair: pair[1].rate if kinds == {True} else pair[1].in_flight)
    targets = [spec_of(result).get("goodput_target", DEFAULT_TARGET) for result, _ in points]
    return Sweep([result for result, _ in points], [point for _, point in points], targets[0])
