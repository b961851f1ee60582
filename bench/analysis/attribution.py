"""Whose share of a gap is whose: switches measured on and off, in logarithms of time, so that effects add up.

A cell is a set of switches that are on; it holds one time for each round, and the rounds of all cells were interleaved. With all
2^k cells everything is exact; with fewer, main effects and interactions of two are fitted, and the rest is assumed to be none.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

RESAMPLES = 10_000
Cells = dict[frozenset[str], np.ndarray]  # switches that are on → seconds of each round


class NotEnoughCells(Exception):
    """The cells measured do not determine the effects."""


@dataclass(frozen=True)
class Share:
    name: str
    log_effect: float  # change of log time when it is switched on; negative: faster
    low: float
    high: float

    @property
    def factor(self) -> float:
        """How many times faster it makes it."""
        return math.exp(-self.log_effect)


@dataclass(frozen=True)
class Attribution:
    switches: list[str]
    main: list[Share]  # mean over the other switches
    interactions: list[Share]  # of two: what both together do beyond the sum
    shapley: list[Share]  # sums to `total`
    total: Share  # all on against all off
    remainder: Share | None  # the comparator against all on: what no switch explains
    complete: bool  # all 2^k cells


def _design(subsets: list[frozenset[str]], switches: list[str], terms: list[tuple[str, ...]]) -> np.ndarray:
    """[n_cells, n_terms]: 1 where all switches of a term are on; the empty term is the cell with none."""
    return np.array([[float(set(term) <= subset) for term in terms] for subset in subsets])


def _terms(switches: list[str], order: int) -> list[tuple[str, ...]]:
    return [term for size in range(order + 1) for term in itertools.combinations(switches, size)]


def _effects(coefficients: dict[tuple[str, ...], np.ndarray], switches: list[str]) -> dict[str, dict]:
    """Of a polynomial in switches that are 0 or 1: a term of m switches gives 1/m to each in Shapley's sense, and 1/2^(m-1) of
    itself to the main effect of each, where the others are on in half of the cells."""
    main = {s: sum(c / 2 ** (len(term) - 1) for term, c in coefficients.items() if s in term) for s in switches}
    shapley = {s: sum(c / len(term) for term, c in coefficients.items() if s in term) for s in switches}
    pairs = {pair: sum(c / 2 ** (len(term) - 2) for term, c in coefficients.items() if set(pair) <= set(term))
             for pair in itertools.combinations(switches, 2)}
    return {"main": main, "shapley": shapley, "pairs": pairs}


def attribute(cells: Cells, comparator: np.ndarray | None = None, resamples: int = RESAMPLES, seed: int = 0) -> Attribution:
    switches = sorted(set().union(*cells))
    subsets = list(cells)
    n_rounds = min(len(times) for times in cells.values())
    complete = len(cells) == 2 ** len(switches)
    terms = _terms(switches, len(switches) if complete else min(2, len(switches)))
    design = _design(subsets, switches, terms)
    if np.linalg.matrix_rank(design) < len(terms):
        raise NotEnoughCells(f"{len(cells)} cells do not determine {len(terms)} effects of {len(switches)} switches")
    logs = np.array([np.log(cells[subset][:n_rounds]) for subset in subsets])  # [n_cells, n_rounds]
    other = np.log(comparator[:n_rounds]) if comparator is not None else None
    # A round is the unit: what disturbed it disturbed all of its cells.
    picks = np.random.default_rng(seed).integers(0, n_rounds, size=(resamples, n_rounds))
    columns = np.column_stack([logs.mean(axis=1), logs[:, picks].mean(axis=2)])  # the figure, then its resamples
    solved = np.linalg.pinv(design) @ columns
    coefficients = {term: solved[i] for i, term in enumerate(terms) if term}
    found = _effects(coefficients, switches)
    zero = np.zeros(columns.shape[1])
    total = sum((solved[i] for i, term in enumerate(terms) if term), zero)
    remainder = None
    if other is not None:
        against = np.concatenate([[other.mean()], other[picks].mean(axis=1)])
        remainder = _share("unexplained", against - (solved[0] + total), n_rounds)
    return Attribution(
        switches,
        [_share(s, zero + found["main"][s], n_rounds) for s in switches],
        [_share(" × ".join(pair), zero + effect, n_rounds) for pair, effect in found["pairs"].items()],
        [_share(s, zero + found["shapley"][s], n_rounds) for s in switches],
        _share("all on against all off", total, n_rounds), remainder, complete)


def _share(name: str, draws: np.ndarray, n_rounds: int) -> Share:
    """The interval is stretched as Student's is for so few rounds, and for the bootstrap's division by n instead of n - 1."""
    if n_rounds < 2:
        return Share(name, float(draws[0]), math.nan, math.nan)
    low, high = np.quantile(draws[1:], [0.025, 0.975]) - draws[0]
    stretch = stats.t.isf(0.025, n_rounds - 1) / stats.norm.isf(0.025) * math.sqrt(n_rounds / (n_rounds - 1))
    return Share(name, float(draws[0]), float(draws[0] + stretch * low), float(draws[0] + stretch * high))


def percent_of_gap(attribution: Attribution) -> dict[str, float]:
    """Shapley shares of the gap between all off and the comparator, or all on without one; the remainder is a row of its own."""
    rest = attribution.remainder.log_effect if attribution.remainder else 0.0
    gap = attribution.total.log_effect + rest
    shares = {share.name: 100 * share.log_effect / gap for share in attribution.shapley}
    return shares | ({"unexplained": 100 * rest / gap} if attribution.remainder else {})
