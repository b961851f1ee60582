"""Statements about a share of requests: whether the requests seen support them, and how many would."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.99  # of a limit claim
SEARCH = 100_000_000  # requests; beyond it a claim is not worth making


@dataclass(frozen=True)
class Claim:
    """At least `share` of requests are within the limit."""

    share: float
    n: int
    n_over: int
    supported: bool
    needed: int | None  # requests that would support it at the rate of misses seen; None: no number would

    def text(self, what: str) -> str:
        if self.supported:
            return f"{what}: holds at {100 * CONFIDENCE:g} % confidence ({self.n_over} of {self.n} over)"
        if self.needed is None:
            return f"{what}: does not hold ({self.n_over} of {self.n} over)"
        return f"{what}: not shown by {self.n} requests; needs {self.needed}"


def supports(n_over: int, n: int, share: float) -> bool:
    """A binomial test: so few misses would be unlikely if the share were not kept."""
    return n > 0 and stats.binomtest(n_over, n, 1 - share, alternative="less").pvalue <= 1 - CONFIDENCE


def needed(n_over: int, n: int, share: float) -> int | None:
    """The least number of requests, at the rate of misses seen, whose test would support the share."""
    miss = n_over / n if n else 0.0
    if miss >= 1 - share:
        return None

    def enough(total: int) -> bool:
        return stats.binom.cdf(math.floor(miss * total), total, 1 - share) <= 1 - CONFIDENCE

    high = 1
    while not enough(high):
        high *= 2
        if high > SEARCH:
            return None
    low = high // 2  # not enough; the floor makes the test rise and fall a little, so this is within a few requests of the least
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def limit(values: np.ndarray, bound: float, share: float) -> Claim:
    n, n_over = len(values), int(np.sum(~(np.asarray(values) <= bound)))
    return of_counts(n_over, n, share)


def of_counts(n_over: int, n: int, share: float) -> Claim:
    supported = supports(n_over, n, share)
    return Claim(share, n, n_over, supported, None if supported else needed(n_over, n, share))


def verdict(n_good: int, n: int, target: float) -> str:
    """pass, fail or open: whether a share of good requests is at least, or under, its target, at 95 % each."""
    if n == 0:
        return "open"
    if n_good / n >= target and stats.binomtest(n_good, n, target, alternative="less").pvalue > 0.05:
        return "pass"
    return "fail" if stats.binomtest(n_good, n, target, alternative="less").pvalue <= 0.05 else "open"
