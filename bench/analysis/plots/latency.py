"""Plots of one result's latencies: 1 CDFs, 2 percentile ladder, 9 against prompt length and arrival, 10 phases, 11 lateness."""

import itertools

import numpy as np
from matplotlib.figure import Figure
from scipy import stats

from bench.analysis import distribution, figures
from bench.analysis.plots import style
from bench.analysis.plots.style import Source
from bench.analysis.result import Result

CURVE_POINTS = 1500
TREND_POINTS = 2000
ARM_LINES = ("-", "--", ":", "-.")
LATENESS_LIMIT_MS = 1.0  # beyond it at p99 the client was the bottleneck
NINES = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99)
PHASE_COLOURS = (style.GREY, style.SKY, style.ORANGE, style.BLUE, style.GREEN, style.PURPLE, style.RED)


def thinned(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted values and their cumulated share; of very many, evenly spaced ones."""
    ordered = np.sort(values)
    share = np.arange(1, len(ordered) + 1) / len(ordered)
    if len(ordered) > CURVE_POINTS:
        keep = np.unique(np.linspace(0, len(ordered) - 1, CURVE_POINTS).astype(int))
        return ordered[keep], share[keep]
    return ordered, share


# (label, metric, colour). Of one arm both clocks are shown, of several the colours are the metrics' and the line style is the arm's.
CLOCKS = (("TTFT, intended send", "ttft_intended", style.BLUE), ("TTFT, actual send", "ttft", style.SKY))
CDF_METRICS = (("TPOT", "tpot", style.GREEN), ("ITL, a token", "itl", style.ORANGE), ("E2E, intended send", "e2el_intended", style.RED))
E2E_CLOCKS = (("E2E, intended send", "e2el_intended", style.RED), ("E2E, actual send", "e2el", style.ORANGE))


def curves(result: Result, metrics, least: int) -> list[tuple[str, np.ndarray, str, str]]:
    """Label, values, colour, line style of each metric and arm that has as many values as needed."""
    found = []
    for arm, line in zip(result.arms, itertools.cycle(ARM_LINES)):
        samples = figures.ok_view(result.of_arm(arm).requests)
        for label, name, colour in metrics:
            values = samples[name].defined
            if values.size >= least:
                dashed = "--" if len(result.arms) == 1 and "actual" in label else line
                found.append((f"{arm}: {label}" if arm else label, values, colour, dashed))
    return found


def cdfs(result: Result, source: Source) -> Figure | str:
    shown = curves(result, ((*CLOCKS, *CDF_METRICS) if len(result.arms) == 1 else (CLOCKS[0], *CDF_METRICS)), 2)
    if not shown:
        return "no request brought two tokens"
    figure, (axes,) = style.new_figure("Latency: share of requests (tokens) at most so slow", source)
    for label, values, colour, line in shown:
        x, y = thinned(values[values > 0])
        axes.step(x, 100 * y, line, where="post", color=colour, label=f"{label} (n = {values.size:,})")
    axes.set_xscale("log")
    style.log_axis(axes.xaxis)
    axes.set(xlabel="ms, logarithmic", ylabel="%", ylim=(0, 100))
    style.legend(axes)
    return figure


def percentile_ladder(result: Result, source: Source) -> Figure | str:
    alone = len(result.arms) == 1
    least = distribution.needed(50)
    shown = curves(result, (*CLOCKS, *E2E_CLOCKS) if alone else (CLOCKS[0], E2E_CLOCKS[0]), least)
    if not shown:
        return f"{len(figures.good(result.requests))} good requests; the first percentile needs {least} of an arm"
    figure, (axes,) = style.new_figure("Percentiles, as far as the number of requests allows", source)
    longest = 0.0
    for label, values, colour, line in shown:
        nines = np.linspace(0, np.log10(len(values) / 10), 200)  # ten requests lie beyond the last
        axes.plot(nines, np.percentile(values, 100 * (1 - 10.0**-nines)), line, color=colour, label=label)
        longest = max(longest, float(nines[-1]))
    ticks = [p for p in NINES if -np.log10(1 - p / 100) <= longest + 0.05]
    axes.set_xticks([-np.log10(1 - p / 100) for p in ticks], [f"p{p:g}" for p in ticks])
    axes.set(xlabel="percentile, one nine a unit", ylabel="ms")
    axes.set_xlim(0, longest)
    style.from_zero(axes)
    style.legend(axes)
    return figure


def against_prompt_and_arrival(result: Result, source: Source) -> Figure | str:
    requests = figures.good(result.requests)
    ttft = figures.samples(requests)["ttft_intended"].values
    there = ~np.isnan(ttft)
    if there.sum() < 3:
        return "fewer than three good requests"
    prompts = np.array([r["prompt_tokens"] for r in requests])[there]
    arrivals = np.array([r["intended_ns"] for r in requests])[there] / 1e9
    ttft = ttft[there]
    figure, axes = style.new_figure("TTFT against prompt length, and against arrival (drift)", source, rows=2, size=(8.0, 6.0))
    for one, x, label, unit in ((axes[0], prompts, "prompt tokens", "token"), (axes[1], arrivals, "intended send, s", "s")):
        one.plot(x, ttft, "o", markersize=2.5, alpha=0.45, color=style.BLUE, markeredgewidth=0, rasterized=len(x) > 3000)
        if np.ptp(x) > 0:
            keep = np.linspace(0, len(x) - 1, min(len(x), TREND_POINTS)).astype(int)  # all pairs of them are looked at
            trend = stats.theilslopes(ttft[keep], x[keep])
            ends = np.array([x.min(), x.max()])
            axes_label = f"Theil–Sen: {trend.slope:+.3g} ms a {unit} [{trend.low_slope:+.3g}, {trend.high_slope:+.3g}]"
            one.plot(ends, trend.intercept + trend.slope * ends, color=style.RED, label=axes_label)
            style.legend(one, loc="upper right", bbox_to_anchor=(1.0, 1.0), frameon=True, edgecolor="none", framealpha=0.85)
        one.set(xlabel=label, ylabel="TTFT, ms")
        style.from_zero(one, x=True)
    return figure


def phases(result: Result, source: Source) -> Figure | str:
    split = result.document.get("phase_split") or {}
    names = [name for name, phase in split.items() if isinstance(phase, dict) and phase.get("mean") is not None]
    if not names:
        return "the result has no phase_split (the server gave no timing)"
    figure, (axes,) = style.new_figure("Where a request's time goes", source, size=(8.0, 3.6))
    rows = [row for row in ("p99", "p50", "mean") if all(split[name].get(row) is not None for name in names)]
    for y, row in enumerate(rows):
        left = 0.0
        for i, name in enumerate(names):
            width = 1000 * split[name][row]
            colour = PHASE_COLOURS[i % len(PHASE_COLOURS)]
            axes.barh(y, width, left=left, height=0.6, color=colour, label=name if y == 0 else None)
            left += width
    axes.set_yticks(range(len(rows)), [f"{row} of each" for row in rows])
    axes.set(xlabel="ms; a phase's p50 and p99 are its own, so only the means add up to a request")
    axes.grid(axis="y", visible=False)
    style.legend(axes)
    return figure


def lateness(result: Result, source: Source) -> Figure | str:
    values = figures.samples(result.requests)["lateness"].defined
    if not values.size:
        return "no request was sent"
    figure, (axes,) = style.new_figure("Lateness of the client: actual after intended send", source, size=(8.0, 3.6))
    p99 = distribution.linear(values, 99.0)
    right = max(float(values.max()), 1e-3)
    axes.hist(values, bins=60, range=(0, right), color=style.BLUE, alpha=0.85)
    axes.axvline(p99, color=style.RED, label=f"p99 {p99:.3g} ms")
    if right >= LATENESS_LIMIT_MS / 2:
        axes.axvline(LATENESS_LIMIT_MS, color="black", linestyle=":", label=f"limit of p99: {LATENESS_LIMIT_MS:g} ms")
    axes.set(xlabel="ms", ylabel="requests, logarithmic", yscale="log")
    axes.set_ylim(bottom=0.7)
    style.log_axis(axes.yaxis)
    style.from_zero(axes, x=True, y=False)
    style.legend(axes)
    return figure
