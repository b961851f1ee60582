"""The cost of a step, from steps whose cost is known."""

import json

import numpy as np
import pytest

from bench.analysis import __main__ as program
from bench.analysis import cost_model
from bench.analysis.result import Refused

A, B, C, D = 4e-3, 2e-4, 5e-4, 3e-8


def made_steps(n: int, noise: float = 0.0) -> list[dict]:
    """Decode steps of 1 to 32 rows, every fourth with a piece of a prompt; times with relative noise."""
    rng = np.random.default_rng(7)
    steps = []
    for i in range(n):
        decode, prefill = int(rng.integers(1, 33)), int(rng.integers(16, 257)) if i % 4 == 0 else 0
        context = decode * int(rng.integers(50, 2000)) + prefill * (prefill + 1) // 2
        seconds = (A + B * prefill + C * decode + D * context) * (1 + noise * rng.standard_normal())
        steps.append({"rows": decode + prefill, "prefill": prefill, "recompute": 0, "decode": decode, "context": context,
                      "begin_ns": 0, "plan_ns": 1000, "run_ns": round(seconds * 1e9) - 3000, "commit_ns": 2000})
    return steps


def written(folder, steps: list[dict]):
    path = folder / "steps.jsonl"
    path.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return path


def test_coefficients_are_found(tmp_path):
    document = cost_model.document_of([written(tmp_path, made_steps(400))])
    assert [document[name] for name in cost_model.NAMES] == pytest.approx([A, B, C, D], rel=1e-4)
    assert document["fit"]["steps"] == 320 and document["fit"]["held_out"] == 80
    assert document["fit"]["r2"] > 0.999999 and document["fit"]["p95_relative_error"] < 1e-5


def test_the_error_is_that_of_held_out_steps(tmp_path):
    """Of normal noise of 10 %, half lies within 6.7 % and 95 % within 19.6 %."""
    document = cost_model.document_of([written(tmp_path, made_steps(4000, noise=0.1))])
    assert [document[name] for name in ("a", "b", "c")] == pytest.approx([A, B, C], rel=0.1)
    assert document["fit"]["median_relative_error"] == pytest.approx(0.0674, rel=0.15)
    assert document["fit"]["p95_relative_error"] == pytest.approx(0.196, rel=0.15)
    assert abs(document["fit"]["total_time_error"]) < 0.02


def test_no_kind_of_work_gives_time_back(tmp_path):
    steps = made_steps(200)
    for step in steps:
        step["run_ns"] = 10_000_000 - round(1e4 * step["rows"])  # fewer ns for more rows
    document = cost_model.document_of([written(tmp_path, steps)])
    assert all(document[name] >= 0 for name in cost_model.NAMES)


def test_the_command_writes_the_file_and_says_its_error(tmp_path, capsys):
    steps = written(tmp_path, made_steps(100))
    assert program.main(["fit", str(steps), "--out", str(tmp_path / "cost.json")]) == 0
    assert "on 20 held-out steps" in capsys.readouterr().out
    document = json.loads((tmp_path / "cost.json").read_text())
    assert document["schema"] == "mie.cost_model/1" and document["source"]["files"] == 1


@pytest.mark.parametrize("text", ["", "{\n", '{"rows": 1}\n', json.dumps(made_steps(1)[0]) + "\n"],
                         ids=["empty", "no JSON", "no steps", "too few"])
def test_what_is_no_trace_is_refused(tmp_path, text):
    path = tmp_path / "steps.jsonl"
    path.write_text(text)
    with pytest.raises(Refused):
        cost_model.document_of([path])
