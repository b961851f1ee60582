"""A against B: what the pairs of repetitions say about their ratio.

A pair is one repetition of each arm, run side by side; its statistic is the logarithm of B over A. The interval is Student's of
the mean of these (BCa of so few pairs is too narrow: the self-test shows its coverage), the p-value that of flipped signs.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

THRESHOLD = 0.02  # smallest effect of interest
ALPHA = 0.05
POWER = 0.8
LEAST_UNPAIRED = 9  # repetitions a side for the Mann–Whitney test
EXACT_PAIRS = 13  # all 2^n sign patterns up to here, RESAMPLES random ones beyond
RESAMPLES = 10_000
BETTER, WORSE, SAME, CANNOT_TELL = "better", "worse", "same within 2 %", "cannot tell"


@dataclass(frozen=True)
class Comparison:
    metric: str
    higher_is_better: bool
    n_pairs: int
    ratio: float  # geometric mean of B / A
    low: float
    high: float
    p: float  # sign-flip permutation, two-sided
    p_holm: float  # corrected for the metrics shown
    p_unpaired: float | None  # Mann–Whitney; None: too few
    equivalent: bool  # two one-sided tests within the threshold
    needed: int  # pairs that would tell
    threshold: float = THRESHOLD

    @property
    def verdict(self) -> str:
        if self.equivalent:
            return same_within(self.threshold)
        away = abs(math.log(self.ratio)) > math.log1p(self.threshold) if self.ratio > 0 else False
        if self.p_holm <= ALPHA and away and not self.low <= 1 <= self.high:
            return BETTER if (self.ratio > 1) == self.higher_is_better else WORSE
        return CANNOT_TELL

    def text(self) -> str:
        verdict = self.verdict
        more = f" ({self.needed} pairs would)" if verdict == CANNOT_TELL else ""
        return f"{self.ratio:.4f} [{self.low:.4f}, {self.high:.4f}] {verdict}{more}"


def same_within(threshold: float) -> str:
    return SAME if threshold == THRESHOLD else f"same within {100 * threshold:g} %"


def sign_flip(logs: np.ndarray, seed: int = 0) -> float:
    """Two-sided p of the mean being 0, under exchange of A and B inside each pair."""
    if len(logs) < 2 or np.all(logs == 0):
        return 1.0
    resamples = math.inf if len(logs) <= EXACT_PAIRS else RESAMPLES
    found = stats.permutation_test((logs,), np.mean, permutation_type="samples", vectorized=True, n_resamples=resamples,
                                   alternative="two-sided", rng=np.random.default_rng(seed))
    return float(found.pvalue)


def holm(p_values: list[float]) -> list[float]:
    """Step-down corrected p-values, in the order given."""
    order = np.argsort(p_values, kind="stable")
    m = len(p_values)
    stepped = np.maximum.accumulate([(m - i) * p_values[k] for i, k in enumerate(order)])
    corrected = np.empty(m)
    corrected[order] = np.minimum(stepped, 1.0)
    return [float(p) for p in corrected]


def equivalent(logs: np.ndarray, threshold: float = THRESHOLD) -> bool:
    """Two one-sided t tests: the mean lies above -log(1 + threshold) and below log(1 + threshold)."""
    if len(logs) < 2:
        return False
    bound = math.log1p(threshold)
    if np.ptp(logs) == 0:
        return abs(float(logs[0])) < bound
    above = stats.ttest_1samp(logs, -bound, alternative="greater").pvalue
    below = stats.ttest_1samp(logs, bound, alternative="less").pvalue
    return bool(max(above, below) <= ALPHA)


def needed_pairs(logs: np.ndarray, threshold: float, n_metrics: int) -> int:
    """Pairs that would tell with the power wanted: an effect as large as seen, where it is over the threshold, else that there is none.
    At least those with which anything can be significant: n pairs have no smaller p than 2 / 2^n, and Holm divides the level."""
    floor = math.ceil(math.log2(2 * n_metrics / ALPHA))
    if len(logs) < 2:
        return floor
    spread, effect, bound = float(np.std(logs, ddof=1)), abs(float(np.mean(logs))), math.log1p(threshold)
    if effect > bound:
        z, margin = stats.norm.isf(ALPHA / 2) + stats.norm.isf(1 - POWER), effect
    else:
        z, margin = stats.norm.isf(ALPHA) + stats.norm.isf((1 - POWER) / 2), bound
    return max(floor, math.ceil((z * spread / margin) ** 2) + 1)


def one(metric: str, a: np.ndarray, b: np.ndarray, higher_is_better: bool, threshold: float = THRESHOLD) -> Comparison:
    """a[i] and b[i] are one pair; pairs with a figure that is missing or not positive are left out."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    with np.errstate(invalid="ignore"):
        there = (a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b)
    a, b = a[there], b[there]
    logs = np.log(b) - np.log(a)
    n = len(logs)
    centre = float(logs.mean()) if n else math.nan
    half = float(stats.t.isf(ALPHA / 2, n - 1) * stats.sem(logs)) if n > 1 else math.nan
    unpaired = None
    if n >= LEAST_UNPAIRED:
        unpaired = float(stats.mannwhitneyu(a, b).pvalue)
    p = sign_flip(logs) if n > 1 else 1.0
    return Comparison(metric, higher_is_better, n, math.exp(centre), math.exp(centre - half), math.exp(centre + half), p, p,
                      unpaired, equivalent(logs, threshold), needed_pairs(logs, threshold, 1), threshold)


def family(metrics: dict[str, tuple[np.ndarray, np.ndarray, bool]], threshold: float = THRESHOLD) -> list[Comparison]:
    """All metrics that are shown together: name → (a, b, whether more is better)."""
    found = [one(name, a, b, better, threshold) for name, (a, b, better) in metrics.items()]
    corrected = holm([c.p for c in found])
    done = []
    for comparison, p in zip(found, corrected, strict=True):
        a, b, _ = metrics[comparison.metric]
        with np.errstate(invalid="ignore", divide="ignore"):
            logs = np.log(np.asarray(b, dtype=float) / np.asarray(a, dtype=float))
        logs = logs[np.isfinite(logs)]
        done.append(replace(comparison, p_holm=p, needed=needed_pairs(logs, threshold, len(found))))
    return done


def overall(comparisons: list[Comparison]) -> str:
    """worse if anything is worse; cannot tell if nothing is and something is open; else same or better."""
    verdicts = [c.verdict for c in comparisons]
    if WORSE in verdicts:
        return WORSE
    if CANNOT_TELL in verdicts or not verdicts:
        return CANNOT_TELL
    return BETTER if BETTER in verdicts else same_within(comparisons[0].threshold)
