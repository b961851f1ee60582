"""The sixteen plots by number: what draws each, and from what. A plot whose evidence is not there gives the reason instead."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from bench.analysis import sweep
from bench.analysis.evidence import Evidence
from bench.analysis.plots import experiment, latency, load, style, timeline
from bench.analysis.plots.style import Source
from bench.analysis.result import Result

OF_ONE = "of one result: in the report of each"


@dataclass(frozen=True)
class Plot:
    number: int
    name: str  # of its files
    title: str
    draw: Callable[[Evidence, Source], Figure | str]

    @property
    def stem(self) -> str:
        """Of its files: they sort by number."""
        return f"{self.number:02}_{self.name}"


@dataclass(frozen=True)
class Drawn:
    plot: Plot
    svg: str = ""
    png: bytes = b""
    missing: str = ""  # why it is not there


def _one(draw: Callable[[Result, Source], Figure | str]) -> Callable[[Evidence, Source], Figure | str]:
    def of(evidence: Evidence, source: Source) -> Figure | str:
        return draw(evidence.results[0], source) if len(evidence.results) == 1 else OF_ONE if evidence.results else "no result"
    return of


def _swept(draw) -> Callable[[Evidence, Source], Figure | str]:
    return lambda evidence, source: draw(sweep.of(evidence.results), source)


PLOTS = (
    Plot(1, "latency_cdf", "Latency CDFs", _one(latency.cdfs)),
    Plot(2, "percentiles", "Percentile ladder", _one(latency.percentile_ladder)),
    Plot(3, "throughput", "Throughput and TTFT against load", _swept(load.throughput_and_ttft)),
    Plot(4, "trade_off", "User's speed against total speed", _swept(load.trade_off)),
    Plot(5, "goodput", "Goodput against offered rate", _swept(load.goodput)),
    Plot(6, "series", "Time series", _one(timeline.series)),
    Plot(7, "gantt", "Gantt of requests", _one(timeline.gantt)),
    Plot(8, "occupancy", "Batch occupancy over steps", lambda e, s: timeline.occupancy(e.steps, s)),
    Plot(9, "prompt_and_arrival", "TTFT against prompt length and arrival", _one(latency.against_prompt_and_arrival)),
    Plot(10, "phases", "Phase split", _one(latency.phases)),
    Plot(11, "lateness", "Client lateness", _one(latency.lateness)),
    Plot(12, "forest", "A/B forest", lambda e, s: experiment.forest(e.comparisons, e.compared, s)),
    Plot(13, "kv_capacity", "KV capacity and waste", lambda e, s: experiment.kv_capacity(e.kv, s)),
    Plot(14, "waterfall", "Gap decomposition", lambda e, s: experiment.waterfall(e.ladder, e.ladder_comparator, s)),
    Plot(15, "quality", "Quality, memory, latency", lambda e, s: experiment.quality(e.quality, s)),
    Plot(16, "roofline", "Roofline", lambda e, s: experiment.roofline(e.micro, s)),
)


def source_of(evidence: Evidence) -> Source:
    """Files without a run id of their own are named by what wrote them."""
    others = []
    for document in (evidence.kv, evidence.micro, evidence.quality):
        if document and not evidence.results:
            others.append(" ".join(str(document[key]) for key in ("schema", "version", "commit") if document.get(key)))
    machines = list(dict.fromkeys(result.machine for result in evidence.results))
    if not machines and evidence.micro:
        machines = [str(evidence.micro.get("cpu", ""))]
    return Source([r.run_id for r in evidence.results], [r.spec_sha256 for r in evidence.results], " / ".join(machines),
                  any(r.simulated for r in evidence.results), others)


def draw(plot: Plot, evidence: Evidence) -> Drawn:
    figure = plot.draw(evidence, source_of(evidence))
    if isinstance(figure, str):
        return Drawn(plot, missing=figure)
    return Drawn(plot, style.as_svg(figure, plot.name), style.as_png(figure))


def draw_all(evidence: Evidence) -> list[Drawn]:
    return [draw(plot, evidence) for plot in PLOTS]


def write(drawn: list[Drawn], folder: Path) -> None:
    """plots/NN_name.svg and .png."""
    folder = folder / "plots"
    for one in drawn:
        if one.missing:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{one.plot.stem}.svg").write_text(one.svg, encoding="utf-8")
        (folder / f"{one.plot.stem}.png").write_bytes(one.png)
