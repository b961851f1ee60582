"""report.html, report.md and summary.csv of a folder, and its plots."""

import csv
import io
import os
from pathlib import Path

from bench.analysis import compare, distribution, sections, summaries, verdict
from bench.analysis import evidence as evidence_of
from bench.analysis.distribution import PERCENTILES
from bench.analysis.evidence import Evidence
from bench.analysis.intervals import Settings
from bench.analysis.plots import catalogue
from bench.analysis.plots.catalogue import Drawn
from bench.analysis.render import Page, as_html, as_markdown, write_text
from bench.analysis.result import Refused, Result
from bench.analysis.summaries import ArmSummary, MetricSummary

CSV_COLUMNS = ("run_id", "spec_sha256", "name", "sim", "arm", "metric", "view", "statistic", "value", "low", "high", "unit", "n",
               "method")
OF_MANY = ("ttft_intended", "tpot", "e2el_intended")  # metrics of each result in the page of several


def csv_rows(result: Result, arm: ArmSummary) -> list[list]:
    head = [result.run_id, result.spec_sha256, result.name, int(result.simulated), arm.name]
    rows = [[*head, kind, "ok", "rate", i.estimate, i.low, i.high, "1/s", i.n, i.method] for kind, i in arm.rates.items()]
    for found in arm.everything():
        if found.summary.n:
            rows += [[*head, found.metric, found.view, *row] for row in _statistics(found)]
    return rows


def _statistics(found: MetricSummary) -> list[list]:
    """[statistic, value, low, high, unit, n, method]"""
    s = found.summary
    rows = [["mean", found.mean.estimate, found.mean.low, found.mean.high, "ms", s.n, found.mean.method]]
    rows += [[name, value, "", "", "ms", s.n, ""] for name, value in (("sd", s.sd), ("min", s.least), ("max", s.greatest))]
    for p in PERCENTILES:
        if p in s.withheld:
            rows.append([f"p{p:g}", "", "", "", "ms", s.n, f"withheld: needs {distribution.needed(p)}"])
            continue
        bounds = [i for i in (found.percentiles.get(p), found.order.get(p)) if i is not None]
        rows += [[f"p{p:g}", i.estimate, i.low, i.high, "ms", s.n, i.method] for i in bounds]
        if not bounds:
            rows.append([f"p{p:g}", s.linear[p], "", "", "ms", s.n, ""])
        rows.append([f"p{p:g} nearest", s.nearest[p], "", "", "ms", s.n, ""])
    return rows


def as_csv(rows: list[list]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows([[f"{cell:.9g}" if isinstance(cell, float) else cell for cell in row] for row in rows])
    return out.getvalue()


def compare_arms(evidence: Evidence) -> None:
    """Of one result with arms: every further one against the first, as one family."""
    if len(evidence.results) != 1 or len(evidence.results[0].arms) < 2:
        return
    result = evidence.results[0]
    first, *others = [(arm, compare.Side(f"{result.folder}@{arm}", [result])) for arm in result.arms]
    metrics = {}
    for arm, side in others:
        prefix = f"{arm}: " if len(others) > 1 else ""
        metrics |= {prefix + name: values for name, values in compare.metrics(first[1], side).items()}
    evidence.comparisons = verdict.family(metrics)
    evidence.compared = (first[0], others[0][0] if len(others) == 1 else "others")


def page_of_one(evidence: Evidence, drawn: list[Drawn], settings: Settings) -> tuple[Page, list[list]]:
    result = evidence.results[0]
    arms = [summaries.of_arm(result, arm, summaries.SHOWN, settings) for arm in result.arms]
    valid = sections.validity(result)
    made = [sections.identity(result), valid]
    if not valid.warning:
        made.append(sections.headline(arms))
    if evidence.comparisons:
        made.append(sections.arms_compared(evidence))
    made += [sections.distributions(arm) for arm in arms]
    made += [sections.counts(result), sections.steadiness(result), sections.plots(drawn), sections.reproduce([result])]
    return Page(f"Benchmark {result.label}", made), [row for arm in arms for row in csv_rows(result, arm)]


def page_of_many(evidence: Evidence, drawn: list[Drawn], settings: Settings) -> tuple[Page, list[list]]:
    made = [sections.overview(evidence.results)] if evidence.results else []
    made += [section for section in (sections.knees(evidence.results),) if section]
    made += [sections.plots(drawn), sections.reproduce(evidence.results)]
    rows = [row for result in evidence.results for arm in result.arms
            for row in csv_rows(result, summaries.of_arm(result, arm, OF_MANY, settings))]
    return Page("Benchmarks", made), rows


def write_report(folder: Path, settings: Settings = Settings()) -> list[Drawn]:
    """Reads everything under the folder and writes its report; raises Refused. Returns what was drawn, and what is missing."""
    folder = Path(folder)
    evidence = evidence_of.read(folder)
    if not any((evidence.results, evidence.kv, evidence.micro, evidence.quality, evidence.ladder, evidence.steps)):
        raise Refused(f"{folder}: nothing to report on")
    compare_arms(evidence)
    drawn = catalogue.draw_all(evidence)
    page, rows = (page_of_one if len(evidence.results) == 1 else page_of_many)(evidence, drawn, settings)
    catalogue.write(drawn, folder)
    write_text(folder / "report.md", as_markdown(page))
    write_text(folder / "report.html", as_html(page))
    write_text(folder / "summary.csv", as_csv(rows))
    return drawn
