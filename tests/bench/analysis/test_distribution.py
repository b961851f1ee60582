"""Percentiles against hand values, and when none is shown."""

import numpy as np
import pytest

from bench.analysis import distribution


def test_linear_percentiles_of_three_values():
    values = np.array([4.0, 1.0, 2.0])
    assert distribution.linear(values, 50) == 2.0
    assert distribution.linear(values, 95) == pytest.approx(3.8)  # at 1.9 of 0..2, between 2 and 4


@pytest.mark.parametrize("percent, rank", [(1, 1), (5, 1), (50, 10), (95, 19), (99, 20), (99.9, 20)])
def test_nearest_rank_of_twenty(percent, rank):
    assert distribution.nearest(np.arange(20, 0, -1.0), percent) == rank


def test_nearest_rank_is_exact_where_floating_point_is_not():
    assert distribution.nearest(np.arange(1, 1001.0), 99.9) == 999  # 0.999 × 1000 is 999, not a little more
    assert distribution.nearest(np.arange(1, 101.0), 29) == 29  # 0.29 × 100 is 28.999… in binary


@pytest.mark.parametrize("percent, n", [(50, 20), (75, 40), (90, 100), (95, 200), (99, 1000), (99.9, 10000)])
def test_a_percentile_is_withheld_below_the_needed_number(percent, n):
    assert distribution.needed(percent) == n
    assert distribution.withheld(n - 1, percent)
    assert not distribution.withheld(n, percent)


def test_a_summary_of_99_values_shows_no_p90_and_says_what_it_needs():
    found = distribution.summary(np.arange(1, 100.0))
    assert (found.n, found.mean, found.least, found.greatest) == (99, 50.0, 1.0, 99.0)
    assert found.linear[75.0] == 74.5
    assert 90.0 not in found.linear and 90.0 not in found.nearest
    assert found.withheld == {90.0: 100, 95.0: 200, 99.0: 1000, 99.9: 10000}


def test_a_summary_of_nothing_shows_nothing():
    found = distribution.summary(np.array([]))
    assert (found.n, found.linear) == (0, {})
    assert np.isnan(found.mean)
