"""Which measurements count, and what they come to. Pure functions on the records that `compare` writes."""

import math
import statistics
from collections.abc import Iterable

MAX_PROBE_MOVE = 0.15  # of the read bandwidth, between the probes before and after a run
MAX_FOREIGN_CPU = 0.05  # of all cores, by processes that are neither the server nor the meter


def move(a: float, b: float) -> float:
    """How far two probes are apart, as a share of the lesser: 30 and 33 GB/s are 0.1 apart, in either order."""
    return max(a, b) / min(a, b) - 1 if min(a, b) > 0 else math.inf


def probe_of(run: dict) -> float:
    return (run["probe_before"] + run["probe_after"]) / 2


def fault(run: dict) -> str | None:
    """Why a run must not count; None if it may."""
    if (moved := move(run["probe_before"], run["probe_after"])) > MAX_PROBE_MOVE:
        return f"the bandwidth probe moved by {100 * moved:.0f} %"
    if run["foreign_cpu"] > MAX_FOREIGN_CPU:
        return f"other processes used {100 * run['foreign_cpu']:.0f} % of the CPU"
    return None


def unequal_work(run: dict) -> str | None:
    """Why a run did not do the work that was asked for: every engine must read and write the same number of tokens."""
    load, asked = run["load"], run["asked"]
    if load["errors"] or load["len_mismatch"]:
        return f"{load['errors']} failed requests, {load['len_mismatch']} answers of another length"
    for name, rate, each in (("output", load["tok_s"], asked["output"]), ("prompt", load["prompt_tok_s"], asked["prompt"])):
        counted, expected = rate * load["wall_s"], asked["requests"] * each
        if abs(counted - expected) > 0.005 * expected:  # the meter rounds its rates
            return f"{counted:.0f} {name} tokens instead of {expected}"
    return None


def valid(runs: Iterable[dict]) -> list[dict]:
    return [run for run in runs if fault(run) is None]


def spread(values: list[float]) -> tuple[float, float, float]:
    """Median, least, greatest."""
    return statistics.median(values), min(values), max(values)


def ratios(ours: list[dict], theirs: list[dict], figure: str) -> list[float]:
    """Ours over theirs, round by round: rounds in which both count and saw the same bandwidth."""
    other = {run["round"]: run for run in valid(theirs)}
    return [run["load"][figure] / other[run["round"]]["load"][figure] for run in valid(ours)
            if run["round"] in other and move(probe_of(run), probe_of(other[run["round"]])) <= MAX_PROBE_MOVE]
