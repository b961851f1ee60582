"""The seventeen rows of the project that this one starts from: what it showed or promised, and our figure beside, each with its
interval, its workload and the command that measures it again. A row whose evidence is not there says so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scipy import stats

from bench.analysis import compare, summaries, verdict
from bench.analysis.campaign_rows import Row
from bench.analysis.evidence import Evidence
from bench.analysis.intervals import Settings
from bench.analysis.knee import page as knee_page
from bench.analysis.render import interval, number
from bench.analysis.result import Result

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("row", "of the seed", "here")


@dataclass(frozen=True)
class Sections:
    """Evidence by the folder of its section; what is not there is empty."""

    found: dict[str, Evidence]

    def of(self, folder: str) -> Evidence:
        return self.found.get(folder, Evidence())

    def named(self, folder: str, name: str) -> list[Result]:
        return [result for result in self.of(folder).results if result.name.startswith(name)]

    @property
    def results(self) -> list[Result]:
        return [result for evidence in self.found.values() for result in evidence.results]


@dataclass(frozen=True)
class Figure:
    text: str
    results: tuple[Result, ...] = ()
    source: str = ""
    command: str = ""


MISSING = Figure("not measured", source="–", command="./dev bench all")


def _latencies(sections: Sections, settings: Settings) -> Figure:
    results = sections.named("aa", "aa")
    if not results:
        return MISSING
    of = results[0].of_arm(results[0].arms[0])
    parts = []
    for metric, label in (("ttft_intended", "TTFT"), ("tpot", "TPOT"), ("e2el_intended", "whole answer")):
        found = summaries.of_metric(of.requests, metric, settings)
        shown = [f"p{p:g} {interval(found.percentiles[p], 3)}" for p in (50.0, 95.0) if p in found.percentiles]
        parts.append(f"{label} {', '.join(shown)} ms")
    parts.append(f"{interval(summaries.rate(of, 'output_tokens_per_s', settings))} tokens/s")
    return Figure("; ".join(parts), tuple(results[:1]))


def _failures(sections: Sections, settings: Settings) -> Figure:
    """The share of requests that failed, and whether the servers counted the same tokens."""
    results = [result for result in sections.results if not result.simulated]
    if not results:
        return MISSING
    requests = [request for result in results for request in result.requests]
    bad = sum(request["status"] not in ("ok", "truncated_by_length") for request in requests)
    late = sum(request["status"] in ("client_timeout", "deadline_server") for request in requests)
    checks = [(result.document.get("checks") or {}).get("counters") or {} for result in results]
    equal = sum(1 for check in checks if check.get("checked") and not check["failed"])
    counted = sum(1 for check in checks if check.get("checked"))
    shown = [f"{what} {_share(n, len(requests))}" for what, n in (("failed or refused", bad), ("of these out of time", late))]
    return Figure(f"{'; '.join(shown)} of {len(requests)} requests; tokens equal the server's counters in {equal} of {counted} results",
                  source=f"{len(results)} results", command="bench/analysis/run validate docs/benchmarks")


def _share(n: int, of: int) -> str:
    """In percent, with Wilson's interval."""
    low, high = stats.binomtest(n, of).proportion_ci(method="wilson")
    return f"{number(100 * n / of, 3)} % [{number(100 * low, 3)}, {number(100 * high, 3)}]"


def _workloads(sections: Sections, settings: Settings) -> Figure:
    files = sorted((ROOT / "conf/workloads").glob("*.toml"))
    return Figure(f"{len(files)} workloads, the seed's six among them; their lists draw by draw: {_point(sections, 12)}",
                  source="conf/workloads", command="mie bench selftest --point 12")


def _laws(sections: Sections, settings: Settings) -> Figure:
    return Figure(f"12 laws of lengths, 9 of arrivals; {_point(sections, 5)}", source="bench/workload/draw",
                  command="mie bench selftest --point 5")


def _point(sections: Sections, number_: int) -> str:
    checks = [check for check in sections.of("selftest").selftest if check["number"] == number_]
    if not checks:
        return "self-test not run"
    return f"{sum(check['verdict'] == 'pass' for check in checks)} of {len(checks)} checks of the self-test's point {number_} pass"


def _ratio(result: Result, of: str, over: str, metric: str) -> str:
    sides = [compare.Side(f"{result.folder}@{arm}", [result]) for arm in (over, of)]
    found = [c for c in verdict.family(compare.metrics(*sides)) if c.metric == metric]
    return f"{number(found[0].ratio)} [{number(found[0].low)}, {number(found[0].high)}]" if found else "withheld"


def _same_answers(results: list[Result]) -> str:
    checks = [(result.document.get("checks") or {}).get("self_consistency") or {} for result in results]
    return f"{sum(c.get('failed', 0) for c in checks)} of {sum(c.get('checked', 0) for c in checks)} answers differ between arms"


def _cached(sections: Sections, settings: Settings) -> Figure:
    results = sections.named("s1", "s1-seed")
    if not results:
        return MISSING
    grid = sections.named("s1", "s1")
    ratio = _ratio(results[0], "paged", "none", "output tokens/s")
    return Figure(f"512 in, 128 out: {ratio} times the tokens/s with a cache; {_same_answers(grid)}", tuple(results))


def _each(counts: list[int]) -> str:
    """Of repetitions that counted the same once, of others how many counted what."""
    if len(set(counts)) == 1:
        return str(counts[0])
    return " and ".join(f"{n} ({counts.count(n)} of {len(counts)})" for n in sorted(set(counts)))


def _six(sections: Sections, settings: Settings) -> Figure:
    results = sections.named("s3", "six-requests")
    if not results:
        return MISSING
    loads = results[0].document.get("steps") or []
    counts: dict[str, list[int]] = {}
    for load in loads:
        counts.setdefault(load["arm"], []).append(load["decode_forwards"])
    shown = ", ".join(f"{arm} {_each(of)}" for arm, of in counts.items()) or "not told"
    at_once = [check for check in sections.of("selftest").selftest if check["check"].startswith("six requests")]
    exact = f"; all six there at once: {at_once[0]['figure']} ({at_once[0]['verdict']})" if at_once else ""
    ratio = _ratio(results[0], "continuous", "static", "output tokens/s")
    return Figure(f"decode forwards over HTTP {shown}{exact}; continuous over static {ratio} times the tokens/s (141 forwards over 93 would allow 1.52); "
                  f"{_same_answers(results)}", tuple(results))


def _kv(sections: Sections) -> dict | None:
    return sections.of("kv").kv


def _kv_figure(text: str, document: dict) -> Figure:
    return Figure(text, source=f"{document['schema']} {document['commit']}", command="mie bench kv --json")


def _cases(sections: Sections, settings: Settings) -> Figure:
    if (document := _kv(sections)) is None:
        return MISSING
    cases = document.get("cases") or []
    return _kv_figure(f"{sum(case['exact'] for case in cases)} of {len(cases)} cases exact, in closed form, in the live pool and in memory",
                      document)


def _capacity(sections: Sections, settings: Settings) -> Figure:
    if (document := _kv(sections)) is None:
        return MISSING
    rows = document.get("capacity") or []
    agree = sum(row["exact"] and row["ways_agree"] for row in rows)
    return _kv_figure(f"{agree} of {len(rows)} rows exact and the same in all ways; sharing, and {len(document.get('growth') or [])} cases of growth "
                      "with preemption", document)


def _knee(sections: Sections, show: Callable[[dict], str]) -> Figure:
    documents = sections.of("s4").knees
    if not documents:
        return MISSING
    document = documents[0]
    return Figure(show(document), source=knee_page.source(document), command=document["command"])


def _curve(sections: Sections, settings: Settings) -> Figure:
    return _knee(sections, lambda d: f"{len(d['loads'])} loads with p50, p95, p99, bands and resident memory (section S4)")


def _knees(sections: Sections, settings: Settings) -> Figure:
    return _knee(sections, lambda d: "; ".join(f"{name} {value}" for name, value in knee_page.knee_cells(d)[:3]))


def _ramp(sections: Sections, settings: Settings) -> Figure:
    def show(document: dict) -> str:
        closed = sorted((load for load in document["loads"] if load["kind"] == "closed"), key=lambda load: load["concurrency"])
        first, last = closed[0], closed[-1]
        failed = sum(n for load in closed for status, n in load["by_status"].items() if status != "ok")
        return (f"{first['concurrency']} to {last['concurrency']} users in {len(closed)} closed loops, {failed} failures; at "
                f"{last['concurrency']} users {number(last['in_flight'], 3)} in flight, {knee_page.interval(last['throughput'])} requests/s; "
                f"{document['users']['sentence']}")
    return _knee(sections, show)


def _gap(sections: Sections, settings: Settings) -> Figure:
    ladder = sections.of("gap").ladder
    if ladder is None:
        return MISSING
    parts = [f"{share.name} ×{number(share.factor, 3)}" for share in ladder.shapley]
    rest = f"unexplained ×{number(ladder.remainder.factor, 3)}" if ladder.remainder else "no comparator"
    replica = [f"{r.name.partition('=')[2].rstrip(']')} in flight {_ratio(r, 'ours', 'replica', 'output tokens/s')}"
               for r in sections.named("replica", "replica")]
    return Figure(f"{', '.join(parts)}; {rest}; over the seed's algorithm on our kernels: {', '.join(replica) or 'not measured'}",
                  tuple(sections.of("gap").results + sections.of("replica").results))


def _page(name: str, text: str, command: str) -> Figure:
    return Figure(f"[{name}]({name}): {text}", source=f"docs/{name}", command=command)


def _mapping(sections: Sections, settings: Settings) -> Figure:
    lines = (ROOT / "docs/other_engines.md").read_text(encoding="utf-8").splitlines()
    n = sum("| `tests/" in line for line in lines)
    return _page("other_engines.md", f"{n} of the 14 are here, each with tests that exist; the rest is named", "./dev test")


def _quality(sections: Sections, settings: Settings) -> Figure:
    return Figure("follows with the GPTQ and AWQ loaders; for GGUF files `mie bench quality` prints agreement and KL", source="–",
                  command="mie bench quality --model FILE --text FILE")


def _divergence(sections: Sections, settings: Settings) -> Figure:
    text = (ROOT / "tests/bench/playbook_test.cpp").read_text(encoding="utf-8")
    return Figure(f"`mie diff` names the first layer, position and tensor that differ, and by how much; {text.count(chr(10) + 'TEST')} "
                  "planted bugs are tests", source="tests/bench/playbook_test.cpp", command="mie diff --help")


def _evidence(sections: Sections, settings: Settings) -> Figure:
    return Figure(f"{len(sections.results)} results stand behind this page, each with its workload's hash and its requests; one without, "
                  "or with other counts, is refused", source="mie.result/1", command="mie bench validate docs/benchmarks/…/result.json")


def _glossary(sections: Sections, settings: Settings) -> Figure:
    n = sum(line.startswith("| `") for line in (ROOT / "docs/metrics.md").read_text(encoding="utf-8").splitlines())
    return _page("metrics.md", f"{n} definitions, printed by the code that computes them", "mie bench metrics")


ROWS: tuple[tuple[str, Callable[[Sections, Settings], Figure]], ...] = (
    ("first token, gaps, latency, throughput; p50 and p95; repeated, warm-up left out", _latencies),
    ("time per output token, error and timeout rates (promised)", _failures),
    ("four workload files, S1, a template", _workloads),
    ("fixed, uniform and empirical lengths", _laws),
    ("cached against uncached: 4.67×", _cached),
    ("six requests, static against continuous: 1.90×", _six),
    ("waste of contiguous reservation", _cases),
    ("capacity and waste of paged reservation", _capacity),
    ("latency and throughput at 1, 8 and 32", _curve),
    ("saturation (not run)", _knees),
    ("load ramp of 1 to 32 users", _ramp),
    ("why vLLM wins", _gap),
    ("parts mapped to vLLM's, 14 things missing", _mapping),
    ("BF16, GPTQ, AWQ: quality (promised)", _quality),
    ("bug playbook, first divergence", _divergence),
    ("no number without its workload", _evidence),
    ("glossary", _glossary),
)


def rows(sections: Sections, settings: Settings) -> list[Row]:
    made = []
    for place, (what, show) in enumerate(ROWS, 1):
        figure = show(sections, settings)
        made.append(Row([str(place), what, figure.text], figure.results, figure.source, figure.command))
    return made
