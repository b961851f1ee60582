"""Verdicts of A against B, from pairs whose answer is known."""

import math

import numpy as np
import pytest

from bench.analysis import verdict


def pairs(ratios, base=100.0):
    ratios = np.asarray(ratios, dtype=float)
    return np.full(len(ratios), base), base * ratios


@pytest.mark.parametrize("n, p", [(3, 2 / 8), (5, 2 / 32), (8, 2 / 256)])
def test_signs_that_all_agree_have_the_least_p_there_is(n, p):
    assert verdict.sign_flip(np.arange(1, n + 1.0)) == pytest.approx(p)


def test_sign_flip_by_hand():
    # Of the 8 patterns of ±1, ±2, ±3 the mean is as far from 0 as that of (-1, 2, 3), 4/3, in four: ±(−1+2+3), ±(1+2+3).
    assert verdict.sign_flip(np.array([-1.0, 2.0, 3.0])) == pytest.approx(4 / 8)


def test_many_pairs_are_drawn_at_random():
    draw = np.random.default_rng(1)
    assert verdict.sign_flip(draw.normal(0, 1, 30)) > 0.01
    assert verdict.sign_flip(draw.normal(2, 1, 30)) < 0.001


def test_holm_by_hand():
    # Sorted: 0.005·4, 0.01·3, 0.03·2, 0.04·1, each at least the one before.
    assert verdict.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert verdict.holm([0.5, 0.9]) == [1.0, 1.0]


def test_the_ratio_is_the_geometric_mean_with_students_interval():
    found = verdict.one("x", *pairs([1.0, 4.0]), higher_is_better=True)
    assert found.ratio == pytest.approx(2.0)  # the mean would be 2.5
    # Logs 0 and ln 4: mean ln 2, standard error ln 2, t of one degree at 97.5 % is 12.706.
    assert found.high == pytest.approx(math.exp(math.log(2) * 13.706), rel=1e-3)


@pytest.mark.parametrize("centre, better", [(0.9, False), (1.1, True)])
def test_better_and_worse_depend_on_the_direction(centre, better):
    a, b = pairs(centre * np.exp(np.linspace(-0.01, 0.01, 10)))
    assert verdict.one("x", a, b, higher_is_better=True).verdict == (verdict.BETTER if better else verdict.WORSE)
    assert verdict.one("x", a, b, higher_is_better=False).verdict == (verdict.WORSE if better else verdict.BETTER)


def test_within_the_threshold_is_the_same_even_if_significant():
    a, b = pairs(1.01 * np.exp(np.linspace(-0.002, 0.002, 10)))
    found = verdict.one("x", a, b, higher_is_better=True)
    assert found.low > 1 and found.p < 0.01
    assert found.verdict == "same within 2 %"
    assert verdict.one("x", a, b, True, threshold=0.005).verdict == verdict.BETTER


def test_noise_cannot_tell_and_says_how_many_pairs_would():
    a, b = pairs(np.exp([0.1, -0.1, 0.08, -0.09, 0.1, -0.07]))
    found = verdict.one("x", a, b, higher_is_better=True)
    assert found.verdict == verdict.CANNOT_TELL
    # ((1.645 + 1.282) · sd / ln 1.02)², and one
    sd = np.std(np.log(b / a), ddof=1)
    assert found.needed == pytest.approx((2.926 * sd / 0.0198) ** 2 + 1, rel=0.01)
    assert f"({found.needed} pairs would)" in found.text()


def test_five_pairs_can_never_be_significant():
    found = verdict.one("x", *pairs([2.0] * 3 + [2.1] * 2), higher_is_better=True)
    assert found.p == pytest.approx(2 / 32)
    assert found.verdict == verdict.CANNOT_TELL
    assert found.needed == 6  # 2 / 2^6 is the first below 5 %


def test_more_metrics_need_more_pairs():
    a, b = pairs(1.5 * np.exp(np.linspace(-0.01, 0.01, 6)))
    assert verdict.one("x", a, b, True).verdict == verdict.BETTER  # p = 2 / 64
    together = verdict.family({name: (a, b, True) for name in "wxyz"})
    assert {c.verdict for c in together} == {verdict.CANNOT_TELL}  # 4 · 2 / 64
    assert {c.needed for c in together} == {8}  # 4 · 2 / 2^8 is the first below 5 %


@pytest.mark.parametrize("n, told", [(8, False), (9, True)])
def test_the_unpaired_view_needs_nine_repetitions(n, told):
    a, b = pairs(1.2 * np.exp(np.linspace(-0.01, 0.01, n)))
    assert (verdict.one("x", a, b, True).p_unpaired is not None) == told


def test_pairs_with_a_missing_side_are_left_out():
    found = verdict.one("x", np.array([100.0, np.nan, 100.0, 0.0]), np.array([110.0, 110.0, 110.0, 110.0]), True)
    assert (found.n_pairs, found.ratio) == (2, pytest.approx(1.1))


@pytest.mark.parametrize("ratios, overall", [
    ((1.1, 0.8), verdict.WORSE), ((1.1, 1.0), verdict.BETTER), ((1.0, 1.0), "same within 2 %"), ((1.1, None), verdict.CANNOT_TELL),
    ((0.8, None), verdict.WORSE)])
def test_one_metric_that_is_worse_makes_it_worse_and_one_that_is_open_leaves_it_open(ratios, overall):
    metrics = {}
    for i, ratio in enumerate(ratios):
        spread = np.linspace(-0.001, 0.001, 12) if ratio else np.linspace(-1, 1, 12)
        metrics[str(i)] = (*pairs((ratio or 1.0) * np.exp(spread)), True)
    assert verdict.overall(verdict.family(metrics)) == overall
