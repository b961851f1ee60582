"""Plots of a sweep over loads: 3 throughput and TTFT, 4 the trade-off with a user's speed, 5 goodput and the knee."""

import math

import numpy as np
from matplotlib.figure import Figure
from scipy import stats

from bench.analysis import distribution, figures, intervals, saturation, summaries, sweep
from bench.analysis.plots import style
from bench.analysis.plots.style import Source
from bench.analysis.sweep import Sweep

NO_SWEEP = "fewer than three results at different loads"


def throughput_and_ttft(loads: Sweep | None, source: Source) -> Figure | str:
    if loads is None:
        return NO_SWEEP
    x = [loads.load_of(i) for i in range(len(loads.points))]
    figure, (top, bottom) = style.new_figure("Throughput and TTFT against load", source, rows=2, size=(8.0, 6.4), sharex=True)
    rates = [summaries.rate(result, "output_tokens_per_s") for result in loads.results]
    _band(top, x, rates, style.BLUE, "output tokens/s")
    top.set(ylabel="output tokens/s")
    style.from_zero(top, x=True)
    metric = "ttft_intended" if loads.open_loop else "ttft"
    for p, colour in ((50.0, style.BLUE), (95.0, style.ORANGE), (99.0, style.RED)):
        found = [_percentile(figures.sample(figures.good(result.requests), metric).defined, p) for result in loads.results]
        _band(bottom, x, found, colour, f"p{p:g}")
    bottom.set_yscale("log")
    style.log_axis(bottom.yaxis)
    bottom.set(xlabel=loads.axis, ylabel="TTFT, ms, logarithmic")
    style.legend(bottom, title="band: 95 %\ninterval")
    return figure


def _percentile(values: np.ndarray, p: float) -> intervals.Interval:
    if distribution.withheld(values.size, p):
        return intervals.no_interval(math.nan, values.size)
    return intervals.quantile(values, p / 100)


def _band(axes, x: list[float], found: list[intervals.Interval], colour: str, label: str) -> None:
    estimates = [i.estimate for i in found]
    if not np.isfinite(estimates).any():
        label += " (withheld: too few)"
    axes.plot(x, estimates, "o-", color=colour, markersize=4, label=label)
    axes.fill_between(x, [i.low for i in found], [i.high for i in found], color=colour, alpha=0.18, linewidth=0)


def trade_off(loads: Sweep | None, source: Source) -> Figure | str:
    """Every point is a load; those that another beats in both are grey."""
    if loads is None:
        return NO_SWEEP
    tpot = [figures.sample(figures.good(result.requests), "tpot").defined for result in loads.results]
    if not all(values.size for values in tpot):
        return "a load has no request of two tokens"
    user = np.array([1000 / float(np.median(values)) for values in tpot])
    total = np.array([summaries.rate(result, "output_tokens_per_s").estimate for result in loads.results])
    best = np.array([not np.any((user > u) & (total > t)) for u, t in zip(user, total, strict=True)])
    figure, (axes,) = style.new_figure("Trade-off: speed of one user against speed of all", source)
    order = np.argsort(user[best])
    axes.plot(user[best][order], total[best][order], "o-", color=style.BLUE, label="no load is better in both")
    if not best.all():
        axes.plot(user[~best], total[~best], "o", color=style.GREY, label="another load is better in both")
    placed: list[int] = []
    for i in np.argsort(-total):
        near = sum(abs(user[i] - user[j]) < 0.06 * user.max() and abs(total[i] - total[j]) < 0.06 * total.max() for j in placed)
        placed.append(int(i))  # labels of points that lie together stand under each other
        axes.annotate(f"{loads.load_of(i):.3g}", (user[i], total[i]), textcoords="offset points", xytext=(6, 5 - 11 * near), fontsize=8)
    axes.set(xlabel="output tokens/s of a user (1 / median TPOT)", ylabel="output tokens/s of all")
    axes.set_xlim(0, 1.15 * user.max())
    axes.set_ylim(0, 1.1 * total.max())
    style.legend(axes, title=f"labels: {loads.axis}", alignment="left")
    return figure


def goodput(loads: Sweep | None, source: Source) -> Figure | str:
    if loads is None or not loads.open_loop:
        return NO_SWEEP + " in open loop"
    if not sweep.spec_of(loads.results[0]).get("slo"):
        return "the spec states no objective (slo)"
    points = saturation.pooled(loads.points)
    x = np.array([point.rate for point in points])
    shares = np.array([point.n_good / point.n for point in points])
    bounds = np.array([stats.binomtest(p.n_good, p.n).proportion_ci(0.95, method="wilson") for p in points])
    figure, (axes,) = style.new_figure("Goodput against offered rate", source)
    axes.plot([0, x.max()], [0, x.max()], color=style.GREY, linestyle=":", label="all that is offered")
    axes.plot(x, x * shares, "o-", color=style.BLUE, markersize=4, label="goodput (95 % band)")
    axes.fill_between(x, x * bounds[:, 0], x * bounds[:, 1], color=style.BLUE, alpha=0.18, linewidth=0)
    names = {"slo": ("SLO knee", style.RED), "queue": ("queue knee", style.GREEN), "curve": ("curve knee", style.PURPLE)}
    for name, knee in loads.knees().items():
        if knee.found and math.isfinite(knee.high):  # one that all loads are below is none
            label, colour = names[name]
            axes.axvline(knee.value, color=colour, linestyle="--", label=f"{label} {knee.value:.3g}/s")
    axes.set(xlabel="offered rate, requests/s", ylabel=f"requests/s that meet all objectives\n(target {100 * loads.target:g} %)")
    style.from_zero(axes, x=True)
    style.legend(axes)
    return figure
