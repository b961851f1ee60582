"""Which rounds of bench/peers/compare count, and what they come to. Expected values are worked out by hand."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/peers"))

import installs  # noqa: E402
import rounds  # noqa: E402
import turn  # noqa: E402


def measured(foreign=0.0) -> dict:
    return {"foreign_cpu": foreign, "exit_code": 0, "said": ""}


def result(state="ok", hits=0.0, cached=0, checked=1, counter="vllm:prefix_cache_hits_total", by_status=None) -> dict:
    load = {"metrics_before": {counter: 7.0}, "metrics_after": {counter: 7.0 + hits}}
    return {"validity": {"state": state, "reasons": [] if state == "ok" else [f"it is {state}"]},
            "counts": {"tokens_cached": cached, "by_status": by_status or {"ok": 8}},
            "checks": {"counters": {"checked": checked, "failed": 0}}, "server": {"arms": [{"loads": [load]}]}}


@pytest.mark.parametrize("foreign, counts", [(0.0, True), (0.05, True), (0.051, False), (0.5, False)])
def test_foreign_cpu_above_5_percent_voids_the_turn(foreign, counts):
    assert (rounds.fault(measured(foreign), [result()]) is None) == counts


@pytest.mark.parametrize("state", ["disturbed", "client_bound", "not_steady", "partial"])
def test_what_another_turn_may_not_have_voids_this_one_and_no_more(state):
    assert rounds.fault(measured(), [result(), result(state)]) == f"it is {state}"
    assert rounds.unequal_work(measured(), [result(state)], cached=False) is None


def test_tokens_that_do_not_add_up_are_unequal_work():
    assert rounds.unequal_work(measured(), [result()], cached=False) is None
    assert rounds.unequal_work(measured(), [result(), result("mismatch")], cached=False) == "it is mismatch"
    assert "no counters" in rounds.unequal_work(measured(), [result(checked=0)], cached=False)
    assert "reset" in rounds.unequal_work(measured(), [result(by_status={"ok": 7, "reset": 1})], cached=False)
    assert "no result" in rounds.unequal_work(measured(), [], cached=False)


@pytest.mark.parametrize("counter", ["vllm:prefix_cache_hits_total", "llamacpp:prompt_tokens_cached_total"])
def test_a_prefix_cache_that_is_off_must_answer_nothing_and_one_that_is_on_something(counter):
    assert rounds.unequal_work(measured(), [result(hits=0, counter=counter)], cached=False) is None
    assert "answered 96 tokens" in rounds.unequal_work(measured(), [result(hits=96, counter=counter)], cached=False)
    assert "by usage" in rounds.unequal_work(measured(), [result(cached=32, counter=counter)], cached=False)
    assert rounds.unequal_work(measured(), [result(hits=96, counter=counter)], cached=True) is None
    assert "answered nothing" in rounds.unequal_work(measured(), [result(counter=counter)], cached=True)


def test_a_server_that_does_not_count_its_cache_is_not_compared():
    assert "does not count" in rounds.unequal_work(measured(), [result(counter="other")], cached=False)


def test_engines_take_turns_forth_and_back():
    assert [rounds.order(["a", "b", "c"], number) for number in (1, 2, 3)] == [["a", "b", "c"], ["c", "b", "a"], ["a", "b", "c"]]


def test_a_workload_goes_on_until_every_engine_has_its_turns():
    assert rounds.unfinished({"a": 5, "b": 4}, 5)
    assert not rounds.unfinished({"a": 5, "b": 6}, 5)


# CPU seconds of everybody and of the server whose turn it is, at each look; a window of half a second on 2 cores.
@pytest.mark.parametrize("busy, own, windows", [
    ([0, 0.02], [0, 0], 1),  # 2 %
    ([0, 0.9], [0, 0.9], 1),  # the server's own
    ([0, 0.5, 0.5, 0.53, 0.53, 0.53], [0, 0, 0, 0, 0, 0], 3),  # 50 %, 3 %, then rest
    ([0.5 * look for look in range(2 * turn.SETTLE_TRIES)], [0] * 2 * turn.SETTLE_TRIES, turn.SETTLE_TRIES),  # gives up
])
def test_a_turn_starts_when_the_others_have_come_to_rest(monkeypatch, busy, own, windows):
    busy, own, clock = iter(busy), iter(own), [0.0]
    monkeypatch.setattr(turn, "busy_seconds", lambda: next(busy))
    monkeypatch.setattr(turn, "tree_seconds", lambda roots: next(own))
    monkeypatch.setattr(turn.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(turn.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(turn.time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    turn.settle([1])
    assert clock[0] == windows * turn.SETTLE_SECONDS


@pytest.mark.parametrize("lock", ["client.lock", "llama.lock", "vllm.lock"])
def test_every_pin_of_a_peer_has_a_hash(lock):
    lines = [line for line in (ROOT / "bench/peers" / lock).read_text().splitlines() if line and not line.startswith("#")]
    assert len(installs.pins(lock)) == len(lines)
    for line in lines:
        digest = line.partition(" --hash=sha256:")[2]
        assert len(digest) == 64 and set(digest) <= set("0123456789abcdef"), line
