"""Warm-up, drift, in flight and slopes on series whose answer is known."""

import made_results as made
import numpy as np
import pytest

from bench.analysis import steady


def test_mser_leaves_out_the_start_that_differs():
    draw = np.random.default_rng(1)
    series = np.concatenate([np.linspace(0, 100, 40), 100 + draw.normal(0, 1, 160)])
    assert 35 <= steady.mser5(series) <= 45


def test_mser_leaves_out_at_most_half():
    assert steady.mser5(np.concatenate([np.zeros(160), np.full(40, 100.0)])) <= 100


@pytest.mark.parametrize("series", [np.full(100, 7.0), np.arange(10.0)])
def test_mser_leaves_nothing_out_of_a_constant_or_a_very_short_series(series):
    assert steady.mser5(series) == 0


def spans(*pairs) -> list[dict]:
    return [made.request(i, a, b - a, ()) for i, (a, b) in enumerate(pairs)]


def test_in_flight_is_a_sweep_over_half_open_intervals():
    stamps, counts = steady.in_flight(spans((0, 10), (10, 20), (5, 15)))
    assert (stamps / made.MS).tolist() == [0, 5, 10, 15, 20]
    assert counts.tolist() == [1, 2, 2, 1, 0]  # at 10 one ends as another begins


def test_mean_in_flight_is_exact_and_of_the_window():
    requests = spans((0, 10), (10, 20), (5, 15))
    assert steady.mean_in_flight(requests, (0, 20 * made.MS)) == 1.5
    assert steady.mean_in_flight(requests, (5 * made.MS, 15 * made.MS)) == 2.0
    _, series = steady.in_flight_series(requests, 0.005, (0, 20 * made.MS))
    assert series.tolist() == [1, 2, 2, 1]


def test_littles_law_holds_where_nothing_crosses_the_window():
    assert steady.little_residual(spans((0, 10), (3, 8), (12, 19)), (0, 20 * made.MS)) == pytest.approx(0)
    # One that began before and is counted whole: 15 ms of latency, 10 ms of presence.
    assert steady.little_residual(spans((0, 15)), (5 * made.MS, 20 * made.MS)) == pytest.approx(0.5)


def test_a_run_that_gets_slower_drifts():
    at = np.linspace(0, 300, 600)
    noise = np.random.default_rng(2).normal(0, 1, 600)
    found = steady.stationarity(at, 100 * (1 + 0.03 * at / 60) + noise)
    assert found.drift == pytest.approx(2.8, abs=0.3)  # 3 % of the start a minute, of a median that is 7.5 % higher
    assert found.drifts


def test_a_run_that_only_jitters_is_steady():
    at = np.linspace(0, 300, 600)
    found = steady.stationarity(at, 100 + np.random.default_rng(3).normal(0, 5, 600))
    assert not found.drifts and not found.parts_differ
    assert found.drift_low <= 0 <= found.drift_high


def test_a_level_that_jumps_differs_between_the_parts():
    at = np.linspace(0, 40, 400)
    values = np.where(at < 20, 100.0, 120.0) + np.random.default_rng(4).normal(0, 1, 400)
    assert steady.stationarity(at, values).parts_differ


def test_a_slope_is_told_from_none():
    at = np.arange(200.0)
    noise = np.random.default_rng(5).normal(0, 3, 200)
    grows, flat = steady.slope(at, 0.5 * at + noise), steady.slope(at, 10 + noise)
    assert grows.slope == pytest.approx(0.5, abs=0.02)
    assert (grows.positive, grows.flat, flat.positive, flat.flat) == (True, False, False, True)


def test_a_queue_that_grows_is_over_saturated_and_one_that_holds_is_not():
    fast, slow = made.served(600, 5.0, servers=4, seed=2), made.served(600, 20.0, servers=4, seed=2)
    for requests, expected in ((fast, False), (slow, True)):
        window = (0, max(r["intended_ns"] for r in requests))
        growth, ttft = steady.over_saturated(requests, window)
        assert (growth.positive and ttft.positive) == expected


def test_a_burst_has_no_drift():
    found = steady.stationarity(np.zeros(50), np.arange(50.0))
    assert not found.drifts
