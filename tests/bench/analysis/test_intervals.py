"""Intervals against other ways to the same number: numpy on repeated values, closed forms, the binomial table."""

import math

import numpy as np
import pytest
from scipy import signal, stats

from bench.analysis import intervals
from bench.analysis.figures import Sample
from bench.analysis.intervals import Settings


def test_weighted_statistics_are_those_of_the_repeated_values():
    draw = np.random.default_rng(1)
    values, weights, percents = np.sort(draw.normal(size=60)), draw.integers(0, 4, size=(25, 60)), (1.0, 25.0, 50.0, 99.0)
    found = intervals._statistics(values, weights, percents)
    for row, repeats in zip(found, weights, strict=True):
        repeated = np.repeat(values, repeats)
        assert row == pytest.approx([repeated.mean(), *np.percentile(repeated, percents)])


def test_draws_keep_repetitions_whole_in_number():
    # Repetitions of 2, 3 and 5 requests: what is drawn of each is a multiple of its size, and three are drawn.
    groups = [np.array([0, 1]), np.array([2, 3, 4]), np.array([5, 6, 7, 8, 9])]
    weights = intervals._weights(groups, 10, 200, np.random.default_rng(2))
    times = np.array([weights[:, group].sum(axis=1) / group.size for group in groups])
    assert np.array_equal(times, times.astype(int))
    assert np.all(times.sum(axis=0) == 3)
    assert len(np.unique(weights[:, 0])) > 2  # inside a repetition requests are drawn again


def test_the_interval_of_few_repetitions_is_as_wide_as_students():
    # Requests that do not differ inside a repetition: then the answer is known, it is Student's of the five means.
    means = np.array([9.0, 10.0, 11.0, 10.5, 9.5])
    sample = Sample(np.repeat(means, 20), np.arange(100))
    found = intervals.hierarchical(sample, np.repeat(np.arange(5), 20), (), Settings(resamples=20_000))[0]
    student = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert found.estimate == pytest.approx(10.0)
    assert found.half_width == pytest.approx((student.high - student.low) / 2, rel=0.06)


def test_one_repetition_of_one_request_has_no_interval():
    found = intervals.hierarchical(Sample(np.array([3.0]), np.array([0])), np.array([0]), (50.0,))
    assert [i.estimate for i in found] == [3.0, 3.0]
    assert not any(i.there for i in found)


def test_tokens_of_a_request_are_not_independent():
    # Each of 50 requests has one speed: 1000 tokens are worth 50 values, and the interval is √20 times as wide.
    draw = np.random.default_rng(3)
    values = np.repeat(draw.normal(20, 2, 50), 20)
    found = intervals.hierarchical(Sample(values, np.repeat(np.arange(50), 20)), np.zeros(50, dtype=int))[0]
    naive = 1.96 * values.std() / math.sqrt(1000)
    assert found.half_width == pytest.approx(naive * math.sqrt(20), rel=0.1)


def test_the_median_of_ten_lies_between_the_second_and_the_ninth():
    # P(2 ≤ Bin(10, 1/2) ≤ 8) = 1 - 2·11/1024 = 97.9 %; one rank further in it is 89.1 %.
    found = intervals.quantile(np.arange(1, 11.0), 0.5)
    assert (found.low, found.high) == (2, 9)


def test_a_quantile_that_so_few_values_cannot_bound_has_no_upper_bound():
    assert not math.isfinite(intervals.quantile(np.arange(20.0), 0.99).high)


def test_a_ratio_is_of_sums_not_of_means():
    found = intervals.ratio(np.array([10.0, 90.0]), np.array([1.0, 3.0]), Settings(resamples=500))
    assert found.estimate == 25.0  # the mean of 10 and 30 is 20


@pytest.mark.parametrize("coefficient, expected", [(0.0, 1.0), (0.5, 3.0), (0.8, 9.0)])
def test_autocorrelation_time_of_a_first_order_process(coefficient, expected):
    # (1 + ρ) / (1 - ρ)
    noise = np.random.default_rng(4).normal(size=50_000)
    found = intervals.autocorrelation_time(signal.lfilter([1], [1, -coefficient], noise))
    assert found == pytest.approx(expected, rel=0.15)


def test_a_dependent_series_is_worth_fewer_values_and_has_a_wider_interval():
    noise = np.random.default_rng(5).normal(size=4000)
    free = intervals.moving_block(noise, settings=Settings(resamples=1000))
    bound = signal.lfilter([1], [1, -0.8], noise)
    found = intervals.moving_block(bound, settings=Settings(resamples=1000))
    assert free.n_effective == pytest.approx(4000, rel=0.15)
    assert found.n_effective == pytest.approx(4000 / 9, rel=0.3)
    # √9 times that of as many independent values of the same spread
    assert found.half_width == pytest.approx(3 * 1.96 * bound.std() / math.sqrt(4000), rel=0.25)


def test_the_same_seed_gives_the_same_interval():
    values = np.random.default_rng(6).normal(size=50)
    assert intervals.mean(values, Settings(resamples=300)) == intervals.mean(values, Settings(resamples=300))
    assert intervals.mean(values, Settings(resamples=300)) != intervals.mean(values, Settings(resamples=300, seed=1))
