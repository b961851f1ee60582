"""`compare A B…`: the same work on two sides, or a refusal that says what differs; then ratios, verdicts, the forest plot."""

from pathlib import Path

import numpy as np

from bench.analysis import distribution, figures, result, summaries, sweep, verdict
from bench.analysis.evidence import Evidence
from bench.analysis.plots import catalogue
from bench.analysis.render import write_text
from bench.analysis.result import Part, Refused, Result
from bench.analysis.verdict import Comparison

EXIT = {verdict.WORSE: 1, verdict.CANNOT_TELL: 4}
INVALID = 5
# Of the host: what moves while something runs.
MOVING = ["before", "after"]
PERCENTILES = (("ttft_intended", 50.0), ("ttft_intended", 95.0), ("ttft_intended", 99.0), ("tpot", 50.0), ("tpot", 95.0),
               ("itl", 50.0), ("itl", 99.0), ("e2el_intended", 50.0), ("e2el_intended", 95.0))
MEDIAN = 50.0


class Side:
    """One arm: the repetitions of one result, or of every result under a folder, in order. `loaded`: where they were read already."""

    def __init__(self, name: str, loaded: list[Result] | None = None):
        path, _, arm = name.partition("@")
        self.name = name
        self.results = loaded or [result.load(folder) for folder in result.folders_under(Path(path))]
        if not self.results:
            raise Refused(f"{path}: no result")
        if len({r.spec_sha256 for r in self.results}) > 1:
            raise Refused(f"{path}: results of different specs")
        parts = [part for r in self.results for part in r.parts if not arm or part.arm == arm]
        self.repetitions: list[Part] = [part for part in parts if part.requests]
        if not self.repetitions:
            raise Refused(f"{name}: no requests")
        if len({part.arm for part in parts}) > 1:
            raise Refused(f"{name}: several arms; choose one with {path}@ARM")

    @property
    def first(self) -> Result:
        return self.results[0]

    @property
    def label(self) -> str:
        return Path(self.name).name + (" (sim)" if self.first.simulated else "")


def flat(tree, prefix: str = "") -> dict[str, object]:
    """A tree as dotted paths: {"a": {"b": 1}} is {"a.b": 1}."""
    if isinstance(tree, dict) and tree:
        parts = [flat(below, f"{prefix}.{key}" if prefix else key) for key, below in tree.items()]
        return {path: value for part in parts for path, value in part.items()}
    return {prefix: tree}


def differences(a, b) -> dict[str, tuple]:
    left, right = flat(a), flat(b)
    paths = sorted(left.keys() | right.keys())
    return {path: (left.get(path), right.get(path)) for path in paths if left.get(path) != right.get(path)}


def allowed(path: str, fields: list[str]) -> bool:
    return any(path == field or path.startswith(field + ".") for field in fields)


def check_same_work(a: Side, b: Side, allow: list[str]) -> list[str]:
    """Refuses unless the specs are equal but for allowed fields; returns lines about the host."""
    found = differences(a.first.document["spec"], b.first.document["spec"])
    refused = {path: values for path, values in found.items() if not allowed(path, allow)}
    if refused:
        lines = [f"  {path}: {left!r} / {right!r}" for path, (left, right) in refused.items()]
        raise Refused("different specs; --allow-diff FIELD lets a field through\n" + "\n".join(lines))
    for name in ("spec_sha256", "expanded_sha256"):
        if a.first.document[name] != b.first.document[name] and not found:
            raise Refused(f"{name} differs although the specs are the same")
    host = differences(a.first.document["host"], b.first.document["host"])
    return [f"{path} differs: {left} / {right}" for path, (left, right) in host.items() if not allowed(path, MOVING)]


def metrics(a: Side, b: Side) -> dict[str, tuple[np.ndarray, np.ndarray, bool]]:
    """name → figure of each pair's sides, and whether more is better. A percentile that any repetition must withhold is left out; for a
    median that is, the mean stands in."""
    n = min(len(a.repetitions), len(b.repetitions))
    sides = [side.repetitions[:n] for side in (a, b)]
    samples = [[figures.ok_view(part.requests) for part in side] for side in sides]
    found = {}
    for metric, p in PERCENTILES:
        values = [[one[metric].defined for one in side] for side in samples]
        if not all(v.size for side in values for v in side):
            continue
        label, of = f"{summaries.LABELS[metric]} p{p:g}", lambda v, p=p: distribution.linear(v, p)
        if any(distribution.withheld(v.size, p) for side in values for v in side):
            if p != MEDIAN:
                continue
            label, of = f"{summaries.LABELS[metric]} mean", np.mean
        left, right = (np.array([of(v) for v in side]) for side in values)
        found[label] = (left, right, False)
    for kind, name in (("output_tokens_per_s", "output tokens/s"), ("requests_per_s", "requests/s")):
        left, right = (np.array([figures.rates(part.everything, part.window)[kind] for part in side]) for side in sides)
        found[name] = (left, right, True)
    slo = sweep.spec_of(a.first).get("slo") or []
    if slo:
        left, right = (np.array([figures.meets(part.requests, slo).mean() for part in side]) for side in sides)
        found["goodput share"] = (left, right, True)
    return found


def table(comparisons: list[Comparison]) -> list[str]:
    width = max(len(c.metric) for c in comparisons)
    lines = [f"{'metric':{width}}  pairs  B / A [95 %] verdict"]
    for c in comparisons:
        unpaired = "too few" if c.p_unpaired is None else f"{c.p_unpaired:.3g}"
        lines.append(f"{c.metric:{width}}  {c.n_pairs:5}  {c.text()}; p {c.p_holm:.3g} (Holm), unpaired {unpaired}")
    return lines


def compare(names: list[str], allow: list[str], threshold: float, only: list[str], out: Path | None) -> tuple[int, list[str]]:
    """The exit code and the lines to print. Every further side is compared with the first; `only` names metrics, none: all."""
    sides = [Side(name) for name in names]
    invalid = [f"{r.folder}: {r.state}" for side in sides for r in side.results if r.state != "ok"]
    if invalid:
        return INVALID, ["invalid runs are not compared", *invalid]
    lines, codes = [], []
    for other in sides[1:]:
        host = check_same_work(sides[0], other, allow)
        chosen = metrics(sides[0], other)
        unknown = [name for name in only if name not in chosen]
        if unknown:
            raise Refused(f"no metric {', '.join(unknown)}; these can be compared: {', '.join(chosen)}")
        found = verdict.family({name: chosen[name] for name in only or chosen}, threshold)
        overall = verdict.overall(found)
        lines += [f"{name} {side.label}, spec {side.first.spec_sha256[:12]}" for name, side in (("A", sides[0]), ("B", other))]
        lines += [*host, *table(found), f"verdict: {overall}", ""]
        codes.append(EXIT.get(overall, 0))
        if out is not None:
            _write(sides[0], other, found, out)
    return (1 if 1 in codes else max(codes)), lines[:-1]


def _write(a: Side, b: Side, found: list[Comparison], out: Path) -> None:
    evidence = Evidence(results=[*a.results, *b.results], comparisons=found, compared=(a.label, b.label))
    plot = next(plot for plot in catalogue.PLOTS if plot.name == "forest")
    catalogue.write([catalogue.draw(plot, evidence)], out)
    write_text(out / "compare.txt", "\n".join(table(found)) + "\n")
