"""Whether a figure is known precisely enough for its load to end: what `mie bench run` asks between the rounds of a load.

The looks are fixed beforehand, and each spends its equal share of the 5 % (Bonferroni: the looks depend on each other), so that the
interval at whichever look the load ends holds the figure in 95 % of loads.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.analysis import figures, result
from bench.analysis.intervals import Interval, Settings, moving_block

ALPHA = 0.05  # of all looks together
RESAMPLES = 2000


@dataclass(frozen=True)
class Precision:
    """What is to be known, as `requests.precision` says it."""

    metric: str
    quantile: float
    rel_ci: float  # half the interval's width over the figure
    looks: int

    @property
    def confidence(self) -> float:
        return 1 - ALPHA / self.looks


def interval(requests: list[dict], wanted: Precision) -> Interval:
    """In the order of arrival, by moving blocks: neighbours in a load wait behind each other."""
    good = sorted(figures.good([r for r in requests if not r["warmup"]]), key=lambda r: r["intended_ns"])
    values = figures.sample(good, wanted.metric).defined

    def quantile(series: np.ndarray, axis: int) -> np.ndarray:
        return np.quantile(series, wanted.quantile, axis=axis)

    return moving_block(values, quantile, Settings(confidence=wanted.confidence, resamples=RESAMPLES))


def enough(found: Interval, wanted: Precision) -> bool:
    return bool(found.there and found.half_width <= wanted.rel_ci * abs(found.estimate))


def look(file: Path, wanted: Precision) -> str:
    """One line of JSON; seconds, null for what too few requests do not tell."""
    requests = result.read_requests(file.read_text(encoding="utf-8"), str(file))
    found = interval(requests, wanted)
    figures_s = {"estimate_s": found.estimate, "half_width_s": found.half_width}
    return json.dumps({name: value / 1000 if math.isfinite(value) else None for name, value in figures_s.items()} | {
        "n": found.n, "confidence": wanted.confidence, "precise": enough(found, wanted)})
