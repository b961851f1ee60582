"""The driving loop: closed loops up to where throughput stops growing, open loops around that rate, bisection of the SLO knee,
overload. Which load comes next depends on results alone, so that a search that was broken off goes on where it was."""

import math
from dataclasses import dataclass, field

from bench.analysis import render, saturation, summaries, sweep
from bench.analysis.knee.plan import BETWEEN_S, SEEDS_LAST, Load, Loads, Plan, shuffled
from bench.analysis.knee.progress import Progress
from bench.analysis.knee.runner import TRIES, Done, Runner
from bench.analysis.result import Refused, Result
from bench.analysis.saturation import Knee, LoadPoint

GROWS = 1.02  # throughput of twice as many in flight, over that of the best before
WAITS = 2.5  # length of a closed load in times that a user waits
LEAST_WAITS = 1.5
KEPT = 0.25  # of the time, for overload
SAME_RATE = 4  # loads of one rate whose requests together decide nothing: what tells them apart is out of reach


@dataclass(frozen=True)
class Measured:
    """A load and what counts of it."""

    done: Done
    counted: Result  # while it was sent
    point: LoadPoint

    @property
    def load(self) -> Load:
        return self.done.load


@dataclass
class Found:
    """All that a search measured; void loads are in no figure."""

    target: float
    closed: list[Measured] = field(default_factory=list)
    open: list[Measured] = field(default_factory=list)
    overload: list[Measured] = field(default_factory=list)
    void: list[Done] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def most(self) -> float:
        """Requests a second of the best closed loop."""
        return max((m.point.throughput for m in self.closed), default=math.nan)

    @property
    def open_points(self) -> list[LoadPoint]:
        return saturation.pooled([m.point for m in self.open])

    @property
    def slo_knee(self) -> Knee:
        return saturation.slo_knee(self.open_points, self.target)

    @property
    def queue_knee(self) -> Knee:
        return saturation.queue_knee(self.open_points)


class Search:
    def __init__(self, runner: Runner, loads: Loads, plan: Plan, progress: Progress):
        self.runner, self.loads, self.plan, self.progress = runner, loads, plan, progress
        self.found = Found(loads.base.get("goodput_target", sweep.DEFAULT_TARGET))

    def go(self) -> Found:
        self._closed_loops()
        if not self.found.closed:
            raise Refused("no closed loop came out valid: there is no rate to search around")
        self._open_loops()
        self._bisection()
        self._overloads()
        return self.found

    def _measure(self, load: Load, into: list[Measured]) -> Measured | None:
        self.progress.begins(load)
        done = self.runner.run(load, TRIES if self.progress.left_s > 2 * load.seconds else 1)
        if not done.valid or not done.result.requests:
            self.found.void.append(done)
            self.progress.ended(done, f"void: {done.result.state}")
            return None
        counted = sweep.while_sent(done.result)
        measured = Measured(done, counted, sweep.point_of(counted))
        into.append(measured)
        self.progress.ended(done, line(measured))
        return measured

    def _fits(self, load: Load, tail_s: float, kept_s: float = 0.0) -> bool:
        """`tail_s`: of answers after the last send; `kept_s`: for what must come after it."""
        if self.runner.known(load) or self.progress.left_s - kept_s >= load.seconds + tail_s + BETWEEN_S:
            return True
        self.found.skipped.append(f"{load.label}: no time left for {load.seconds:g} s")
        self.progress.note(self.found.skipped[-1])
        return False

    def _closed_loops(self) -> None:
        best = 0.0
        for level in self.plan.levels:
            waits = level / best if best else 0.0
            seconds = max(self.plan.load_s, min(WAITS * waits, self.plan.longest_s))
            if LEAST_WAITS * waits > seconds and level > SEEDS_LAST:
                self.found.skipped.append(f"closed-{level:03}: its users would wait {waits:.0f} s for an answer")
                return
            load = self.loads.closed(level, seconds)
            if level > 1 and not self._fits(load, waits):
                return
            measured = self._measure(load, self.found.closed)
            if measured is None:
                continue
            if level > SEEDS_LAST and measured.point.throughput < GROWS * best:
                return
            best = max(best, measured.point.throughput)

    def _reserve_s(self) -> float:
        return min(len(self.plan.factors) * self.plan.overload_s, KEPT * self.plan.budget_s)

    def _open_loops(self) -> None:
        for share in shuffled(self.plan.shares, self.loads.base["seed"]):
            load = self.loads.open(share * self.found.most, self.plan.load_s)
            if not self._fits(load, 2.0, self._reserve_s()):
                continue
            measured = self._measure(load, self.found.open)
            if measured and undecided(measured.point):
                longer = self.loads.open(load.at, 2 * self.plan.load_s, 1)
                if self._fits(longer, 2.0, self._reserve_s()):
                    self._measure(longer, self.found.open)

    def _bisection(self) -> None:
        for _ in range(self.plan.searches):
            rate = saturation.next_rate(self.found.open_points, self.found.target, self.found.most)
            if rate is None:
                return
            rate = float(f"{rate:.4g}")
            again = sum(m.load.at == rate for m in self.found.open) + sum(d.load.at == rate for d in self.found.void)
            load = self.loads.open(rate, 1.5 * self.plan.load_s, again)
            if again >= SAME_RATE or not self._fits(load, 2.0, self._reserve_s()):
                return
            self._measure(load, self.found.open)

    def _overloads(self) -> None:
        knees = [knee.value for knee in (self.found.slo_knee, self.found.queue_knee) if knee.found]
        for factor in self.plan.factors:
            load = self.loads.overload(factor, knees[0] if knees else self.found.most, self.plan.load_s)
            if self._fits(load, load.spec["clients"]["deadline_ms"] / 1000):
                self._measure(load, self.found.overload)


def undecided(point: LoadPoint) -> bool:
    """Neither steady nor over-saturated: one of the two slopes tells growth, the other does not."""
    return point.growth.positive != point.ttft_growth.positive


def line(measured: Measured) -> str:
    point = measured.point
    text = f"{render.number(point.throughput, 3)} requests/s, {render.number(point.in_flight, 3)} in flight"
    text += f", {point.n_good} of {point.n} good"
    if measured.load.kind != "closed" and point.over_saturated:
        text += ", over-saturated"
    return text


def error_of_rate(counted: Result) -> float:
    """Standard error of the requests a second."""
    found = summaries.rate(counted, "requests_per_s")
    return found.half_width / 1.96 if found.there else math.nan
