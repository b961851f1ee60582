"""When a load may end: intervals of known width, and how often the one at the end misses."""

import json

import made_results as made
import numpy as np
import pytest

from bench.analysis import precise
from bench.analysis.precise import Precision


def requests(ttfts: np.ndarray) -> list[dict]:
    return [made.request(i, 50.0 * i, ttft) for i, ttft in enumerate(ttfts)]


def test_looks_spend_five_percent_together():
    assert Precision("ttft", 0.5, 0.05, 5).confidence == pytest.approx(0.99)
    assert Precision("ttft", 0.5, 0.05, 1).confidence == pytest.approx(0.95)


def test_the_width_is_that_of_the_median_of_independent_values():
    # Of normal values the median's standard error is 1.2533 σ / √n; at 99 % the half-width is 2.576 of them: 3.228 · 10 / √900 = 1.076.
    found = precise.interval(requests(np.random.default_rng(1).normal(100, 10, 900)), Precision("ttft", 0.5, 0.05, 5))
    assert found.half_width == pytest.approx(1.076, rel=0.25)
    assert precise.enough(found, Precision("ttft", 0.5, 0.015, 5))
    assert not precise.enough(found, Precision("ttft", 0.5, 0.005, 5))


def test_warm_up_and_failures_are_in_no_figure():
    sent = requests(np.linspace(90, 110, 40))
    sent[0] |= {"warmup": True}
    sent[1] = made.failed(1, "rejected_429")
    assert precise.interval(sent, Precision("ttft", 0.5, 0.1, 5)).n == 38


def test_three_requests_tell_nothing(tmp_path):
    file = tmp_path / "requests.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in requests(np.array([100.0, 100.0, 130.0]))))
    said = json.loads(precise.look(file, Precision("ttft", 0.5, 0.5, 5)))
    assert said == {"estimate_s": 0.1, "half_width_s": None, "n": 3, "confidence": pytest.approx(0.99), "precise": False}


def test_a_look_that_ends_a_load(tmp_path):
    file = tmp_path / "requests.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in requests(np.linspace(99, 101, 60))))
    said = json.loads(precise.look(file, Precision("ttft", 0.5, 0.05, 5)))
    assert said["precise"] is True and said["half_width_s"] <= 0.05 * said["estimate_s"]


def test_the_interval_at_the_end_holds_the_truth_as_often_as_it_says():
    """Loads of five looks at 40 values each: with the look that ends them chosen by the data, at most 5 % may miss."""
    draw, wanted = np.random.default_rng(7), Precision("ttft", 0.5, 0.06, 5)
    missed, n = 0, 60
    for _ in range(n):
        values = draw.lognormal(4.6, 0.4, 200)
        for k in range(1, 6):
            found = precise.moving_block(values[:40 * k], lambda series, axis: np.quantile(series, 0.5, axis=axis),
                                         precise.Settings(confidence=wanted.confidence, resamples=200))
            if precise.enough(found, wanted) or k == 5:
                break
        missed += not found.low <= np.exp(4.6) <= found.high
    assert missed / n <= 0.1  # 5 %, and the chance of 60 loads
