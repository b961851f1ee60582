"""Percentiles of a sample: exact order statistics, and when one may not be shown."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

PERCENTILES = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)


def linear(values: np.ndarray, percent: float) -> float:
    """Between neighbours at (n - 1)·p; what is shown."""
    return float(np.percentile(values, percent, method="linear"))


def nearest(values: np.ndarray, percent: float) -> float:
    """Nearest rank: the value at ⌈p·n⌉, one that was measured."""
    rank = math.ceil(Fraction(str(percent)) / 100 * len(values))
    return float(np.partition(values, max(rank, 1) - 1)[max(rank, 1) - 1])


def needed(percent: float) -> int:
    """Requests without which a percentile says nothing: 10 / (1 - p), so that ten lie above it."""
    return math.ceil(10 / (1 - Fraction(str(percent)) / 100))


def withheld(n: int, percent: float) -> bool:
    return n < needed(percent)


@dataclass(frozen=True)
class Summary:
    n: int
    mean: float
    sd: float
    least: float
    greatest: float
    linear: dict[float, float]  # percent → value; those that are not withheld
    nearest: dict[float, float]
    withheld: dict[float, int]  # percent → requests needed


def summary(values: np.ndarray) -> Summary:
    values = np.asarray(values, dtype=float)
    n = values.size
    shown = [p for p in PERCENTILES if not withheld(n, p)]
    return Summary(
        n=n,
        mean=float(values.mean()) if n else math.nan,
        sd=float(values.std(ddof=1)) if n > 1 else math.nan,
        least=float(values.min()) if n else math.nan,
        greatest=float(values.max()) if n else math.nan,
        linear={p: linear(values, p) for p in shown},
        nearest={p: nearest(values, p) for p in shown},
        withheld={p: needed(p) for p in PERCENTILES if p not in shown})
