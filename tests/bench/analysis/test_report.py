"""Whole reports: what is written, what is said to be missing, and that the page needs nothing else."""

import csv
import json
import re

import made_results as made
import pytest

from bench.analysis import __main__ as command_line
from bench.analysis import report, result
from bench.analysis.intervals import Settings

QUICK = Settings(resamples=200)
SLO = [{"metric": "ttft_intended", "op": "<=", "value_ms": 500}]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """A result with everything that one result can have, and its report."""
    split = {"queue": {"mean": 0.05, "p50": 0.04, "p99": 0.2}, "decode": {"mean": 0.4, "p50": 0.4, "p99": 0.7}}
    rows = [{"t_s": t, "running": 3, "waiting": 1, "kv_used": 0.5, "preemptions": 0} for t in range(60)]
    folder = made.write(tmp_path_factory.mktemp("reported") / "chat", made.served(250, 4.0), {"slo": SLO, "name": "chat <b>"},
                        phase_split=split, timeseries={"1s": rows})
    steps = [{"step": i, "begin_ns": i, "seqs": 2, "decode": 2, "prefill": 16 * (i % 5 == 0), "recompute": 0} for i in range(20)]
    (folder / "steps.jsonl").write_text("".join(json.dumps(step) + "\n" for step in [{"mie_step_trace": 1}, *steps]))
    return folder, report.write_report(folder, QUICK)


def spec_of(folder) -> str:
    return json.loads((folder / "result.json").read_text())["spec_sha256"]


def test_the_files_of_a_report(reported):
    folder, drawn = reported
    assert {"report.html", "report.md", "summary.csv", "plots"} <= {path.name for path in folder.iterdir()}
    there = [d.plot.number for d in drawn if not d.missing]
    assert there == [1, 2, 6, 7, 8, 9, 10, 11]
    for number in there:
        svg, = (folder / "plots").glob(f"{number:02}_*.svg")
        png, = (folder / "plots").glob(f"{number:02}_*.png")
        assert png.read_bytes().startswith(PNG)
        assert svg.read_text().count("<path") > 10


def test_a_missing_plot_is_named_as_missing(reported):
    folder, _ = reported
    text = (folder / "report.md").read_text()
    assert sorted(map(int, re.findall(r"Missing plot (\d+),", text))) == [3, 4, 5, 12, 13, 14, 15, 16]


def test_the_page_loads_nothing(reported):
    page = (reported[0] / "report.html").read_text()
    assert page.count("<svg") == 8
    assert not re.findall(r"<(?:script|link|img|iframe|object)\b", page)
    assert not re.findall(r"""(?:src|(?<!:)href)\s*=\s*["'](?!#)""", page)
    assert not re.findall(r"""xlink:href\s*=\s*["'](?!#)|url\((?!#)|@import""", page)
    assert "chat &lt;b&gt;" in page and "chat <b>" not in page


def test_every_plot_names_run_spec_and_machine(reported):
    # Text is drawn as paths; the comment before each line of text holds it.
    for path in (reported[0] / "plots").glob("*.svg"):
        assert f"run 0195-made · spec {spec_of(reported[0])[:12]} · Made CPU, 2 threads" in path.read_text(), path.name


def test_the_summary_has_the_spec_in_every_row_and_withheld_percentiles_without_a_value(reported):
    folder, _ = reported
    rows = list(csv.DictReader((folder / "summary.csv").read_text().splitlines()))
    assert {row["spec_sha256"] for row in rows} == {spec_of(folder)}
    ttft = {}
    for row in rows:  # of a percentile with two intervals the first
        if row["metric"] == "ttft" and row["view"] == "ok":
            ttft.setdefault(row["statistic"], row)
    said = json.loads((folder / "result.json").read_text())["metrics"]["ttft"]["ok"]
    assert float(ttft["mean"]["value"]) == pytest.approx(1000 * said["mean"])
    assert float(ttft["p90"]["value"]) == pytest.approx(1000 * said["percentiles"]["p90"]["linear"])
    assert float(ttft["p90 nearest"]["value"]) == pytest.approx(1000 * said["percentiles"]["p90"]["nearest"])
    assert float(ttft["p90"]["low"]) <= float(ttft["p90"]["value"]) <= float(ttft["p90"]["high"])
    assert (ttft["p99"]["value"], ttft["p99"]["method"]) == ("", "withheld: needs 1000")


def test_objectives_are_claims_with_the_needed_number(reported):
    text = (reported[0] / "report.md").read_text()
    assert "ttft_intended <= 500 ms for 99 %: " in text


def test_the_same_result_gives_the_same_bytes(reported, tmp_path):
    folder, _ = reported
    before = {path.name: path.read_bytes() for path in [*folder.glob("*.*"), *folder.glob("plots/*")]}
    report.write_report(folder, QUICK)
    assert {path.name: path.read_bytes() for path in [*folder.glob("*.*"), *folder.glob("plots/*")]} == before


@pytest.mark.parametrize("state", ["partial", "client_bound", "not_steady", "mismatch", "disturbed"])
def test_a_run_that_is_not_valid_has_no_headline(tmp_path, state):
    folder = made.write(tmp_path / "r", made.served(30, 4.0), validity={"state": state, "reasons": ["because of this."]})
    evidence = report.evidence_of.read(folder)
    page, _ = report.page_of_one(evidence, [], QUICK)
    assert "Headline" not in {section.heading for section in page.sections}
    assert any(f"No headline: this run is {state}. because of this." in line for section in page.sections for line in section.text)


def test_a_simulated_result_is_labelled_in_text_and_plots(tmp_path):
    folder = made.write(tmp_path / "r", made.served(30, 4.0), {"target": {"kind": "sim"}})
    report.write_report(folder, QUICK)
    assert (folder / "report.md").read_text().startswith("# Benchmark made (sim)")
    for path in (folder / "plots").glob("*.svg"):
        assert "SIM · run" in path.read_text() and "(sim)" in path.read_text()


def test_a_sweep_has_knees_and_the_plots_over_load(tmp_path):
    for k, rate in enumerate((1.0, 3.0, 5.0, 7.0, 9.0, 12.0)):  # four places of 0.48 s: 8.4 requests/s
        made.write(tmp_path / f"load{k}", made.served(int(60 * rate), rate, seed=k), {"slo": SLO, "arrival": {"law": "poisson", "rate": rate}}, run_id=f"run-{k}")
    drawn = report.write_report(tmp_path, QUICK)
    assert [d.plot.number for d in drawn if not d.missing] == [3, 4, 5]
    text = (tmp_path / "report.md").read_text()
    assert "queue knee" in text and "Universal Scalability Law" in text
    assert command_line.main(["knee", str(tmp_path)]) == 0


def test_the_report_refuses_and_exits_with_two(tmp_path, capsys):
    folder = made.write(tmp_path / "r", made.served(30, 4.0))
    document = json.loads((folder / "result.json").read_text())
    del document["spec_sha256"]
    (folder / "result.json").write_text(json.dumps(document))
    assert command_line.main(["report", str(folder)]) == 2
    assert "no number without its workload" in capsys.readouterr().err
    assert not (folder / "report.md").exists()


def test_a_folder_with_nothing_is_refused(tmp_path):
    with pytest.raises(result.Refused, match="nothing to report on"):
        report.write_report(tmp_path, QUICK)


def test_experiments_without_results_are_drawn_from_their_files(tmp_path):
    cells = [{"on": [], "seconds": [4.0, 4.1]}, {"on": ["kernels"], "seconds": [1.0, 1.02]}]
    (tmp_path / "ladder.json").write_text(json.dumps({"schema": "mie.ladder/1", "cells": cells, "comparator": {"name": "other", "seconds": [0.5, 0.5]}}))
    rows = [{"list": "mixed", "block_size": size, "waste_percent": size / 4, "closed_form": {"admitted": 100 - size}} for size in (16, 32)]
    (tmp_path / "kv.json").write_text(json.dumps({"schema": "mie.kv/1", "commit": "abc", "capacity": rows}))
    probe = {"read_gbps": 30.0, "fp32_gflops": 100.0}
    case = {"name": "linear/x", "ops": 2e6, "bytes": 1e6, "seconds": 1e-4, "gops": 20.0}
    (tmp_path / "micro.json").write_text(json.dumps({"schema": "mie.micro/1", "cpu": "Made CPU", "probe_before": probe, "cases": [case]}))
    variant = {"name": "Q4", "memory_mib": 90, "tpot_ms": 4.0, "mean_kl": 0.01, "mean_kl_error": 0.001}
    (tmp_path / "quality.json").write_text(json.dumps({"rows": [variant]}))
    drawn = report.write_report(tmp_path, QUICK)
    assert [d.plot.number for d in drawn if not d.missing] == [13, 14, 15, 16]


def test_a_ladder_may_name_results_and_is_refused_without_enough_cells(tmp_path):
    for name, token_ms in (("off", 40.0), ("on", 20.0)):
        requests = [made.request(i, 0, 0, (token_ms,) * 9, repetition=i) for i in range(3)]  # 10 tokens in 9 gaps
        made.write(tmp_path / name, requests)
    cells = [{"on": [], "result": "off"}, {"on": ["kernels"], "result": "on"}]
    (tmp_path / "ladder.json").write_text(json.dumps({"schema": "mie.ladder/1", "cells": cells}))
    found = report.evidence_of.read(tmp_path).ladder
    assert found.total.factor == pytest.approx(2)
    (tmp_path / "ladder.json").write_text(json.dumps({"schema": "mie.ladder/1", "cells": cells[1:]}))
    with pytest.raises(result.Refused, match="do not determine"):
        report.evidence_of.read(tmp_path)


def test_arms_have_columns_of_their_own_and_are_compared(tmp_path):
    requests = [made.request(i, 400 * i + 100_000 * repetition, 100 + i % 9, [gap + i % 3] * 6, arm=arm, repetition=repetition)
                for repetition in range(10) for i in range(30) for arm, gap in (("cached", 20), ("uncached", 40))]
    drawn = report.write_report(made.write(tmp_path / "r", requests), QUICK)
    assert 12 in [d.plot.number for d in drawn if not d.missing]
    text = (tmp_path / "r/report.md").read_text()
    assert "| figure | cached (n = 300) | uncached (n = 300) |" in text
    mean, = [line for line in text.splitlines() if line.startswith("| TPOT mean")]
    assert re.match(r"\| TPOT mean, ms \| 21\.00 .*\| 41\.00 ", mean)
    # 30 requests of 7 tokens, from 0 to 29 · 400 ms and the last answer: 104 + 6 · 21.7… ms later.
    rate, _ = [line for line in text.splitlines() if line.startswith("| output tokens/s")]  # the headline, then the ratio
    assert [float(cell.split()[0]) for cell in rate.split("|")[2:4]] == pytest.approx([210 / 11.83, 210 / 11.95], rel=0.002)
    assert "## Arms: uncached over cached" in text


def test_a_run_that_gets_slower_has_no_headline(tmp_path):
    for name, slower in (("steady", 0.0), ("drifts", 0.5)):  # ms a request; 120 s
        requests = [made.request(i, 200 * i, 100 + slower * i + i * 37 % 11, (20, 20, 20)) for i in range(600)]
        report.write_report(made.write(tmp_path / name, requests), QUICK)
    assert "## Headline" in (tmp_path / "steady/report.md").read_text()
    text = (tmp_path / "drifts/report.md").read_text()
    assert "## Headline" not in text
    # From 100 to 400 ms in two minutes: 150 ms a minute of a median of 255.
    assert re.search(r"No headline: this run is not steady\. repetition 0 is not steady: TTFT drifts by 5\d % a minute", text)


def test_validate_accepts_what_can_be_loaded(tmp_path, capsys):
    folder = made.write(tmp_path / "r", made.served(30, 4.0))
    assert command_line.main(["validate", str(folder)]) == 0
    assert "made, 30 requests, ok" in capsys.readouterr().out
    (folder / "requests.jsonl").write_text("")
    assert command_line.main(["validate", str(folder)]) == 2
