"""Plots of experiments: 12 forest of a comparison, 13 KV capacity, 14 waterfall of a gap, 15 quality, 16 roofline."""

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bench.analysis import verdict
from bench.analysis.attribution import Attribution
from bench.analysis.plots import style
from bench.analysis.plots.style import Source
from bench.analysis.verdict import Comparison

LEAST_KL = 1e-9  # where a variant that equals its reference stands on a logarithmic axis
WIDE = 3.0  # ends of a logarithmic axis that evenly spaced ticks would leave bare on the left
VERDICT_COLOURS = {verdict.BETTER: style.GREEN, verdict.WORSE: style.RED, verdict.CANNOT_TELL: style.GREY}


def forest(comparisons: list[Comparison], names: tuple[str, str], source: Source) -> Figure | str:
    shown = [c for c in comparisons if math.isfinite(c.ratio)]
    if not shown:
        return "nothing was compared"
    title, size = f"{names[1]} over {names[0]}: ratio with 95 % interval", (8.0, 1.7 + 0.36 * len(shown))
    figure, (axes,) = style.new_figure(title, source, size=size)
    bound = shown[0].threshold
    axes.axvspan(1 / (1 + bound), 1 + bound, color="#eeeeee", label=f"within {100 * bound:g} %")
    axes.axvline(1, color="black", linewidth=0.8)
    for y, c in enumerate(shown):
        colour = VERDICT_COLOURS.get(c.verdict, style.BLUE)
        if math.isfinite(c.low):
            axes.plot([c.low, c.high], [y, y], color=colour, linewidth=2.2, solid_capstyle="butt")
        axes.plot(c.ratio, y, "s", color=colour, markersize=5.5)
        axes.annotate(f"{c.ratio:.3f}  {c.verdict}", (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=8.5,
                      color=colour)
    axes.set_yticks(range(len(shown)), [c.metric + (" ↑" if c.higher_is_better else " ↓") for c in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    ends = [v for c in shown for v in (c.low, c.high, c.ratio) if math.isfinite(v)] + [1 / (1 + 2 * bound), 1 + 2 * bound]
    axes.set_xscale("log")
    axes.set_xlim(min(ends) / 1.01, max(ends) * 1.01)
    if max(ends) > WIDE * min(ends):
        style.log_axis(axes.xaxis)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.xaxis.set_major_formatter(style.FuncFormatter(style.plain))
        axes.xaxis.set_minor_formatter(style.NullFormatter())
    axes.set(xlabel="ratio, logarithmic (↓: less is better, ↑: more is better)")
    axes.grid(axis="y", visible=False)
    return figure


def kv_capacity(kv: dict | None, source: Source) -> Figure | str:
    rows = (kv or {}).get("capacity") or []
    if not rows:
        return "no kv.json (mie bench kv --json)"
    figure, (top, bottom) = style.new_figure("KV cache: what a pool holds and wastes, by block size", source, rows=2, size=(8.0, 6.2),
                                             sharex=True)
    for name in dict.fromkeys(row["list"] for row in rows):
        of = sorted((row for row in rows if row["list"] == name), key=lambda row: row["block_size"])
        sizes = [row["block_size"] for row in of]
        way = "live_pool" if of[0].get("live_pool") else "closed_form"
        top.plot(sizes, [row[way]["admitted"] for row in of], "o-", markersize=4, label=name)
        bottom.plot(sizes, [row["waste_percent"] for row in of], "o-", markersize=4, label=name)
    top.set(ylabel="sequences admitted,\nlogarithmic", yscale="log")
    style.log_axis(top.yaxis)
    bottom.set(ylabel="waste, % of reserved", xlabel="block size, tokens, logarithmic", xscale="log", ylim=(0, 100))
    sizes = sorted({row["block_size"] for row in rows})
    bottom.set_xticks(sizes, [f"{size}" for size in sizes])
    bottom.minorticks_off()
    style.legend(top)
    return figure


def waterfall(ladder: Attribution | None, comparator: str | None, source: Source) -> Figure | str:
    """Time of an output token from all off to all on to the comparator, as factors."""
    if ladder is None:
        return "no ladder.json"
    steps = [(share.name, share) for share in sorted(ladder.shapley, key=lambda share: share.log_effect)]
    if ladder.remainder:
        steps.append(("unexplained", ladder.remainder))
    figure, (axes,) = style.new_figure("Gap decomposition: time of an output token, relative to all switches off", source,
                                       size=(8.0, 4.8))
    level = 0.0
    axes.bar(0, 1.0, color=style.GREY, width=0.62)
    for x, (_, share) in enumerate(steps, 1):
        after = level + share.log_effect
        colour = style.PURPLE if share.name == "unexplained" else style.GREEN if share.log_effect < 0 else style.RED
        low, high = sorted((math.exp(level), math.exp(after)))
        axes.bar(x, high - low, bottom=low, color=colour, width=0.62)
        axes.plot([x - 1.3 if x == 1 else x - 0.69, x + 0.31], [math.exp(level)] * 2, color="#444444", linewidth=0.7)
        if math.isfinite(share.low):
            ends = math.exp(after) - math.exp(level + share.low), math.exp(level + share.high) - math.exp(after)
            axes.errorbar(x, math.exp(after), yerr=[[ends[0]], [ends[1]]], color="black", capsize=3, linewidth=1)
        axes.annotate(f"×{share.factor:.2f}", (x, max(high, math.exp(level + share.high) if math.isfinite(share.high) else high)),
                      textcoords="offset points", xytext=(0, 4), ha="center", fontsize=8.5)
        level = after
    axes.bar(len(steps) + 1, math.exp(level), color=style.BLUE, width=0.62)
    axes.annotate(f"×{math.exp(-level):.2f}", (len(steps) + 1, math.exp(level)), textcoords="offset points", xytext=(0, 4),
                  ha="center", fontsize=8.5)
    last = comparator or "all on"
    axes.set_xticks(range(len(steps) + 2), ["all off", *(name for name, _ in steps), last], rotation=20, ha="right")
    axes.set(ylabel="time, all off = 1")
    axes.grid(axis="x", visible=False)
    style.from_zero(axes)
    axes.set_xlabel("×: how many times faster; bars: Shapley shares with 95 % interval")
    return figure


def quality(table: dict | None, source: Source) -> Figure | str:
    rows = (table or {}).get("rows") or []
    if not rows:
        return "no quality.json"
    figure, (axes,) = style.new_figure("Quality, memory, latency of each variant", source)
    slowest = max(row["tpot_ms"] for row in rows)
    for i, row in enumerate(rows):
        colour, place = style.COLOURS[i % len(style.COLOURS)], (row["memory_mib"], max(row["mean_kl"], LEAST_KL))
        axes.scatter(*place, s=900 * row["tpot_ms"] / slowest, color=colour, alpha=0.55, linewidth=0)
        if row.get("mean_kl_error"):
            axes.errorbar(*place, yerr=row["mean_kl_error"], color=colour, capsize=3)
        axes.annotate(f"{row['name']}, {row['tpot_ms']:.3g} ms", place, textcoords="offset points", xytext=(14, 8), fontsize=8.5)
    axes.set(xlabel="resident weights, MiB", ylabel="mean KL to the reference, nats a token, logarithmic", yscale="log")
    axes.margins(0.2)
    style.from_zero(axes, x=True, y=False)
    axes.text(1.0, 1.02, "area: TPOT", transform=axes.transAxes, ha="right", fontsize=8.5, color=style.GREY)
    return figure


def roofline(micro: dict | None, source: Source) -> Figure | str:
    cases = [case for case in (micro or {}).get("cases", []) if case["bytes"] > 0 and case["ops"] > 0 and case["seconds"] > 0]
    if not cases:
        return "no micro.json (mie bench micro --json)"
    probe = micro["probe_before"]
    title = "Roofline: kernels against the memory and arithmetic measured beside them"
    figure, (axes,) = style.new_figure(title, source, size=(8.0, 5.2))
    x = np.array([case["ops"] / case["bytes"] for case in cases])
    y = np.array([case["gops"] for case in cases])
    span = np.geomspace(x.min() / 2, max(x.max() * 2, 100), 200)
    for name, label, line in (("fp32_gflops", "fp32", "-"), ("bf16_gflops", "bf16", "--"), ("int8_gops", "int8", ":")):
        if probe.get(name):
            axes.plot(span, np.minimum(span * probe["read_gbps"], probe[name]), line, color="#444444", linewidth=1.1,
                      label=f"{label}: {probe['read_gbps']:.3g} GB/s, {probe[name]:.4g}·10⁹/s")
    families = list(dict.fromkeys(case["name"].split("/")[0] for case in cases))
    for i, family in enumerate(families):
        of = [k for k, case in enumerate(cases) if case["name"].split("/")[0] == family]
        axes.plot(x[of], y[of], "o", markersize=5, color=style.COLOURS[i % len(style.COLOURS)], label=family)
    axes.set(xscale="log", yscale="log", xlabel="operations a byte, logarithmic", ylabel="10⁹ operations/s, logarithmic")
    style.log_axis(axes.xaxis)
    style.log_axis(axes.yaxis)
    style.legend(axes)
    return figure
