"""docs/BENCHMARKS.md comes from result files alone."""

import json
import re

import made_results as made
import pytest

from bench.analysis import __main__ as command_line
from bench.analysis import campaign
from bench.analysis.campaign_tables import SECTIONS
from bench.analysis.intervals import Settings

QUICK = Settings(resamples=200)


def arms(folder, **changes):
    requests = [made.request(i, 400 * i, 100 + i % 9, [gap + i % 3] * 6, arm=arm, repetition=repetition)
                for repetition in range(10) for i in range(30) for arm, gap in (("cached", 20), ("uncached", 40))]
    return made.write(folder, requests, {"name": "s1"}, **changes)


def rows_of(page: str, heading: str) -> list[str]:
    section = page.split(f"## {heading}")[1].split("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("| ") and "again by" not in line]


def test_every_row_has_its_spec_and_its_command(tmp_path):
    arms(tmp_path / "s1/512_128")
    page = campaign.page(tmp_path, QUICK)
    rows = rows_of(page, "S1")
    spec = json.loads((tmp_path / "s1/512_128/result.json").read_text())["spec_sha256"]
    assert len(rows) >= 4
    for row in rows:
        assert f"| {spec[:12]} | `mie bench run made.toml` |" in row
    ratio, = [row for row in rows if "uncached / cached" in row and "TPOT p50" in row]
    assert re.search(r"1\.95\d\d \[1\.95\d\d, 1\.95\d\d\] worse", ratio)  # 41 over 21


def test_what_was_not_measured_says_so_and_shows_no_number(tmp_path):
    page = campaign.page(tmp_path, QUICK)
    assert page.count("Not measured: no results in this folder.") == len(SECTIONS)
    sections = page.split("## Self-test of the harness")[1]
    assert not [line for line in sections.splitlines() if line.startswith("|")]


def test_an_invalid_run_has_no_row_and_is_named(tmp_path):
    arms(tmp_path / "s1/one", validity={"state": "client_bound", "reasons": []})
    page = campaign.page(tmp_path, QUICK)
    assert rows_of(page, "S1") == []
    assert "Not used: 0195-made: client_bound" in page


def test_a_result_without_its_spec_hash_has_no_row(tmp_path):
    folder = arms(tmp_path / "s1/one")
    document = json.loads((folder / "result.json").read_text())
    del document["spec_sha256"]
    (folder / "result.json").write_text(json.dumps(document))
    page = campaign.page(tmp_path, QUICK)
    assert rows_of(page, "S1") == []
    assert "no spec_sha256; no number without its workload" in page


def test_a_result_that_nobody_can_reproduce_ends_the_page(tmp_path, capsys):
    arms(tmp_path / "s1/one", reproduce={})
    assert command_line.main(["campaign", "--resamples", "200", str(tmp_path), str(tmp_path / "page.md")]) == 2
    assert "no command that reproduces it" in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()


def test_simulated_rows_are_labelled(tmp_path):
    made.write(tmp_path / "s3/one", made.served(30, 4.0), {"name": "s3", "target": {"kind": "sim"}})
    assert all("s3 (sim)" in row for row in rows_of(campaign.page(tmp_path, QUICK), "S3"))


def test_tables_of_files_name_what_wrote_them(tmp_path):
    (tmp_path / "kv").mkdir()
    row = {"list": "mixed", "block_size": 16, "reserved_mib": 7973.81, "waste_percent": 1.10, "closed_form": {"admitted": 112}, "live_pool": {"admitted": 112},
           "exact": True, "ways_agree": True}
    (tmp_path / "kv/kv.json").write_text(json.dumps({"schema": "mie.kv/1", "commit": "abc", "capacity": [row], "cases": [], "growth": []}))
    assert rows_of(campaign.page(tmp_path, QUICK), "KV") == ["| mixed | 16 | 7974 | 1.100 | 112 | 112 | mie.kv/1 abc | `mie bench kv --json` |"]


def test_the_self_test_has_a_line_a_point(tmp_path):
    (tmp_path / "selftest").mkdir()
    points = [{"number": 1, "check": f"check {i}", "figure": "0.42857142857142855", "limit": "< 1", "verdict": "pass" if i else "fail"} for i in range(6)]
    points.append({"number": 2, "check": "other", "figure": "8000 4576", "limit": "8000 4576", "verdict": "pass"})
    (tmp_path / "selftest/selftest.json").write_text(json.dumps({"points": points}))
    shown = "; ".join(f"check {i}: 0.4286 (< 1)" for i in range(4))
    assert rows_of(campaign.page(tmp_path, QUICK), "Self-test") == [
        f"| 1 | 5 of 6 | {shown} | mie.selftest/1 | `mie bench selftest --point 1` |",
        "| 2 | 1 of 1 | other: 8000 4576 (8000 4576) | mie.selftest/1 | `mie bench selftest --point 2` |"]


def test_steps_are_told_from_the_least_to_the_most(tmp_path):
    folder = arms(tmp_path / "s3/one")
    document = json.loads((folder / "result.json").read_text())
    of = {"steps": 9, "prefill_forwards": 2, "decode_rows": 30, "wasted_rows": 0, "occupancy": 1.5, "lost": 0}
    document["steps"] = [of | {"arm": "cached", "decode_forwards": n} for n in (124, 141, 124)] + [of | {"arm": "cached", "decode_forwards": 7, "lost": 3}]
    (folder / "result.json").write_text(json.dumps(document))
    row, = [row for row in rows_of(campaign.page(tmp_path, QUICK), "S3") if "124" in row]
    assert row.startswith("| s1 | cached | 3 | 9 | 124 to 141 | 2 | 30 | 0 | 1.500 |")


@pytest.mark.parametrize("command", [["campaign", "nowhere", "page.md"], ["report", "nowhere"], ["knee", "nowhere"]])
def test_a_folder_that_is_not_there(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert command_line.main(command) == 2
