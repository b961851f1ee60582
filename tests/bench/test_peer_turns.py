"""Which turns of a comparison are kept, and that a turn which counts is not run again. The server and what is measured are made up."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/peers"))

import turns  # noqa: E402
from test_peers import result  # noqa: E402

TURN = turns.Turn("peers-128-64-c1", "llama-q4_1", 3)
SERVER = SimpleNamespace(engine=SimpleNamespace(name="llama-q4_1", members='{"a":1}', cached=False), port=81,
                         process=SimpleNamespace(pid=1))


def run(tmp_path, monkeypatch, foreign: float, **changes) -> None:
    folder = TURN.folder(tmp_path)

    def measure(_turn, _server, _how, where):
        (where / "run").mkdir(parents=True)
        (where / "run/result.json").write_text('{"validity": {"state": "ok"}}')
        (where / "run/requests.jsonl").write_text("{}\n")
        measured = {"foreign_cpu": foreign, "own_cpu": 0.9, "peak_resident_bytes": 5, "exit_code": 0, "said": ""}
        return measured, [result(**changes) | {"throughput": {"output_tokens_per_s": 88.0}}]

    monkeypatch.setattr(turns, "measure", measure)
    assert folder == tmp_path / "peers-128-64-c1/llama-q4_1-03"
    turns.run(TURN, SERVER, turns.Measuring("mie", tmp_path, ""))


def test_a_turn_that_counts_is_kept_and_done(tmp_path, monkeypatch):
    assert not TURN.done(tmp_path)
    run(tmp_path, monkeypatch, foreign=0.01)
    assert TURN.done(tmp_path) and turns.count(tmp_path, TURN.workload, TURN.engine) == 1
    assert [path.name for path in sorted((TURN.folder(tmp_path) / "run").iterdir())] == ["requests.jsonl.gz", "result.json"]
    kept = json.loads((TURN.folder(tmp_path) / "turn.json").read_text())
    assert (kept["engine"], kept["round"], kept["peak_resident_bytes"]) == ("llama-q4_1", 3, 5)


def test_the_results_of_a_void_turn_are_not_found_later(tmp_path, monkeypatch):
    run(tmp_path, monkeypatch, foreign=0.2)
    assert not TURN.done(tmp_path) and not list(tmp_path.rglob("result.json"))
    note = json.loads((tmp_path / "void.jsonl").read_text())
    assert note["round"] == 3 and "20 %" in note["reason"]


def test_unequal_work_ends_the_comparison(tmp_path, monkeypatch):
    with pytest.raises(turns.UnequalWork, match="llama-q4_1 did other work"):
        run(tmp_path, monkeypatch, foreign=0.0, state="mismatch")


def test_the_client_is_told_engine_round_and_members():
    command = turns.bench_command(TURN, SERVER, "mie", Path("out"))
    assert command[:4] == ["mie", "bench", "run", "conf/workloads/peers-128-64-c1.toml"]
    for name, value in (("--arm", "llama-q4_1"), ("--repetition", "3"), ("--members", '{"a":1}'), ("--url", "http://127.0.0.1:81")):
        assert command[command.index(name) + 1] == value
    assert turns.bench_command(turns.Turn("peers-512-128", "x", 1), SERVER, "mie", Path("out"))[2] == "sweep"
