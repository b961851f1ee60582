"""The sections of a report: each takes results and gives text and tables."""

from bench.analysis import saturation, summaries, sweep
from bench.analysis.distribution import PERCENTILES
from bench.analysis.evidence import Evidence
from bench.analysis.intervals import Interval
from bench.analysis.plots.catalogue import Drawn
from bench.analysis.render import Section, Table, interval, number
from bench.analysis.result import Result
from bench.analysis.summaries import ArmSummary, MetricSummary

MAX_PARTS = 40  # rows of the steadiness table
COUNTS = ("offered", "sent", "retried", "tokens_in", "tokens_out", "tokens_cached")


def _words(document: dict | None, names: tuple[str, ...]) -> str:
    return " ".join(str((document or {})[name]) for name in names if (document or {}).get(name)) or "–"


def identity(result: Result) -> Section:
    document = result.document
    rows = [["run", result.run_id], ["workload", result.label], ["spec SHA-256", result.spec_sha256],
            ["expanded SHA-256", document["expanded_sha256"]], ["made", str(document.get("created_utc", "–"))],
            ["machine", result.machine], ["client", _words(document.get("tool"), ("name", "version", "git_commit"))],
            ["validity", result.state]]
    for arm in (document.get("server") or {}).get("arms") or []:
        rows.insert(-1, [f"server {arm.get('name') or ''}".strip(), _server(arm)])
    return Section("What ran", tables=[Table(["", ""], rows)])


def _server(arm: dict) -> str:
    version = arm.get("version")
    version = version.get("version") if isinstance(version, dict) else version
    return " ".join(str(word) for word in (version, arm.get("model"), *(arm.get("flags") or [])) if word) or "–"


def validity(result: Result) -> Section:
    """A run that is not valid prints no headline."""
    reasons = result.document["validity"].get("reasons") or []
    warnings = [str(w) for w in result.document.get("warnings") or []]
    if sweep.spec_of(result).get("arrival", {}).get("law") == "closed":
        warnings.append("A closed loop: a stalled server is sent less, so stalls are under-represented.")
    drifts = summaries.unsteady(result)
    if result.state == "ok" and not drifts:
        return Section("Validity", ["The run is valid.", *warnings])
    state = result.state if result.state != "ok" else "not steady"
    text = f"No headline: this run is {state}. " + " ".join([*map(str, reasons), *drifts])
    return Section("Validity", [text, *warnings], warning=True)


def headline(arms: list[ArmSummary]) -> Section:
    """One column an arm."""
    rows: dict[str, list[str]] = {}
    for i, arm in enumerate(arms):
        for name, found in _headline_figures(arm).items():
            rows.setdefault(name, ["–"] * len(arms))[i] = interval(found)
    methods = {found.method for arm in arms for found in _headline_figures(arm).values()}
    text = f"95 % intervals: {'; '.join(sorted(methods))}."
    columns = ["figure", *(f"{arm.name or 'value'} (n = {arm.n_requests})" for arm in arms)]
    return Section("Headline", [text], [Table(columns, [[name, *cells] for name, cells in rows.items()])])


def _headline_figures(arm: ArmSummary) -> dict[str, Interval]:
    found = {"output tokens/s": arm.rates["output_tokens_per_s"], "requests/s": arm.rates["requests_per_s"]}
    if arm.goodput is not None:
        g = arm.goodput
        found["goodput, % of offered"] = Interval(100 * g.estimate, 100 * g.low, 100 * g.high, g.method, g.n)
    for metric, label in (("ttft_intended", "TTFT"), ("tpot", "TPOT")):
        of = arm.metrics[metric]
        if of.summary.n:
            found[f"{label} mean, ms"] = of.mean
            found |= {f"{label} p{p:g}, ms": i for p, i in of.percentiles.items()}
    return found


def distributions(arm: ArmSummary) -> Section:
    columns = ["metric, ms", "n", "none", "mean [95 %]", "sd", "min", *(f"p{p:g}" for p in PERCENTILES), "max"]
    rows = []
    for m in arm.everything():
        s = m.summary
        if not s.n:
            continue
        label = summaries.LABELS[m.metric] + ("" if m.view == "ok" else ", all requests")
        rows.append([label, f"{s.n}", f"{m.n_undefined}", interval(m.mean), number(s.sd), number(s.least),
                     *(_percentile(m, p) for p in PERCENTILES), number(s.greatest)])
    notes = ["Linear percentiles; nearest rank and the order-statistic intervals are in summary.csv. A percentile is withheld while fewer "
             "than ten values lie beyond it. “none”: requests without such a figure. “All requests”: failed ones count as long as "
             "their limit."]
    return Section("Distributions" + (f", {arm.name}" if arm.name else ""), notes, [Table(columns, rows)])


def _percentile(found: MetricSummary, p: float) -> str:
    if p in found.summary.withheld:
        return f"needs {found.summary.withheld[p]}"
    return interval(found.percentiles[p]) if p in found.percentiles else number(found.summary.linear[p])


def arms_compared(evidence: Evidence) -> Section:
    rows = [[c.metric, str(c.n_pairs), f"{c.ratio:.4f} [{c.low:.4f}, {c.high:.4f}]", number(c.p_holm, 3),
             "too few" if c.p_unpaired is None else number(c.p_unpaired, 3), c.verdict, str(c.needed)] for c in evidence.comparisons]
    table = Table(["metric", "pairs", "ratio [95 %]", "p (Holm)", "p unpaired", "verdict", "pairs that would tell"], rows)
    return Section(f"Arms: {evidence.compared[1]} over {evidence.compared[0]}", tables=[table])


def counts(result: Result) -> Section:
    said = result.document["counts"]
    rows = [[name, str(said.get(name, "–"))] for name in COUNTS]
    rows += [[f"status {status}", str(n)] for status, n in (said.get("by_status") or {}).items() if n]
    tables = [Table(["count", "requests, tokens"], rows)]
    if checks := result.document.get("checks"):
        rows = [[name, str(check.get("checked")), str(check.get("failed"))] for name, check in checks.items()]
        tables.append(Table(["check", "checked", "failed"], rows))
    return Section("Counts and checks", tables=tables)


def steadiness(result: Result) -> Section:
    rows = []
    for part in result.parts[:MAX_PARTS]:
        found = summaries.steadiness(part)
        ttft, rate = found.ttft, found.rate
        drifts = [f"{number(one.drift, 3)} [{number(one.drift_low, 3)}, {number(one.drift_high, 3)}]" if found.judged else "–"
                  for one in (ttft, rate)]
        steady = "not judged: short" if not found.judged else found.fault or "yes"
        if found.judged and (ttft.parts_differ or rate.parts_differ):
            steady += "; its quarters differ"
        rows.append([f"{part.arm} {part.repetition}".strip(), f"{number(part.window[0] / 1e9)}–{number(part.window[1] / 1e9)}",
                     number(found.warmup_s, 3), number(ttft.p_parts, 3), number(rate.p_parts, 3), *drifts,
                     number(100 * found.little_residual, 3), number(found.rate_effective_n, 3), steady])
    columns = ["repetition", "window, s", "warm-up by MSER-5, s", "p of 4 parts, TTFT", "p, rate", "drift of TTFT, % a minute", "of the rate",
               "Little's residual, %", "effective seconds", "steady"]
    return Section("Steadiness", summaries.slo_claims(result), [Table(columns, rows)])


def knees(results: list[Result]) -> Section | None:
    loads = sweep.of(results)
    if loads is None:
        return None
    found = loads.knees()
    rows = [[f"{name} knee", number(knee.value), number(knee.low), number(knee.high),
             "" if knee.found else "not found: every load passed or none did"] for name, knee in found.items()]
    tables, text = [Table(["knee, requests/s", "value", "passes at", "fails at", ""], rows)], []
    if reason := saturation.disagreement(found):
        text.append(reason[0].upper() + reason[1:] + ".")
    if fit := loads.usl():
        coefficients = (("λ, requests/s alone", fit.rate), ("σ, contention", fit.sigma), ("κ, coherence", fit.kappa),
                        ("N*, most in flight", fit.best_n))
        tables.append(Table(["Universal Scalability Law", "value [95 %]"],
                            [[name, f"{number(v)} [{number(a)}, {number(b)}]"] for name, (v, a, b) in coefficients]))
        text.append(f"The law misses the measured throughput by {number(100 * fit.residual)} % of the greatest (root mean square).")
    return Section("Saturation", text, tables)


def overview(results: list[Result]) -> Section:
    rows = []
    for result in results:
        for arm in result.arms:
            of = result.of_arm(arm)
            rate = interval(summaries.rate(of, "output_tokens_per_s")) if result.state == "ok" else "no headline"
            rows.append([result.label, arm or "–", result.run_id, result.spec_sha256[:12], result.state, str(len(of.requests)),
                         rate])
    return Section("Results", tables=[Table(["workload", "arm", "run", "spec", "validity", "requests", "output tokens/s"], rows)])


def plots(drawn: list[Drawn]) -> Section:
    missing = [f"Missing plot {d.plot.number}, {d.plot.title}: {d.missing}." for d in drawn if d.missing]
    return Section("Plots", missing, plots=drawn)


def commands_of(result: Result) -> list[str]:
    said = result.document.get("reproduce")
    return [str(line) for line in (said.get("commands") or [] if isinstance(said, dict) else [])]


def reproduce(results: list[Result]) -> Section:
    return Section("Reproduce", code=list(dict.fromkeys(line for result in results for line in commands_of(result))))
