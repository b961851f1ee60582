"""Plots over time: 6 series, 7 Gantt of requests, 8 occupancy of the batch over steps."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bench.analysis import figures, steady
from bench.analysis.plots import style
from bench.analysis.plots.style import Source
from bench.analysis.result import Result

MAX_GANTT = 300  # requests of all arms together
MAX_ARMS = 4
BAR_COLOURS = {"held back by the client": style.GREY, "waiting and prefill": style.ORANGE, "decode": style.BLUE,
               "ended badly": style.RED}
MAX_SECONDS = 600  # buckets of a series
LONG_NS = 60_000_000_000  # a shorter run is shown in tenths of a second


def series(result: Result, source: Source) -> Figure | str:
    requests = result.everything
    if not any(r["send_ns"] is not None for r in requests):
        return "no request was sent"
    server = server_series(result.document)
    whole = (0, max(r["end_ns"] or 0 for r in requests) + 1)
    width = max(1.0, (whole[1] / 1e9) / MAX_SECONDS) if whole[1] > LONG_NS else 0.1
    figure, (top, middle, bottom) = style.new_figure("The run over time", source, rows=3, size=(8.0, 7.2), sharex=True)
    seconds, held = steady.in_flight_series(requests, width, whole)
    top.step(seconds, held, where="post", label="in flight")
    for name in ("running", "waiting"):
        if name in server:
            top.step(*server[name], where="post", label=name)
    stamps = np.concatenate([figures.token_stamps(r) for r in requests])
    seconds, tokens = steady.bucketed(stamps, width, whole)
    middle.step(seconds, tokens, where="post", color=style.GREEN, label="output tokens/s")
    _server_rows(bottom, server)
    for axes, label in ((top, "requests"), (middle, "tokens/s"), (bottom, "KV used, %")):
        for part in result.parts:
            axes.axvspan(part.window[0] / 1e9, min(part.window[1], whole[1]) / 1e9, color="#eef4fa", zorder=0)
        axes.set(ylabel=label)
        style.from_zero(axes, x=True)
        if axes.get_legend_handles_labels()[0]:
            style.legend(axes, bbox_to_anchor=(1.08, 1.0))
    bottom.set(xlabel="s (shaded: the windows that figures are of)")
    return figure


def _server_rows(axes, server: dict) -> None:
    """KV use on the left axis, counts on the right one: preemptions so far, requests that failed in each second."""
    if "kv_used" in server:
        seconds, used = server["kv_used"]
        axes.step(seconds, 100 * used, where="post", color=style.PURPLE, label="KV used, %")
    counted = [(name, colour) for name, colour in (("preemptions", style.RED), ("rejects", "black")) if name in server]
    some = [(name, colour) for name, colour in counted if server[name][1].any()]
    if some:
        right = axes.twinx()
        right.spines[["top", "right"]].set_visible(False)
        for name, colour in some:
            right.step(*server[name], where="post", color=colour)
        style.from_zero(right)
        right.grid(visible=False)
    for name, colour in counted:
        axes.plot([], [], color=colour, label=f"{name} (right)" if (name, colour) in some else f"no {name}")
    if "kv_used" not in server and not counted:
        axes.text(0.5, 0.5, "the server was not asked for KV use and preemptions", transform=axes.transAxes, ha="center",
                  color=style.GREY)
        axes.set_yticks([])


def server_series(document: dict) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Columns of the timeseries by second: name → seconds and values, where the server said one."""
    rows = (document.get("timeseries") or {}).get("1s") or []
    found = {}
    for name in sorted(set().union(*rows) - {"t_s"}) if rows else ():
        there = [(row["t_s"], row[name]) for row in rows if row.get(name) is not None]
        if there:
            found[name] = tuple(np.array(there, dtype=float).T)
    return found


def gantt(result: Result, source: Source) -> Figure | str:
    """The first repetition of each arm, from its own start, so that holes beside each other can be compared."""
    parts = [result.of_arm(arm).parts[0] for arm in result.arms][:MAX_ARMS]
    each = MAX_GANTT // len(parts)
    of = [sorted((r for r in part.everything if r["send_ns"] is not None and r["end_ns"] is not None),
                 key=lambda r: (r["intended_ns"], r["index"])) for part in parts]
    if not any(of):
        return "no request was sent"
    cut = any(len(requests) > each for requests in of)
    title = f"The first {each} requests" if cut else "Every request"
    size = (8.0, min(10.0, 2.6 + 0.03 * sum(min(each, len(requests)) for requests in of) + 0.6 * (len(of) - 1)))
    figure, axes = style.new_figure(title + (" of each arm" if len(of) > 1 else ""), source, rows=len(of), size=size, sharex=True)
    for one, part, requests in zip(axes, parts, of, strict=True):
        _bars(one, requests[:each])
        one.set(ylabel=f"{part.arm}\nrequest" if part.arm else "request, in order of arrival")
    axes[-1].set(xlabel="s")
    style.legend(axes[0])
    return figure


def _bars(axes, requests: list[dict]) -> None:
    start = min((r["intended_ns"] for r in requests), default=0)
    spans: dict[str, list[tuple[int, int, int]]] = {label: [] for label in BAR_COLOURS}
    for y, r in enumerate(requests):
        stamps = figures.token_stamps(r)
        good = r["status"] in figures.GOOD
        spans["held back by the client"].append((y, r["intended_ns"], r["send_ns"]))
        if good:
            spans["waiting and prefill"].append((y, r["send_ns"], int(stamps[0]) if stamps.size else r["end_ns"]))
            spans["decode"].append((y, int(stamps[0]) if stamps.size else r["end_ns"], r["end_ns"]))
        else:
            spans["ended badly"].append((y, r["send_ns"], r["end_ns"]))
    for label, colour in BAR_COLOURS.items():
        bars = [(y, (a - start) / 1e9, (b - a) / 1e9) for y, a, b in spans[label] if b > a] or [(0, 0, 0)]
        y, a, width = np.array(bars).T
        axes.barh(y, width, left=a, height=0.85, color=colour, linewidth=0, label=label)
    axes.set_ylim(len(requests) - 0.4, -0.6)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y", visible=False)
    style.from_zero(axes, x=True, y=False)


def occupancy(steps: list[dict], source: Source) -> Figure | str:
    """Rows of each step, by what they were for; of several arms the sequences in each, in the first repetition."""
    arms = first_of_each_arm(steps)
    if not arms:
        return "no steps.jsonl beside the result"
    if len(arms) > 1:
        return _occupancy_of_arms(arms, source)
    (steps,) = arms.values()
    number = np.arange(len(steps))
    counts = {name: np.array([_tokens(step, name) for step in steps], dtype=float) for name in ("decode", "prefill", "recompute")}
    figure, (top, bottom) = style.new_figure("The batch, step by step", source, rows=2, size=(8.0, 5.4), sharex=True)
    _sequences(top, steps)
    colours = (style.BLUE, style.ORANGE, style.RED)
    bottom.stackplot(number, *counts.values(), labels=list(counts), colors=colours, step="mid", linewidth=0)
    bottom.set(xlabel="step", ylabel="tokens computed")
    style.from_zero(bottom, x=True)
    style.legend(bottom)
    return figure


def first_of_each_arm(steps: list[dict]) -> dict[str, list[dict]]:
    """Of a step trace, which knows no arms: all."""
    found: dict[str, list[dict]] = {}
    first: dict[str, int] = {}
    for step in steps:
        arm, repetition = step.get("arm", ""), step.get("repetition", 0)
        if first.setdefault(arm, repetition) == repetition:
            found.setdefault(arm, []).append(step)
    return found


def _occupancy_of_arms(arms: dict[str, list[dict]], source: Source) -> Figure:
    shown = list(arms.items())[:MAX_ARMS]
    size = (8.0, 1.6 + 1.5 * len(shown))
    figure, axes = style.new_figure("The batch, step by step, of each arm", source, rows=len(shown), size=size, sharex=True, sharey=True)
    for one, (arm, steps) in zip(axes, shown, strict=True):
        _sequences(one, steps)
        one.set(ylabel=f"{arm}\nsequences")
    axes[-1].set(xlabel="step")
    return figure


def _sequences(axes, steps: list[dict]) -> None:
    sequences = np.array([step.get("seqs", 0) for step in steps], dtype=float)
    axes.fill_between(np.arange(len(steps)), sequences, step="mid", color=style.BLUE, alpha=0.85, linewidth=0)
    axes.axhline(sequences.mean(), color="black", linestyle=":", label=f"mean {sequences.mean():.3g}")
    axes.set(ylabel="sequences")
    style.from_zero(axes, x=True)
    style.legend(axes)


def _tokens(step: dict, kind: str) -> int:
    return step.get(kind, (step.get("tokens") or {}).get(kind, 0))
