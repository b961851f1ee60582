"""How every plot looks, and the line under it that says where its numbers come from."""

import io
from dataclasses import dataclass, field

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

# Okabe and Ito's colours, which people with any colour vision tell apart; black is for what stands alone.
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#7f7f7f"
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY)
SIZE = (8.0, 4.6)
DPI = 120

SETTINGS = {
    "font.family": "DejaVu Sans", "font.size": 9.5, "axes.titlesize": 11, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.titlepad": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#444444", "axes.grid": True,
    "axes.axisbelow": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.7, "lines.linewidth": 1.6,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS), "figure.facecolor": "white", "svg.fonttype": "path"}


@dataclass(frozen=True)
class Source:
    """What a plot names: run id, spec hash, machine; of several runs the first and how many more."""

    run_ids: list[str]
    spec_hashes: list[str]
    machine: str
    simulated: bool = False
    others: list[str] = field(default_factory=list)  # other files, with what identifies them

    def line(self) -> str:
        parts = [_several("run", self.run_ids), _several("spec", [h[:12] for h in self.spec_hashes]), *self.others, self.machine]
        return ("SIM · " if self.simulated else "") + " · ".join(part for part in parts if part)


def _several(what: str, names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    if not unique:
        return ""
    return f"{what} {unique[0]}" + (f" and {len(unique) - 1} more" if len(unique) > 1 else "")


def new_figure(title: str, source: Source, rows: int = 1, size: tuple[float, float] = SIZE, **options) -> tuple[Figure, list[Axes]]:
    """A figure with `rows` axes under each other; a title on the first, the source under the last."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, 1, squeeze=False, **options)[:, 0]
        axes[0].set_title(title + (" (sim)" if source.simulated else ""))
        figure.get_layout_engine().set(rect=(0.01, 0.05, 0.98, 0.94), h_pad=0.06)
        figure.text(0.012, 0.012, source.line(), fontsize=6.8, color="#666666", ha="left", va="bottom")
    return figure, list(axes)


def plain(value: float, _place=None) -> str:
    """1500 as 1500, 0.25 as 0.25: no powers of ten, so that two axes are read alike."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def log_axis(axis) -> None:
    """Ticks with plain numbers: at 1, 2 and 5 of each decade, or at decades alone where there are many."""
    low, high = sorted(axis.get_view_interval())
    few = low > 0 and high / low < 1000
    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=14))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())


def legend(axes: Axes, **options) -> None:
    """Outside, right of the axes: never on top of what is drawn."""
    options = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "fontsize": 8.5, "frameon": False} | options
    axes.legend(**options)


def from_zero(axes: Axes, x: bool = False, y: bool = True) -> None:
    """To be called when the axes are drawn. Of axes that share one, every call takes in what has been drawn on the others."""
    if x:
        axes.autoscale(axis="x")
        axes.set_xlim(left=0)
    if y:
        axes.autoscale(axis="y")
        axes.set_ylim(bottom=0)


def as_svg(figure: Figure, name: str) -> str:
    """The same figure gives the same bytes. Ids carry the plot's name, so that several can stand in one page."""
    with matplotlib.rc_context(SETTINGS | {"svg.hashsalt": name}):
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Title": name})
    return out.getvalue()


def as_png(figure: Figure) -> bytes:
    with matplotlib.rc_context(SETTINGS):
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    return out.getvalue()
