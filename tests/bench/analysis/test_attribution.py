"""Shares of a gap, by hand for two switches and for any number without interaction."""

import itertools
import math

import numpy as np
import pytest

from bench.analysis import attribution


def cells(time_of, switches, rounds: int = 4) -> attribution.Cells:
    return {frozenset(on): np.full(rounds, time_of(set(on))) for k in range(len(switches) + 1) for on in itertools.combinations(switches, k)}


def by_name(shares) -> dict[str, float]:
    return {share.name: share.log_effect for share in shares}


def test_two_switches_by_hand():
    # Alone a halves and b thirds the time; together it is a twelfth, so the interaction is another half.
    times = {frozenset(): 12.0, frozenset("a"): 6.0, frozenset("b"): 4.0, frozenset("ab"): 1.0}
    found = attribution.attribute({on: np.full(3, t) for on, t in times.items()}, resamples=20)
    half = math.log(2) / 2
    assert by_name(found.shapley) == pytest.approx({"a": -math.log(2) - half, "b": -math.log(3) - half})
    assert by_name(found.main) == pytest.approx({"a": -math.log(2) - half, "b": -math.log(3) - half})
    assert by_name(found.interactions) == pytest.approx({"a × b": -math.log(2)})
    assert found.total.factor == pytest.approx(12)
    assert found.complete


def test_shapley_by_the_definition_over_all_orders():
    draw = np.random.default_rng(1)
    switches = "abcd"
    logs = {frozenset(on): draw.normal() for k in range(5) for on in itertools.combinations(switches, k)}
    found = attribution.attribute({on: np.full(2, math.exp(v)) for on, v in logs.items()}, resamples=5)
    expected = dict.fromkeys(switches, 0.0)
    orders = list(itertools.permutations(switches))
    for order in orders:
        for i, s in enumerate(order):
            expected[s] += (logs[frozenset(order[:i + 1])] - logs[frozenset(order[:i])]) / len(orders)
    assert by_name(found.shapley) == pytest.approx(expected)
    assert sum(by_name(found.shapley).values()) == pytest.approx(found.total.log_effect)
    for s in switches:  # a main effect is the mean over all settings of the others
        rest = [on for on in logs if s not in on]
        assert by_name(found.main)[s] == pytest.approx(np.mean([logs[on | {s}] - logs[on] for on in rest]))


def test_half_of_the_cells_determine_five_switches_and_their_pairs():
    switches = "abcde"
    whole = cells(lambda on: math.exp(-sum("abcde".index(s) + 1 for s in on) / 10 - 0.2 * ({"a", "b"} <= on)), switches)
    half = {on: times for on, times in whole.items() if len(on) % 2 == 0}  # resolution V: sixteen cells
    found = attribution.attribute(half, resamples=5)
    assert not found.complete
    assert by_name(found.interactions)["a × b"] == pytest.approx(-0.2)
    assert by_name(found.shapley) == pytest.approx({"a": -0.2, "b": -0.3, "c": -0.3, "d": -0.4, "e": -0.5})


def test_cells_that_do_not_determine_the_effects_are_refused():
    with pytest.raises(attribution.NotEnoughCells, match="2 cells do not determine 4 effects of 2 switches"):
        attribution.attribute({frozenset(): np.ones(3), frozenset("ab"): np.ones(3)})


def test_what_no_switch_explains_is_the_remainder():
    found = attribution.attribute(cells(lambda on: 8.0 / 2 ** len(on), "ab"), np.full(4, 1.0), resamples=10)
    assert found.remainder.log_effect == pytest.approx(-math.log(2))  # all on takes 2, the other 1
    assert attribution.percent_of_gap(found) == pytest.approx({"a": 100 / 3, "b": 100 / 3, "unexplained": 100 / 3})


def test_intervals_are_of_rounds_and_hold_the_truth():
    draw = np.random.default_rng(2)
    held = 0
    for _ in range(200):
        rounds = draw.normal(0, 0.2, 6)  # a round disturbs all of its cells
        noisy = {on: np.exp(-0.5 * len(on) + rounds + draw.normal(0, 0.05, 6)) for on in (frozenset(), frozenset("a"), frozenset("b"), frozenset("ab"))}
        share = attribution.attribute(noisy, resamples=300).shapley[0]
        held += share.low <= -0.5 <= share.high
    assert 0.88 <= held / 200 <= 0.99  # 95 %, within four standard errors of two hundred runs
