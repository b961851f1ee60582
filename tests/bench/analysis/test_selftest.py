"""The self-test, with two hundred runs a check: its limits hold, and it notices statistics that are wrong."""

import pytest

import numpy as np

from bench.analysis import arrivals, distribution, intervals, selftest, verdict

RUNS = 200
BAND = (0.89, 0.995)  # 95 %, four standard errors of 200 runs


@pytest.mark.parametrize("name", selftest.COVERED)
def test_intervals_cover(name):
    assert BAND[0] <= selftest.coverage(selftest.COVERED[name], RUNS, seed=1) <= BAND[1]


def test_equal_arms_are_rarely_told_apart():
    told, missed = selftest.false_positives(RUNS, seed=1)
    assert told <= 0.11 and missed <= 0.11  # 5 %, four standard errors


def test_the_knees_of_a_queue_lie_at_its_capacity():
    for name, share in selftest.knees(seed=3).items():
        assert share == pytest.approx(1, abs=0.03), name


def test_the_scalability_laws_interval_covers():
    assert BAND[0] <= selftest.usl_coverage(RUNS, seed=1) <= BAND[1]


def test_intervals_that_are_too_narrow_fail(monkeypatch):
    right = intervals._calibrated

    def half(*arguments):
        found = right(*arguments)
        return intervals.Interval(found.estimate, (found.estimate + found.low) / 2, (found.estimate + found.high) / 2, "half", found.n)

    monkeypatch.setattr(intervals, "_calibrated", half)
    assert selftest.coverage(selftest.COVERED["coverage: repetitions that differ"], RUNS, seed=1) < BAND[0]


def test_p_values_without_correction_fail(monkeypatch):
    monkeypatch.setattr(verdict, "holm", list)
    assert selftest.false_positives(RUNS, seed=1)[0] > 0.11  # four metrics: 18 %


def test_the_command_prints_figures_beside_limits_and_fails_with_one(monkeypatch, capsys):
    made = [selftest.Check("good", 0.95, 0.93, 0.97), selftest.Check("bad", 0.80, 0.93, 0.97)]
    monkeypatch.setattr(selftest, "checks", lambda runs, seed: made)
    assert selftest.run(10, 1) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["ok", "good", "0.95", "0.93", "to", "0.97"]
    assert lines[2].split() == ["FAILED", "bad", "0.8", "0.93", "to", "0.97"]
    made.pop()
    assert selftest.run(10, 1) == 0


def test_gaps_fit_their_law_and_no_other():
    draw = np.random.default_rng(5)
    poisson, even, slow = (np.cumsum(gaps) for gaps in (
        draw.exponential(1 / arrivals.RATE, arrivals.N), draw.gamma(4, 1 / (4 * arrivals.RATE), arrivals.N),
        draw.exponential(1.05 / arrivals.RATE, arrivals.N)))
    law = arrivals.LAWS[0]
    of_rate, of_cv = arrivals.bounds(law, arrivals.N)
    right, wrong, late = (arrivals.fit(law, at) for at in (poisson, even, slow))
    assert right.p > arrivals.P and abs(right.rate - 1) <= of_rate and abs(right.squared_cv - 1) <= of_cv
    assert wrong.p < arrivals.P and wrong.squared_cv < 1 - of_cv
    assert late.p < arrivals.P and late.rate < 1 - of_rate


def test_a_rate_that_moves_is_a_clock_that_is_warped():
    """Thinning gives the sine's arrivals another way than the client makes them."""
    draw = np.random.default_rng(6)
    at = np.cumsum(draw.exponential(1 / 90, 40_000))
    kept = at[draw.random(len(at)) < (50 + 40 * np.sin(2 * np.pi * at / 7)) / 90]
    law = next(law for law in arrivals.LAWS if law.name == "sine")
    assert arrivals.fit(law, kept).p > arrivals.P and arrivals.fit(arrivals.LAWS[0], kept).p < arrivals.P


def test_the_error_of_a_squared_cv_is_known():
    """Of exponential gaps its standard error is 2/√n, of a thousand samples of a thousand here."""
    draws = np.random.default_rng(7).exponential(1, (1000, 1000))
    spread = (draws.var(axis=1) / draws.mean(axis=1) ** 2).std()
    assert arrivals.bounds(arrivals.LAWS[0], 1000)[1] == 4 * 2 / np.sqrt(1000) and spread == pytest.approx(2 / np.sqrt(1000), rel=0.15)


def test_a_point_is_lines_of_cells(monkeypatch, capsys):
    monkeypatch.setattr(selftest, "false_positives", lambda *_: (0.04, 0.2))
    assert selftest.run_point(7, 1000, 1, mie_bench=None) == 1
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [line[:2] for line in lines] == [["7", "pass"], ["7", "FAIL"]] and lines[0][3] == "0.04" and all(len(line) == 5 for line in lines)


def test_fewer_runs_get_wider_limits(monkeypatch):
    monkeypatch.setattr(selftest, "coverage", lambda *_: 0.90)
    assert all(check.passed for check in selftest.coverage_checks(200, 1)) and not any(check.passed for check in selftest.coverage_checks(1000, 1))


def test_a_percentile_that_is_not_withheld_is_noticed(monkeypatch):
    for name in ("coverage", "false_positives", "knees", "usl_coverage"):
        monkeypatch.setattr(selftest, name, {"false_positives": lambda *_: (0.05, 0.05), "knees": lambda *_: {}}.get(name, lambda *_: 0.95))
    assert all(check.passed for check in selftest.checks(1000, 1))
    monkeypatch.setattr(distribution, "withheld", lambda n, percent: False)
    failed = [check.name for check in selftest.checks(1000, 1) if not check.passed]
    assert failed == ["withheld: percentiles shown of one request too few"]
