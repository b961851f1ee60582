"""Which rounds of bench/peers/compare count, and what they come to. Expected values are worked out by hand."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/peers"))

import installs  # noqa: E402
import meters  # noqa: E402
import report  # noqa: E402
import rounds  # noqa: E402


def run(engine="mie-q4_1", tok_s=100.0, number=1, concurrency=1, probes=(30.0, 30.0), foreign=0.0, ttft=10.0) -> dict:
    load = {"tok_s": tok_s, "wall_s": 10.0, "prompt_tok_s": 2 * tok_s, "errors": 0, "len_mismatch": 0, "conc": concurrency,
            "ttft_p50_ms": ttft, "ttft_p95_ms": ttft, "itl_p50_ms": 1.0, "itl_p99_ms": 2.0}
    return {"engine": engine, "round": number, "probe_before": probes[0], "probe_after": probes[1], "foreign_cpu": foreign,
            "load": load, "asked": {"concurrency": concurrency, "requests": 10, "prompt": 200, "output": 100}}


@pytest.mark.parametrize("probes", [(30.0, 34.5), (34.5, 30.0), (30.0, 30.0)])
def test_a_probe_may_move_by_15_percent(probes):
    assert rounds.fault(run(probes=probes)) is None


@pytest.mark.parametrize("probes", [(30.0, 34.6), (34.6, 30.0), (52.0, 33.0), (0.0, 30.0)])
def test_a_probe_that_moved_further_voids_the_run(probes):
    assert "probe moved" in rounds.fault(run(probes=probes))


@pytest.mark.parametrize("foreign, counts", [(0.0, True), (0.05, True), (0.051, False), (0.5, False)])
def test_foreign_cpu_above_5_percent_voids_the_run(foreign, counts):
    assert (rounds.fault(run(foreign=foreign)) is None) == counts


def test_equal_work_is_counted_in_tokens():
    assert rounds.unequal_work(run()) is None  # 100 tokens/s x 10 s = 10 requests x 100
    assert "output tokens" in rounds.unequal_work(run(tok_s=99.0))
    short_prompt = run()
    short_prompt["load"]["prompt_tok_s"] = 198.0
    assert "prompt tokens" in rounds.unequal_work(short_prompt)


@pytest.mark.parametrize("member", ["errors", "len_mismatch"])
def test_a_request_that_failed_or_ended_early_is_unequal_work(member):
    bad = run()
    bad["load"][member] = 1
    assert rounds.unequal_work(bad)


def test_ratios_pair_the_runs_of_one_round():
    ours = [run(tok_s=300, number=1), run(tok_s=400, number=2), run(tok_s=500, number=3)]
    theirs = [run(tok_s=100, number=1), run(tok_s=200, number=3)]
    assert rounds.ratios(ours, theirs, "tok_s") == [3.0, 2.5]


def test_a_pair_in_two_bandwidth_regimes_makes_no_ratio():
    assert rounds.ratios([run(probes=(52, 52))], [run(probes=(33, 33))], "tok_s") == []


def test_a_voided_run_makes_no_ratio():
    assert rounds.ratios([run(foreign=0.2)], [run()], "tok_s") == []
    assert rounds.ratios([run()], [run(foreign=0.2)], "tok_s") == []


def test_spread_is_median_least_and_greatest():
    assert rounds.spread([5.0, 1.0, 2.0, 9.0]) == (3.5, 1.0, 9.0)


def test_the_best_peer_has_the_highest_median_and_is_not_ours():
    runs = [run("mie-q4_1", 900), run("llama-q4_0", 100, 1), run("llama-q4_0", 500, 2), run("llama-q4_0", 110, 3),
            run("vllm-bf16", 120), run("vllm-bf16", 800, foreign=0.9)]
    assert report.best_peer(runs, 1) == "vllm-bf16"  # 120 against 110; its void run counts for nothing


def test_a_peer_that_was_never_measured_in_peace_still_is_the_best():
    runs = [run("mie-q4_1", 900), run("llama-q4_0", 100), run("vllm-bf16", 300, foreign=0.9)]
    assert report.best_peer(runs, 1) == "vllm-bf16"
    assert "| mie-q4_1 / vllm-bf16 | tokens/s | 1 | none | ≥ 1.8 | not measured |" in "\n".join(report.promise_lines(runs, [1]))


def test_there_is_no_best_of_no_peers():
    assert report.best_peer([run("mie-q4_1", 900)], 1) is None


def test_the_table_says_which_promise_is_kept():
    runs = [run("mie-q4_1", 310, ttft=70), run("llama-q4_1", 100, ttft=300)]
    record = {"commit": "abc", "cpu": "x", "cores": 2, "started": "now", "runs": runs}
    lines = report.table(record).splitlines()
    assert "| mie-q4_1 / llama-q4_1 | tokens/s | 1 | 3.1 (3.1–3.1) of 1 | ≥ 3 | yes |" in lines
    assert "| mie-q4_1 / llama-q4_1 | TTFT p50 | 1 | 0.2333 (0.2333–0.2333) of 1 | ≤ 0.2 | NO |" in lines
    assert lines[-1] == "0 of 2 runs do not count"


# CPU seconds of everybody and of the server whose turn it is, at each look; a window of half a second on 2 cores.
@pytest.mark.parametrize("busy, own, windows", [
    ([0, 0.02], [0, 0], 1),  # 2 %
    ([0, 0.9], [0, 0.9], 1),  # the server's own
    ([0, 0.5, 0.5, 0.53, 0.53, 0.53], [0, 0, 0, 0, 0, 0], 3),  # 50 %, 3 %, then rest
    ([0.5 * look for look in range(2 * meters.SETTLE_TRIES)], [0] * 2 * meters.SETTLE_TRIES, meters.SETTLE_TRIES),  # gives up
])
def test_a_turn_starts_when_the_others_have_come_to_rest(monkeypatch, busy, own, windows):
    busy, own, clock = iter(busy), iter(own), [0.0]
    monkeypatch.setattr(meters, "busy_seconds", lambda: next(busy))
    monkeypatch.setattr(meters, "tree_seconds", lambda roots: next(own))
    monkeypatch.setattr(meters.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(meters.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(meters.time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    meters.settle([1])
    assert clock[0] == windows * meters.SETTLE_SECONDS


@pytest.mark.parametrize("lock", ["llama.lock", "vllm.lock"])
def test_every_pin_of_a_peer_has_a_hash(lock):
    lines = [line for line in (ROOT / "bench/peers" / lock).read_text().splitlines() if line and not line.startswith("#")]
    assert len(installs.pins(lock)) == len(lines)
    for line in lines:
        digest = line.partition(" --hash=sha256:")[2]
        assert len(digest) == 64 and set(digest) <= set("0123456789abcdef"), line
