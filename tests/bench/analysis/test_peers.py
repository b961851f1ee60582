"""Our server beside others: what is paired, and what it comes to. Rates and times are chosen, ratios worked out by hand."""

import json

import made_results as made
import pytest

from bench.analysis import evidence, peers
from bench.analysis.intervals import Settings
from bench.analysis.result import Refused

QUICK = Settings(resamples=200)
MIB = 2**20


def turn(folder, engine: str, number: int, gap_ms: float, workload="peers-128-64-c1", gbps=30.0, ttft_ms=100.0, checked=1, prompt=32):
    """40 requests of 11 tokens one after the other, each ttft_ms and ten gaps long; from the first send to the last token there are
    440 tokens."""
    length = ttft_ms + 10 * gap_ms
    requests = [made.request(i, length * i, ttft_ms, [gap_ms] * 10, arm=engine, repetition=number, prompt_tokens=prompt)
                for i in range(40)]
    probe = {"read_gbps": gbps}
    path = folder / workload / f"{engine}-{number:02}"
    made.write(path / "run", requests, {"name": workload}, probe={"before": probe, "after": probe},
               checks={"counters": {"checked": checked, "failed": 0}})
    (path / "turn.json").write_text(json.dumps({"peak_resident_bytes": (100 + number) * MIB}))


def cells(rows) -> list[list[str]]:
    return [row.cells for row in rows]


def test_an_engine_has_a_row_of_all_its_rounds(tmp_path):
    for number in (1, 2, 3):
        turn(tmp_path, "mie-q4_1", number, gap_ms=10)
    row, = cells(peers.rows(evidence.read(tmp_path), QUICK))
    assert row[:3] == ["peers-128-64-c1", "mie-q4_1", "3"]
    assert row[3].startswith("55.00 ")  # 11 tokens in 0.2 s
    assert row[4].startswith("100 ") and row[5] == "needs 200"  # 120 requests
    assert row[6].startswith("10.0 ") and row[7].startswith("10.0 ")  # 1200 gaps
    assert row[8:] == ["102.0", "yes"]


def test_other_tokens_or_counters_that_were_not_held_against_are_no_equal_work(tmp_path):
    turn(tmp_path, "mie-q4_1", 1, 10)
    turn(tmp_path, "llama-q4_1", 1, 10, prompt=33)
    assert [row[-1] for row in cells(peers.rows(evidence.read(tmp_path), QUICK))] == ["NO", "NO"]
    turn(tmp_path, "llama-q4_1", 1, 10, checked=0)
    assert [row[-1] for row in cells(peers.rows(evidence.read(tmp_path), QUICK))] == ["yes", "NO"]


def test_ratios_are_of_rounds_that_both_have_and_that_saw_the_same_bandwidth(tmp_path):
    for number, gbps in ((1, 30), (2, 30), (3, 30), (4, 30)):
        turn(tmp_path, "mie-q4_1", number, gap_ms=10, gbps=gbps)  # 55 tokens/s
    for number, gbps in ((1, 34), (2, 30), (3, 35)):  # 35 is more than 15 % above 30
        turn(tmp_path, "llama-q4_1", number, gap_ms=30, gbps=gbps)  # 27.5
    row, = cells(peers.ratio_rows(evidence.read(tmp_path), QUICK))
    assert row == ["peers-128-64-c1", "mie-q4_1 / llama-q4_1", "2", "2.00 [2.00, 2.00]", "1.00 [1.00, 1.00]"]


def test_the_geometric_mean_is_over_workloads(tmp_path):
    for workload, gap in (("peers-a", 30), ("peers-b", 150)):  # 27.5 and 6.875 tokens/s: ratios 2 and 8
        turn(tmp_path, "mie-bf16", 1, gap_ms=10, workload=workload)
        turn(tmp_path, "vllm-bf16", 1, gap_ms=gap, workload=workload)
    *_, mean = cells(peers.ratio_rows(evidence.read(tmp_path), QUICK))
    assert mean == ["geometric mean", "mie-bf16 / vllm-bf16", "–", "4.00", "1.00"]


def test_a_peer_with_other_weights_is_held_against_our_last_engine_by_name(tmp_path):
    for engine in ("mie-bf16", "mie-q4_1", "llama-q4_0", "llama-bf16"):
        turn(tmp_path, engine, 1, 10)
    found = {row[1] for row in cells(peers.ratio_rows(evidence.read(tmp_path), QUICK))}
    assert found == {"mie-q4_1 / llama-q4_0", "mie-bf16 / llama-bf16"}


def test_the_table_says_which_promise_is_kept(tmp_path):
    turn(tmp_path, "mie-q4_1", 1, gap_ms=10, ttft_ms=20)  # 11 tokens in 120 ms
    turn(tmp_path, "llama-q4_1", 1, gap_ms=22, ttft_ms=150)  # in 370 ms
    turn(tmp_path, "llama-q4_0", 1, gap_ms=10, ttft_ms=80)  # in 180 ms: the fastest of the others
    rows = {(row[0], row[1], row[2]): row[3:] for row in cells(peers.promise_rows(evidence.read(tmp_path), QUICK))}
    one = "peers-128-64-c1"
    assert rows["mie-q4_1 / llama-q4_1", "output tokens/s", one] == ["3.08 (3.08 to 3.08, 1 rounds)", "≥ 3", "yes"]
    assert rows["mie-q4_1 / llama-q4_0", "output tokens/s", one] == ["1.50 (1.50 to 1.50, 1 rounds)", "≥ 1.8", "NO"]
    assert rows["mie-q4_1 / llama-q4_1", "TTFT p50", one] == ["0.133 (0.133 to 0.133, 1 rounds)", "≤ 0.2", "yes"]
    assert rows["mie-bf16 / vllm-bf16", "output tokens/s", one] == ["–", "≥ 1.8", "not measured"]


def test_a_turn_without_its_memory_is_refused(tmp_path):
    turn(tmp_path, "mie-q4_1", 1, 10)
    (tmp_path / "peers-128-64-c1/mie-q4_1-01/turn.json").unlink()
    with pytest.raises(Refused, match="turn.json"):
        peers.rows(evidence.read(tmp_path), QUICK)
