"""`compare`: exit codes, refusals and what is printed."""

import json

import made_results as made
import pytest

from bench.analysis import __main__ as command_line


def side(folder, factor: float = 1.0, repetitions: int = 10, spec: dict | None = None, **changes):
    """Every repetition has requests of its own, the same on all sides; tokens take `factor` as long."""
    requests = []
    for repetition in range(repetitions):
        for i in range(220):
            gaps = [factor * (20 + (i + repetition) % 5)] * 6
            requests.append(made.request(i, 400 * i, factor * (100 + i % 7), gaps, repetition=repetition))
    return made.write(folder, requests, spec, **changes)


def run(*arguments) -> int:
    return command_line.main(["compare", *map(str, arguments)])


@pytest.mark.parametrize("factor, code, verdict", [(1.0, 0, "same within 2 %"), (0.8, 0, "better"), (1.25, 1, "worse"), (1.01, 0, "same within 2 %")])
def test_exit_code_and_verdict(tmp_path, capsys, factor, code, verdict):
    assert run(side(tmp_path / "a"), side(tmp_path / "b", factor), "--metric", "TPOT p50", "--metric", "TTFT, intended send p95") == code
    out = capsys.readouterr().out
    assert f"verdict: {verdict}" in out
    assert f"{factor:.4f} [" in out


def test_three_repetitions_cannot_tell(tmp_path, capsys):
    assert run(side(tmp_path / "a", repetitions=3), side(tmp_path / "b", 1.25, repetitions=3), "--metric", "TPOT p50") == 4
    assert "cannot tell (6 pairs would)" in capsys.readouterr().out


def test_worse_outweighs_better_on_another_side(tmp_path):
    assert run(side(tmp_path / "a"), side(tmp_path / "b", 0.8), side(tmp_path / "c", 1.25), "--metric", "TPOT p50") == 1


def test_different_specs_are_refused_with_their_fields(tmp_path, capsys):
    a = side(tmp_path / "a", spec={"sampling": {"top_k": 0}})
    b = side(tmp_path / "b", spec={"sampling": {"top_k": 40}, "name": "other"})
    assert run(a, b) == 2
    error = capsys.readouterr().err
    assert "  sampling.top_k: 0 / 40" in error and "  name: 'made' / 'other'" in error
    assert run(a, b, "--allow-diff", "name") == 2
    assert run(a, b, "--allow-diff", "name", "--allow-diff", "sampling", "--metric", "TPOT p50") == 0


def test_equal_specs_must_have_equal_work(tmp_path, capsys):
    assert run(side(tmp_path / "a"), side(tmp_path / "b", expanded_sha256="00" * 32)) == 2
    assert "expanded_sha256 differs" in capsys.readouterr().err


def test_differences_of_the_host_are_printed(tmp_path, capsys):
    host = {"cpu": "Made CPU", "threads_online": 2, "governor": "powersave", "kernel": "6.1", "after": {"load_average": [3, 2, 1]}}
    run(side(tmp_path / "a"), side(tmp_path / "b", host=host), "--metric", "TPOT p50")
    out = capsys.readouterr().out
    assert "governor differs: performance / powersave" in out
    assert "load_average" not in out and "kernel" not in out


def test_invalid_runs_are_not_compared(tmp_path, capsys):
    assert run(side(tmp_path / "a"), side(tmp_path / "b", validity={"state": "disturbed", "reasons": []})) == 5
    assert "b: disturbed" in capsys.readouterr().out


def test_arms_of_one_result_are_sides(tmp_path, capsys):
    requests = [made.request(i, 400 * i, 100, [gap + i % 3] * 6, arm=arm, repetition=repetition)
                for repetition in range(10) for i in range(30) for arm, gap in (("off", 40), ("on", 20))]
    folder = made.write(tmp_path / "r", requests)
    assert run(f"{folder}@off", f"{folder}@on", "--metric", "TPOT p50") == 0
    assert "0.5122 [" in capsys.readouterr().out  # medians 41 and 21
    assert run(f"{folder}@off", f"{folder}@none") == 2


def test_a_metric_that_was_withheld_cannot_be_asked_for(tmp_path, capsys):
    assert run(side(tmp_path / "a"), side(tmp_path / "b"), "--metric", "TTFT, intended send p99") == 2  # 220 of 1000
    assert "these can be compared: " in capsys.readouterr().err


def test_the_forest_plot_and_the_table_are_written(tmp_path):
    run(side(tmp_path / "a"), side(tmp_path / "b"), "--out", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out/plots").iterdir()) == ["12_forest.png", "12_forest.svg"]
    assert "TPOT p50" in (tmp_path / "out/compare.txt").read_text()


def test_one_side_is_no_comparison(tmp_path):
    assert run(side(tmp_path / "a")) == 2


def test_a_side_that_has_two_specs_is_refused(tmp_path, capsys):
    side(tmp_path / "a/1", repetitions=1)
    side(tmp_path / "a/2", repetitions=1, spec={"name": "other"})
    assert run(tmp_path / "a", side(tmp_path / "b")) == 2
    assert "results of different specs" in capsys.readouterr().err


def test_repetitions_may_lie_in_runs_of_their_own(tmp_path, capsys):
    for name, factor in (("a", 1.0), ("b", 0.5)):
        for i in range(10):
            folder = side(tmp_path / name / f"run{i}", factor, repetitions=1)
            document = json.loads((folder / "result.json").read_text())
            (folder / "result.json").write_text(json.dumps(document | {"run_id": f"{name}{i}"}))
    assert run(tmp_path / "a", tmp_path / "b", "--metric", "TPOT p50") == 0
    assert "   10  0.5000 [" in capsys.readouterr().out
