"""What is drawn lies inside the axes, whichever arm is the longest or the highest."""

import made_results as made

from bench.analysis import result as results
from bench.analysis.plots import experiment, timeline
from bench.analysis.plots.style import Source
from bench.analysis.verdict import Comparison

SOURCE = Source([], [], "")


def test_arms_of_a_step_trace_share_axes_that_hold_them_all():
    steps = [{"arm": arm, "seqs": height} for arm, height, n in (("low", 1, 10), ("high", 4, 30), ("middle", 2, 20)) for _ in range(n)]
    for axes in timeline.occupancy(steps, SOURCE).axes:
        assert axes.get_ylim()[0] == 0 and 4 < axes.get_ylim()[1] < 5
        assert axes.get_xlim()[0] == 0 and 29 <= axes.get_xlim()[1] < 33


def test_requests_of_the_longest_arm_are_inside(tmp_path):
    requests = [made.request(i, 0.0, 100.0, [gap] * 10, arm=arm) for i in range(4) for arm, gap in (("quick", 10), ("slow", 100))]
    made.write(tmp_path / "run", requests, {"name": "s2", "arms": [{"name": "quick"}, {"name": "slow"}]})
    for axes in timeline.gantt(results.load(tmp_path / "run"), SOURCE).axes:
        assert axes.get_xlim()[0] == 0 and axes.get_xlim()[1] > 1.1  # s: 100 ms and ten gaps of 100 ms


def test_a_wide_forest_has_ticks_on_both_sides_of_one():
    wide = [Comparison("TTFT", False, 10, 11.5, 11.3, 11.6, 0.01, 0.01, None, False, 10),
            Comparison("tokens/s", True, 10, 0.096, 0.094, 0.097, 0.01, 0.01, None, False, 10)]
    axes, = experiment.forest(wide, ("cached", "uncached"), SOURCE).axes
    low, high = axes.get_xlim()
    ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert sum(tick < 1 for tick in ticks) >= 3 and sum(tick > 1 for tick in ticks) >= 3
