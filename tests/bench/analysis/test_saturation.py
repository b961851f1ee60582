"""Knees and the scalability law on curves whose answer is known."""

import math

import numpy as np
import pytest

from bench.analysis import saturation
from bench.analysis.saturation import LoadPoint
from bench.analysis.steady import Slope

FLAT, GROWING = Slope(0.0, -1.0, 1.0), Slope(2.0, 1.0, 3.0)


def point(rate: float, share: float = 1.0, grows: bool = False, n: int = 10_000) -> LoadPoint:
    growth = GROWING if grows else FLAT
    return LoadPoint(rate, rate, rate, n, round(share * n), growth, growth)


def test_the_slo_knee_lies_between_passing_and_failing_loads():
    knee = saturation.slo_knee([point(1), point(2), point(3, 0.9899), point(4, 0.5)], 0.99)
    assert (knee.value, knee.low, knee.high) == (2, 2, 4)  # at 3 nothing can be said


def test_a_load_that_passes_above_one_that_fails_does_not_count():
    assert saturation.slo_knee([point(1), point(2, 0.5), point(3)], 0.99).value == 1


def test_no_knee_where_all_fail_and_no_end_where_all_pass():
    assert not saturation.slo_knee([point(1, 0.5)], 0.99).found
    assert saturation.slo_knee([point(1)], 0.99).high == math.inf


def test_bisection_finds_a_capacity_to_a_hundredth():
    points, rates = [], []
    while (rate := saturation.next_rate(points, 0.99, 1.0)) is not None:
        rates.append(rate)
        points.append(point(rate, 1.0 if rate <= 37.0 else 0.2))
        assert len(rates) < 30
    knee = saturation.slo_knee(points, 0.99)
    assert knee.low <= 37.0 < knee.high
    assert knee.high / knee.low <= 1.01


def test_bisection_goes_down_when_the_first_load_fails():
    assert saturation.next_rate([point(8, 0.5)], 0.99, 8.0) == 4.0


def test_the_queue_knee_ignores_one_growing_load_among_those_that_hold():
    points = [point(1), point(2, grows=True), point(3), point(4, grows=True), point(5, grows=True)]
    knee = saturation.queue_knee(points)
    assert (knee.value, knee.high) == (3, 4)


def test_kneedle_of_a_curve_that_turns_at_its_corner():
    x = np.arange(1, 33)
    assert saturation.kneedle(x, np.minimum(x, 8)) == 8


def test_kneedle_of_a_saturating_curve():
    # 1 - exp(-x/2) on [0, 10] scaled to its end is furthest above its chord where exp(-x/2) = (1 - exp(-5)) / 5: x = 3.23.
    x = np.linspace(0, 10, 1001)
    assert saturation.kneedle(x, 1 - np.exp(-x / 2)) == pytest.approx(2 * math.log(5 / (1 - math.exp(-5))), abs=0.02)


def test_the_scalability_law_is_found_again():
    n = np.array([1, 2, 4, 8, 16, 32, 64, 128], dtype=float)
    fit = saturation.fit_usl(n, saturation.usl(n, 12.0, 0.05, 0.001))
    assert (fit.rate[0], fit.sigma[0], fit.kappa[0]) == pytest.approx((12.0, 0.05, 0.001), rel=1e-3)
    assert fit.best_n[0] == pytest.approx(math.sqrt(0.95 / 0.001), rel=1e-3)
    assert fit.at(np.array([1.0])) == pytest.approx(12.0)


def test_the_laws_intervals_hold_what_noise_hides():
    n = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256], dtype=float)
    noise = np.random.default_rng(1).normal(0, 0.02, 9)
    fit = saturation.fit_usl(n, saturation.usl(n, 10.0, 0.02, 1e-4) * (1 + noise))
    assert fit.sigma[1] <= 0.02 <= fit.sigma[2]
    assert fit.kappa[1] <= 1e-4 <= fit.kappa[2]
    assert fit.best_n[1] <= 99 <= fit.best_n[2]


def test_four_loads_are_too_few_for_three_coefficients_and_an_error():
    assert saturation.fit_usl(np.array([1, 2, 4, 8]), np.array([1, 2, 3.5, 5])) is None


def test_knees_that_differ_by_over_ten_percent_are_explained():
    knees = {name: saturation.Knee(value, value, value, "requests/s") for name, value in (("slo", 8.0), ("queue", 10.0), ("curve", 9.0))}
    assert "the slo knee (8) lies 20 % under the queue knee (10)" in saturation.disagreement(knees)
    knees["slo"] = saturation.Knee(9.5, 9.5, 9.5, "requests/s")
    knees["curve"] = saturation.Knee(9.3, 9.3, 9.3, "requests/s")
    assert saturation.disagreement(knees) is None
