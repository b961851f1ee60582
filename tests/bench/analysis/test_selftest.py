"""The self-test, with two hundred runs a check: its limits hold, and it notices statistics that are wrong."""

import pytest

from bench.analysis import distribution, intervals, selftest, verdict

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


def test_a_percentile_that_is_not_withheld_is_noticed(monkeypatch):
    for name in ("coverage", "false_positives", "knees", "usl_coverage"):
        monkeypatch.setattr(selftest, name, {"false_positives": lambda *_: (0.05, 0.05), "knees": lambda *_: {}}.get(name, lambda *_: 0.95))
    assert all(check.passed for check in selftest.checks(1000, 1))
    monkeypatch.setattr(distribution, "withheld", lambda n, percent: False)
    failed = [check.name for check in selftest.checks(1000, 1) if not check.passed]
    assert failed == ["withheld: percentiles shown of one request too few"]
