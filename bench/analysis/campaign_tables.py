"""The sections of docs/BENCHMARKS.md. To add a table: a TableDefinition with a function from evidence to rows, in the section whose
folder holds its results. A row names the results that its numbers come from; spec and command are added from them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bench.analysis import attribution, compare, summaries, sweep, verdict
from bench.analysis.campaign_rows import Row
from bench.analysis.evidence import Evidence
from bench.analysis.intervals import Settings
from bench.analysis.render import interval, number


@dataclass(frozen=True)
class TableDefinition:
    name: str
    columns: tuple[str, ...]
    rows: Callable[[Evidence, Settings], list[Row]]


@dataclass(frozen=True)
class SectionDefinition:
    heading: str
    folder: str  # under the campaign's
    text: tuple[str, ...]
    tables: tuple[TableDefinition, ...]
    plots: tuple[str, ...] = ()  # names of bench.analysis.plots.catalogue
    image_prefix: str = "benchmarks"  # the campaign's folder, seen from the page


def latencies(evidence: Evidence, settings: Settings) -> list[Row]:
    rows = []
    for result in evidence.results:
        for arm in result.arms:
            requests = result.of_arm(arm).requests
            ttft, tpot = (summaries.of_metric(requests, metric, settings) for metric in ("ttft_intended", "tpot"))
            cells = [result.label, arm or "–", str(len(requests))]
            for found in (ttft, tpot):
                for p in (50.0, 95.0, 99.0):
                    shown = found.percentiles.get(p)
                    cells.append(interval(shown, 3) if shown else f"needs {found.summary.withheld.get(p, 0)}")
            rows.append(Row(cells, (result,)))
    return rows


def throughputs(evidence: Evidence, settings: Settings) -> list[Row]:
    rows = []
    for result in evidence.results:
        for arm in result.arms:
            of = result.of_arm(arm)
            share = summaries.goodput(of)
            rates = [interval(summaries.rate(of, kind, settings)) for kind in ("output_tokens_per_s", "requests_per_s")]
            rows.append(Row([result.label, arm or "–", *rates, interval(share, 3) if share else "no objective"], (result,)))
    return rows


def arm_ratios(evidence: Evidence, settings: Settings) -> list[Row]:
    """Every further arm of a result against its first, by repetition."""
    rows = []
    for result in evidence.results:
        first, *others = result.arms
        for other in others:
            sides = [compare.Side(f"{result.folder}@{arm}", [result]) for arm in (first, other)]
            for found in verdict.family(compare.metrics(*sides)):
                rows.append(Row([result.label, f"{other} / {first}", found.metric, str(found.n_pairs), found.text()], (result,)))
    return rows


def knees(evidence: Evidence, settings: Settings) -> list[Row]:
    loads = sweep.of(evidence.results)
    if loads is None:
        return []
    return [Row([f"{name} knee", f"{number(knee.value)} [{number(knee.low)}, {number(knee.high)}] {knee.unit}"], tuple(loads.results))
            for name, knee in loads.knees().items()]


def shares(evidence: Evidence, settings: Settings) -> list[Row]:
    found = evidence.ladder
    if found is None:
        return []
    percents = attribution.percent_of_gap(found)
    parts = [*found.shapley, *([found.remainder] if found.remainder else [])]
    return [Row([s.name, f"×{number(s.factor, 3)}", f"{number(s.log_effect, 3)} [{number(s.low, 3)}, {number(s.high, 3)}]",
                 number(percents[s.name], 3)], tuple(evidence.results), "ladder.json", "mie bench report") for s in parts]


def kv_rows(evidence: Evidence, settings: Settings) -> list[Row]:
    """Counts, hence exact: no interval."""
    document = evidence.kv or {}
    source = " ".join(str(document.get(key, "")) for key in ("schema", "commit"))
    return [Row([row["list"], str(row["block_size"]), number(row["reserved_mib"]), number(row["waste_percent"]),
                 str(row["closed_form"]["admitted"]), str((row.get("live_pool") or {}).get("admitted", "–"))], (), source,
                "mie bench kv --json") for row in document.get("capacity") or []]


LATENCIES = TableDefinition(
    "Latencies", ("workload", "arm", "requests", "TTFT p50, ms", "p95", "p99", "TPOT p50, ms", "p95", "p99"), latencies)
THROUGHPUTS = TableDefinition("Throughput", ("workload", "arm", "output tokens/s", "requests/s", "goodput share"), throughputs)
RATIOS = TableDefinition("Ratios of arms", ("workload", "arms", "metric", "pairs", "ratio [95 %] verdict"), arm_ratios)
KNEES = TableDefinition("Knees", ("knee", "value [passes, fails]"), knees)
SHARES = TableDefinition("Shares of the gap", ("contributor", "faster", "log effect [95 %]", "% of the gap"), shares)
KV = TableDefinition(
    "KV capacity", ("lengths", "block size", "reserved MiB", "waste %", "admitted, closed form", "admitted, live pool"), kv_rows)

SECTIONS = (
    SectionDefinition("Noise floor (A/A)", "aa", ("Both arms are the same; the width of the intervals is the noise of the machine.",),
                      (RATIOS,), ("forest",)),
    SectionDefinition("S1: cached against uncached", "s1", (), (LATENCIES, RATIOS), ("latency_cdf", "forest")),
    SectionDefinition("S2: variable lengths", "s2", (), (LATENCIES, THROUGHPUTS, RATIOS), ("gantt", "occupancy")),
    SectionDefinition("S3: static against continuous batching", "s3", (), (LATENCIES, THROUGHPUTS, RATIOS), ("gantt", "occupancy")),
    SectionDefinition("S4: saturation", "s4", (), (KNEES, THROUGHPUTS, LATENCIES), ("throughput", "trade_off", "goodput")),
    SectionDefinition("KV capacity and waste", "kv", ("Counts of blocks; both ways must agree exactly.",), (KV,), ("kv_capacity",)),
    SectionDefinition("Other engines", "peers", (), (THROUGHPUTS, LATENCIES), ("forest",)),
    SectionDefinition("Gap decomposition", "gap", ("Switches on against off; shares are Shapley's, the remainder is unexplained.",),
                      (SHARES,), ("waterfall",)),
)
