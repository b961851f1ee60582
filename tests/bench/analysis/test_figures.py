"""Figures of requests against values worked out by hand."""

import made_results as made
import numpy as np
import pytest

from bench.analysis import figures


def of(request: dict, metric: str) -> list[float]:
    return figures.samples([request])[metric].values.tolist()


def test_the_five_values_of_the_seed_project():
    # Tokens at 1.0, 1.5, 2.5 and 4.0 s, end at 5.0 s.
    one = made.request(0, 0, 1000, (500, 1000, 1500), end_ns=5_000_000_000)
    assert of(one, "ttft") == [1000]
    assert of(one, "itl") == [500, 1000, 1500]
    assert of(one, "e2el") == [5000]
    assert figures.rates([one], (0, 5_000_000_001))["output_tokens_per_s"] == pytest.approx(0.8)
    assert figures.rates([one, one], (0, 5_000_000_000))["output_tokens_per_s"] == pytest.approx(1.6)  # 8 tokens in 5 s


def test_both_clocks_are_kept():
    late = made.request(0, 100, 300, ())
    late["send_ns"] += 40_000_000
    assert (of(late, "lateness"), of(late, "ttft"), of(late, "ttft_intended")) == ([40], [260], [300])
    assert (of(late, "e2el"), of(late, "e2el_intended")) == ([260], [300])


def test_tpot_is_between_first_and_last_token():
    assert of(made.request(0, 0, 100, (10, 20, 60)), "tpot") == [30]
    assert np.isnan(of(made.request(0, 0, 100, ()), "tpot")[0])
    assert figures.samples([made.request(0, 0, 100, ())])["tpot"].n_undefined == 1


@pytest.mark.parametrize("tokens", range(1, 9))
def test_a_gap_is_shared_by_the_tokens_of_its_event(tokens):
    one = made.request(0, output_tokens=1 + tokens, events=[[100_000_000, 1], [180_000_000, tokens]], end_ns=180_000_000)
    assert of(one, "itl") == [80 / tokens] * tokens
    assert of(one, "event_gap") == [80]
    assert of(one, "tpot") == [80 / tokens]


def test_an_event_without_tokens_is_no_token_event():
    one = made.request(0, events=[[50_000_000, 0], [100_000_000, 1], [110_000_000, 0], [130_000_000, 2]], output_tokens=3)
    assert (of(one, "ttft"), of(one, "event_gap"), of(one, "itl")) == ([100], [30], [15, 15])


def test_the_second_token_may_come_with_the_first():
    assert of(made.request(0, events=[[100_000_000, 2]], output_tokens=2), "ttst") == [0]
    assert of(made.request(0, 0, 100, (35,)), "ttst") == [35]


@pytest.mark.parametrize("gaps, count, total", [
    ((20, 20, 250, 20), 1, 250),  # over 200 ms and over 5 × 20
    ((20, 20, 70, 20), 0, 0),
    ((20, 20, 200, 20), 0, 0),  # not over 200
    ((100, 100, 450, 100), 0, 0),  # not over 5 × 100
    ((100, 100, 501, 100), 1, 501),
])
def test_stalls(gaps, count, total):
    one = made.request(0, 0, 100, gaps)
    assert (of(one, "stall_count"), of(one, "stall")) == ([count], [total])


def test_failed_requests_count_as_their_limit_in_the_view_over_all():
    requests = [made.request(0, 0, 100, ()), made.failed(1, "rejected_429", 50), made.failed(2, "cancelled_by_client", 60)]
    assert sorted(figures.censored(requests, "ttft_intended", 5000)) == [100, 5000]
    # Without a limit: until the run's end, which is the last stamp, at 100 ms.
    assert sorted(figures.censored(requests, "ttft_intended", None)) == [50, 100]
    assert figures.censored(requests, "tpot", 5000).tolist() == []
    assert figures.ok_view(requests)["ttft"].values.tolist() == [100]


def test_goodput_needs_every_objective_and_a_missing_figure_fails():
    requests = [made.request(0, 0, 100, (20,)), made.request(1, 0, 300, (20,)), made.request(2, 0, 100, (90,)), made.request(3, 0, 100, ()),
                made.failed(4, "rejected_503")]
    slo = [{"metric": "ttft_intended", "op": "<=", "value_ms": 200}, {"metric": "tpot", "op": "<", "value_ms": 50}]
    assert figures.meets(requests, slo).tolist() == [True, False, False, False, False]
    assert figures.meets(requests, []).tolist() == [True, True, True, True, False]


def test_an_objective_on_gaps_is_one_on_the_longest():
    requests = [made.request(0, 0, 100, (20, 80, 20)), made.request(1, 0, 100, (20, 30, 20))]
    assert figures.meets(requests, [{"metric": "itl", "op": "<=", "value_ms": 50}]).tolist() == [False, True]


def test_rates_count_what_is_stamped_inside_the_half_open_window():
    one = made.request(0, 0, 100, (100, 100))  # tokens at 100, 200, 300 ms
    found = figures.rates([one], (100_000_000, 300_000_000))
    assert found["output_tokens_per_s"] == pytest.approx(2 / 0.2)
    assert found["requests_per_s"] == 0  # ended at 300 ms, outside
    assert found["input_tokens_per_s"] == pytest.approx(32 / 0.2)
