"""The sections of docs/BENCHMARKS.md. To add a table: a TableDefinition with a function from evidence to rows, in the section whose
folder holds its results. A row names the results that its numbers come from; spec and command are added from them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bench.analysis import attribution, compare, peers, summaries, verdict
from bench.analysis.campaign_rows import Row
from bench.analysis.evidence import Evidence
from bench.analysis.intervals import Settings
from bench.analysis.knee import page as knee_page
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
    plots: tuple[str, ...] = ()  # names of bench.analysis.plots.catalogue: of all of it, or else of its first result
    plots_of_each: tuple[str, ...] = ()  # of every result
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


def self_test(evidence: Evidence, settings: Settings) -> list[Row]:
    """A line a point, with its first checks; selftest.json has them all."""
    made = []
    for number_ in dict.fromkeys(check["number"] for check in evidence.selftest):
        checks = [check for check in evidence.selftest if check["number"] == number_]
        shown = [f"{check['check']}: {figure_of(check)} ({check['limit']})" for check in checks[:SHOWN_CHECKS]]
        passed = sum(check["verdict"] == "pass" for check in checks)
        made.append(Row([str(number_), f"{passed} of {len(checks)}", "; ".join(shown)], (), "mie.selftest/1",
                        f"mie bench selftest --point {number_}"))
    return made


def figure_of(check: dict) -> str:
    """A fraction with the digits of other figures; counts and words as they are."""
    try:
        return number(float(check["figure"])) if "." in check["figure"] else check["figure"]
    except ValueError:
        return check["figure"]


def step_counts(evidence: Evidence, settings: Settings) -> list[Row]:
    """Of each arm's loads whose engine told all of its steps: counts, hence exact; from the least to the most where loads differ."""
    made = []
    for result in evidence.results:
        of_arms: dict[str, list[dict]] = {}
        for load in result.document.get("steps") or []:
            if not load["lost"]:
                of_arms.setdefault(load["arm"] or "–", []).append(load)
        for arm, loads in of_arms.items():
            counts = [range_of([load[member] for load in loads]) for member in (*STEP_MEMBERS, "occupancy")]
            made.append(Row([result.label, arm, str(len(loads)), *counts], (result,)))
    return made


def range_of(values: list[float]) -> str:
    low, high = (str(one) if isinstance(one, int) else number(one) for one in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def block_times(evidence: Evidence, settings: Settings) -> list[Row]:
    document = evidence.kv or {}
    return [Row([str(row["block_size"]), str(row["context"]), number(1000 * row["seconds"]),
                 f"{number(1000 * row['min_seconds'])} to {number(1000 * row['max_seconds'])}"], (),
                f"{document['schema']} {document['commit']}", "mie bench kv --json --time --model FILE")
            for row in document.get("step_times") or []]


def of_knee(rows: Callable[[Evidence], list[tuple[list[str], str, str]]]) -> Callable[[Evidence, Settings], list[Row]]:
    """Of searches for a knee: a row's loads are many results, which its file names."""
    return lambda evidence, settings: [Row(cells, (), source, command) for cells, source, command in rows(evidence)]


SHOWN_CHECKS = 4  # of a point of the self-test
STEP_MEMBERS = ("steps", "decode_forwards", "prefill_forwards", "decode_rows", "wasted_rows")
LATENCIES = TableDefinition(
    "Latencies", ("workload", "arm", "requests", "TTFT p50, ms", "p95", "p99", "TPOT p50, ms", "p95", "p99"), latencies)
THROUGHPUTS = TableDefinition("Throughput", ("workload", "arm", "output tokens/s", "requests/s", "goodput share"), throughputs)
RATIOS = TableDefinition("Ratios of arms", ("workload", "arms", "metric", "pairs", "ratio [95 %] verdict"), arm_ratios)
SHARES = TableDefinition("Shares of the gap", ("contributor", "faster", "log effect [95 %]", "% of the gap"), shares)
KV = TableDefinition(
    "KV capacity", ("lengths", "block size", "reserved MiB", "waste %", "admitted, closed form", "admitted, live pool"), kv_rows)

STEPS = TableDefinition(
    "Steps", ("workload", "arm", "loads", "steps", "decode forwards", "prefill forwards", "decode rows", "wasted rows", "occupancy"), step_counts)
BLOCK_TIMES = TableDefinition("Time of a decode step", ("block size", "cached tokens", "median, ms", "range"), block_times)
SELF_TEST = TableDefinition("Self-test", ("point", "checks passed", "figures (limits) of the first"), self_test)
KNEES = TableDefinition("Knees", knee_page.KNEE_COLUMNS, of_knee(knee_page.knee_rows))
LOADS = TableDefinition("Loads", knee_page.LOAD_COLUMNS, of_knee(knee_page.load_rows))
OVERLOAD = TableDefinition("Overload", knee_page.OVERLOAD_COLUMNS, of_knee(knee_page.overload_rows))
PEERS = TableDefinition("Servers", peers.COLUMNS, peers.rows)
PEER_RATIOS = TableDefinition("Ours over theirs", peers.RATIO_COLUMNS, peers.ratio_rows)
PROMISES = TableDefinition("What was promised", peers.PROMISE_COLUMNS, peers.promise_rows)

SECTIONS = (
    SectionDefinition("Self-test of the harness", "selftest", ("What is known is measured first.",), (SELF_TEST,)),
    SectionDefinition("Noise floor (A/A)", "aa", ("Both arms are the same; the width of the intervals is the noise of the machine.",),
                      (RATIOS,), ("forest",)),
    SectionDefinition("S1: cached against uncached", "s1",
                      ("One request at a time: pages of 32 tokens, one block a sequence, and every token computed from the whole sequence "
                       "anew. A pair is one request through each.",), (LATENCIES, RATIOS), ("forest",)),
    SectionDefinition("S2: variable lengths", "s2",
                      ("Sixteen at once, four at a time; answers of 64 tokens in the mean, spread further in each workload.",),
                      (STEPS, THROUGHPUTS, RATIOS), ("gantt",)),
    SectionDefinition("S3: static against continuous batching", "s3",
                      ("Steps are counted and time is measured: what is faster by more than its steps is not scheduling.",),
                      (STEPS, LATENCIES, THROUGHPUTS, RATIOS), ("gantt", "occupancy")),
    SectionDefinition("S4: saturation", "s4", (), (KNEES, LOADS, OVERLOAD), ("throughput", "trade_off", "goodput")),
    SectionDefinition("KV capacity and waste", "kv", ("Counts of blocks; both ways must agree exactly.",), (KV, BLOCK_TIMES),
                      ("kv_capacity",)),
    SectionDefinition("Prefix cache", "prefix", ("Prompts of 512 tokens of which none, half or nine tenths are shared.",),
                      (LATENCIES, RATIOS), plots_of_each=("forest",)),
    SectionDefinition("Over the seed's algorithm", "replica",
                      ("Our kernels in both arms; one request at a time, keys gathered, rows sampled one by one in the replica.",),
                      (THROUGHPUTS, RATIOS)),
    SectionDefinition("Other engines", "peers", (), (PEERS, PEER_RATIOS, PROMISES)),
    SectionDefinition("Gap decomposition", "gap", ("Switches on against off; shares are Shapley's, the remainder is unexplained.",),
                      (SHARES,), ("waterfall",)),
)
