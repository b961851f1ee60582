"""report.html, report.md and summary.csv of a folder, and its plots."""

import csv
import io
import os
from pathlib import Path

from bench.analysis import evidence as evidence_of
from bench.analysis import distribution, saturation, summaries, sweep
from bench.analysis.distribution import PERCENTILES
from bench.analysis.evidence import Evidence
from bench.analysis.intervals import Interval, Settings
from bench.analysis.plots import catalogue
from bench.analysis.plots.catalogue import Drawn
from bench.analysis.render import Page, Section, Table, as_html, as_markdown, interval, number
from bench.analysis.result import Refused, Result
from bench.analysis.summaries import MetricSummary

CSV_COLUMNS = ("run_id", "spec_sha256", "name", "sim", "metric", "view", "statistic", "value", "low", "high", "unit", "n", "method")


def write_text(path: Path, text: str) -> None:
    """Under a temporary name first: a file that is there is whole."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def identity(result: Result) -> Section:
    document = result.document
    tool, server = document.get("tool") or {}, document.get("server") or {}
    rows = [["run", result.run_id], ["workload", result.label], ["spec SHA-256", result.spec_sha256],
            ["expanded SHA-256", document["expanded_sha256"]], ["made", str(document.get("created_utc", "–"))],
            ["machine", result.machine], ["client", " ".join(str(tool.get(k)) for k in ("name", "version", "git_commit") if tool.get(k)) or "–"],
            ["server", " ".join(str(server.get(k)) for k in ("name", "version", "git_commit", "backend", "dtype") if server.get(k)) or "–"],
            ["validity", result.state]]
    return Section("What ran", tables=[Table(["", ""], rows)])


def validity(result: Result) -> Section:
    """A run that is not valid prints no headline."""
    reasons = result.document["validity"].get("reasons") or []
    warnings = [str(w) for w in result.document.get("warnings") or []]
    if sweep.spec_of(result).get("arrival", {}).get("law") == "closed":
        warnings.append("A closed loop: a stalled server is sent less, so stalls are under-represented.")
    if result.state == "ok":
        return Section("Validity", ["The run is valid.", *warnings])
    return Section("Validity", [f"No headline: this run is {result.state}. " + " ".join(map(str, reasons)), *warnings], warning=True)


def headline(result: Result, metrics: dict[str, MetricSummary], rates: dict[str, Interval]) -> Section:
    rows = [["output tokens/s", interval(rates["output_tokens_per_s"]), rates["output_tokens_per_s"].method],
            ["requests/s", interval(rates["requests_per_s"]), rates["requests_per_s"].method]]
    share = summaries.goodput(result)
    if share is not None:
        percent = Interval(100 * share.estimate, 100 * share.low, 100 * share.high, share.method, share.n)
        rows.append(["goodput, % of offered", interval(percent), share.method])
    for metric, label in (("ttft_intended", "TTFT"), ("tpot", "TPOT")):
        found = metrics[metric]
        rows.append([f"{label} mean, ms", interval(found.mean), found.mean.method])
        rows += [[f"{label} p{p:g}, ms", interval(i), i.method] for p, i in found.percentiles.items()]
    return Section("Headline", [f"{len(result.requests)} requests in the window; 95 % intervals."], [Table(["figure", "value", "method"], rows)])


def distributions(found: list[MetricSummary]) -> Section:
    columns = ["metric, ms", "n", "none", "mean [95 %]", "sd", "min", *(f"p{p:g}" for p in PERCENTILES), "max"]
    rows = []
    for m in found:
        s = m.summary
        if not s.n:
            continue
        cells = [_percentile(m, p) for p in PERCENTILES]
        label = summaries.LABELS[m.metric] + ("" if m.view == "ok" else ", all requests")
        rows.append([label, f"{s.n}", f"{m.n_undefined}", interval(m.mean), number(s.sd), number(s.least), *cells, number(s.greatest)])
    notes = ["Linear percentiles; nearest rank is in summary.csv. A percentile is withheld while fewer than ten values lie beyond it. “none”: "
             "requests without such a figure. “All requests”: failed ones count as long as their limit.",
             "Intervals: " + "; ".join(sorted({m.mean.method for m in found if m.mean.there and m.mean.method != "constant"})) +
             "; of percentiles the bootstrap's, the order-statistic interval is in summary.csv."]
    return Section("Distributions", notes, [Table(columns, rows)])


def _percentile(found: MetricSummary, p: float) -> str:
    if p in found.summary.withheld:
        return f"needs {found.summary.withheld[p]}"
    return interval(found.percentiles[p]) if p in found.percentiles else number(found.summary.linear[p])


def counts(result: Result) -> Section:
    said = result.document["counts"]
    rows = [[name, str(said.get(name, "–"))] for name in ("offered", "sent", "retried", "tokens_in", "tokens_out", "tokens_cached", "unique_prompts")]
    rows += [[f"status {status}", str(n)] for status, n in (said.get("by_status") or {}).items() if n]
    checks = [[name, str(value)] for name, value in (result.document.get("checks") or {}).items()]
    return Section("Counts and checks", tables=[Table(["count", "requests, tokens"], rows)] + ([Table(["check", ""], checks)] if checks else []))


def steady_section(result: Result) -> Section:
    found = summaries.steadiness(result)

    def line(name: str, one) -> list[str]:
        drift = f"{number(one.drift)} [{number(one.drift_low)}, {number(one.drift_high)}]"
        return [name, number(one.p_parts), drift, "yes" if one.steady else "NO"]

    text = [f"Warm-up by MSER-5 ends at {number(found.warmup_end_s)} s; the window is {number(result.window[0] / 1e9)} to "
            f"{number(result.window[1] / 1e9)} s. Little's residual {number(100 * found.little_residual)} %. The seconds of the window are worth "
            f"{number(found.rate_effective_n)} independent ones." + (" In flight and TTFT both grow: over-saturated." if found.over_saturated else "")]
    table = Table(["series", "Kruskal–Wallis p of 4 parts", "drift, % a minute [95 %]", "steady"],
                  [line("TTFT", found.ttft), line("output rate", found.rate)])
    return Section("Steadiness", text + summaries.slo_claims(result), [table])


def knees(results: list[Result]) -> Section | None:
    loads = sweep.of(results)
    if loads is None:
        return None
    rows = []
    for name, knee in loads.knees().items():
        note = "" if knee.found else "not found: every load passed or none did"
        rows.append([f"{name} knee", number(knee.value), number(knee.low), number(knee.high), note])
    text = [line for line in [saturation.disagreement(loads.knees())] if line]
    fit = loads.usl()
    tables = [Table(["knee, requests/s", "value", "passes at", "fails at", ""], rows)]
    if fit:
        coefficients = [("λ, requests/s alone", fit.rate), ("σ, contention", fit.sigma), ("κ, coherence", fit.kappa), ("N*, most in flight", fit.best_n)]
        tables.append(Table(["Universal Scalability Law", "value [95 %]"], [[n, f"{number(v)} [{number(a)}, {number(b)}]"] for n, (v, a, b) in coefficients]))
        text.append(f"The law misses the measured throughput by {number(100 * fit.residual)} % of the greatest (root mean square).")
    return Section("Saturation", text, tables)


def overview(results: list[Result]) -> Section:
    rows = []
    for result in results:
        rate = summaries.rate(result, "output_tokens_per_s") if result.state == "ok" else None
        rows.append([result.label, result.run_id, result.spec_sha256[:12], result.state, str(len(result.requests)), interval(rate) if rate else "no headline"])
    return Section("Results", tables=[Table(["workload", "run", "spec", "validity", "requests", "output tokens/s"], rows)])


def plot_section(drawn: list[Drawn]) -> Section:
    missing = [f"Missing plot {d.plot.number}, {d.plot.title}: {d.missing}." for d in drawn if d.missing]
    return Section("Plots", missing, plots=drawn)


def reproduce(results: list[Result]) -> Section:
    lines = []
    for result in results:
        said = result.document.get("reproduce") or {}
        commands = said.get("commands") if isinstance(said, dict) else said
        lines += [str(line) for line in (commands if isinstance(commands, list) else [commands or result.document.get("command_line")]) if line]
    return Section("Reproduce", code=list(dict.fromkeys(lines)))


def csv_rows(result: Result, found: list[MetricSummary], rates: dict[str, Interval]) -> list[list]:
    head = [result.run_id, result.spec_sha256, result.name, int(result.simulated)]
    rows = [head + [kind, "ok", "rate", i.estimate, i.low, i.high, "1/s", i.n, i.method] for kind, i in rates.items()]
    for m in found:
        s = m.summary
        if not s.n:
            continue
        rows.append(head + [m.metric, m.view, "mean", m.mean.estimate, m.mean.low, m.mean.high, "ms", s.n, m.mean.method])
        rows += [head + [m.metric, m.view, name, value, "", "", "ms", s.n, ""] for name, value in (("sd", s.sd), ("min", s.least), ("max", s.greatest))]
        for p in PERCENTILES:
            if p in s.withheld:
                rows.append(head + [m.metric, m.view, f"p{p:g}", "", "", "", "ms", s.n, f"withheld: needs {distribution.needed(p)}"])
                continue
            rows.append(head + [m.metric, m.view, f"p{p:g} nearest", s.nearest[p], "", "", "ms", s.n, ""])
            for i in (m.percentiles.get(p), m.order.get(p) if m.view == "ok" else None):
                if i is not None:
                    rows.append(head + [m.metric, m.view, f"p{p:g}", i.estimate, i.low, i.high, "ms", s.n, i.method])
            if p not in m.percentiles:
                rows.append(head + [m.metric, m.view, f"p{p:g}", s.linear[p], "", "", "ms", s.n, ""])
    return rows


def as_csv(rows: list[list]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows([[f"{cell:.9g}" if isinstance(cell, float) else cell for cell in row] for row in rows])
    return out.getvalue()


def page_of_one(evidence: Evidence, drawn: list[Drawn], settings: Settings) -> tuple[Page, list[list]]:
    result = evidence.results[0]
    found = {name: summaries.of_metric(result.requests, name, settings) for name in summaries.SHOWN}
    rates = {kind: summaries.rate(result, kind, settings) for kind in ("output_tokens_per_s", "requests_per_s")}
    everyone = [summaries.of_all_view(result.requests, name, summaries.limit_ms(result)) for name in ("ttft_intended", "e2el_intended")]
    sections = [identity(result), validity(result)]
    if result.state == "ok":
        sections.append(headline(result, found, rates))
    sections += [distributions([*found.values(), *everyone]), counts(result), steady_section(result), plot_section(drawn), reproduce([result])]
    return Page(f"Benchmark {result.label}", sections), csv_rows(result, [*found.values(), *everyone], rates)


def page_of_many(evidence: Evidence, drawn: list[Drawn], settings: Settings) -> tuple[Page, list[list]]:
    sections = [overview(evidence.results)] if evidence.results else []
    saturated = knees(evidence.results)
    sections += [saturated] if saturated else []
    sections += [plot_section(drawn), reproduce(evidence.results)]
    rows = []
    for result in evidence.results:
        rates = {kind: summaries.rate(result, kind, settings) for kind in ("output_tokens_per_s", "requests_per_s")}
        rows += csv_rows(result, [summaries.of_metric(result.requests, name, settings) for name in ("ttft_intended", "tpot", "e2el_intended")], rates)
    return Page(f"Benchmarks in {evidence.results[0].folder.parent.name}" if evidence.results else "Benchmarks", sections), rows


def write_report(folder: Path, settings: Settings = Settings()) -> list[Drawn]:
    """Reads everything under the folder and writes its report; raises Refused. Returns what was drawn, and what is missing."""
    folder = Path(folder)
    evidence = evidence_of.read(folder)
    if not any((evidence.results, evidence.kv, evidence.micro, evidence.quality, evidence.ladder, evidence.steps)):
        raise Refused(f"{folder}: nothing to report on")
    drawn = catalogue.draw_all(evidence)
    page, rows = (page_of_one if len(evidence.results) == 1 else page_of_many)(evidence, drawn, settings)
    catalogue.write(drawn, folder)
    write_text(folder / "report.md", as_markdown(page))
    write_text(folder / "report.html", as_html(page))
    write_text(folder / "summary.csv", as_csv(rows))
    return drawn
