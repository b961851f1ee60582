"""`mie bench` is `mie-bench`, the program beside it."""

import json
import os
import shutil
import subprocess
from pathlib import Path


def bench(binary, *flags) -> subprocess.CompletedProcess:
    return subprocess.run([binary, "bench", *flags], capture_output=True, text=True, timeout=60)


def test_flags_reach_the_program():
    done = bench(os.environ["MIE_BINARY"], "micro", "--no-such-flag")
    assert done.returncode == 2
    assert "--no-such-flag" in done.stderr and "mie bench" in done.stderr


def test_kv_is_exact_in_three_ways():
    done = bench(os.environ["MIE_BINARY"], "kv", "--json")
    assert done.returncode == 0, done.stdout[-2000:]
    figures = json.loads(done.stdout)
    assert figures["failures"] == [] and len(figures["capacity"]) == 33
    assert sum(row["resident"] is not None for row in figures["capacity"]) == 24


def test_the_glossary_is_what_the_program_prints():
    page = Path(__file__).parents[2] / "docs/metrics.md"
    assert page.read_text(encoding="utf-8") == bench(os.environ["MIE_BINARY"], "metrics").stdout


def test_the_self_test_is_one_object_and_shows_its_lines_meanwhile():
    done = bench(os.environ["MIE_BINARY"], "selftest", "--point", "14,1", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0 and found["schema"] == "mie.selftest/1"
    assert {point["number"] for point in found["points"]} == {1, 14} and {point["verdict"] for point in found["points"]} == {"pass"}
    assert len(done.stderr.splitlines()) == len(found["points"])


def test_kv_times_need_a_model():
    done = bench(os.environ["MIE_BINARY"], "kv", "--time")
    assert done.returncode == 2
    assert "--model" in done.stderr


def test_the_selftest_prints_figures_beside_limits():
    done = bench(os.environ["MIE_BINARY"], "selftest", "--point", "9,10,12,14")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert {line.split()[0] for line in lines} == {"9", "10", "12", "14"} and all(line.split()[1] == "pass" for line in lines)
    assert any("8000 4576" in line for line in lines) and any("33 of 33 rows" in line for line in lines)


def test_without_the_analysis_the_selftest_cannot_tell(tmp_path):
    done = subprocess.run([os.environ["MIE_BINARY"], "bench", "selftest", "--point", "5,14"], capture_output=True, text=True, timeout=60,
                          env=os.environ | {"MIE_CACHE": str(tmp_path)})
    assert done.returncode == 4
    first, *others = done.stdout.splitlines()
    assert first.split()[:4] == ["5", "-", "not", "run:"] and "./dev setup" in first
    assert others and all(line.split()[1] == "pass" for line in others)


def test_without_the_program_the_error_says_what_makes_it(tmp_path):
    alone = shutil.copy(os.environ["MIE_BINARY"], tmp_path / "mie")
    done = bench(alone, "micro")
    assert done.returncode == 2
    assert f"cannot run {tmp_path}/mie-bench: No such file or directory" in done.stderr and "./dev build" in done.stderr
