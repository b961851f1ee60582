"""Our client beside another one: docs/other_clients.md has what the words mean, and this writes the figures into it.

A folder of bench/peers/crosscheck holds for each load rounds of both clients. Both sides are brought to the same definitions, and
each figure is compared round by round.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.analysis import figures, result, verdict
from bench.analysis.render import Table, markdown_table, number, write_text
from bench.analysis.result import Refused, Result

BEGIN, END = "<!-- figures: bench/analysis/run crosscheck -->", "<!-- end of figures -->"
COLUMNS = ("load", "figure", "rounds", "ours", "other client, as it reports", "other client, our definition", "other / ours, same definition",
           "limit", "within")
LIMITS = {"output tokens/s": 0.02, "TTFT p50, ms": 0.03, "TPOT p50, ms": 0.03}
TO_MS = 1000.0


@dataclass(frozen=True)
class Round:
    ours: dict[str, float]  # figure → value
    reported: dict[str, float]  # what the other client says
    mapped: dict[str, float]  # the same of its stamps, by our definition


def of_ours(found: Result) -> dict[str, float]:
    """Tokens over the time from the first send to the last token; medians of requests."""
    good = figures.good(found.requests)
    if len(good) != len(found.requests):
        raise Refused(f"{found.folder}: requests failed")
    samples = figures.samples(good)
    seconds = (max(figures.token_stamps(r)[-1] for r in good) - min(r["send_ns"] for r in good)) / 1e9
    return {"output tokens/s": sum(map(figures.output_tokens, good)) / seconds, "TTFT p50, ms": float(np.median(samples["ttft"].defined)),
            "TPOT p50, ms": float(np.median(samples["tpot"].defined))}


def tpots_ms(other: dict) -> np.ndarray:
    """(latency - TTFT) / (n - 1), where a latency ends with the last event that has a choice."""
    latencies, ttfts, n_tokens = (np.array(other[name], dtype=float) for name in ("latencies", "ttfts", "output_lens"))
    return TO_MS * (latencies - ttfts) / (n_tokens - 1)


def as_reported(other: dict) -> dict[str, float]:
    return {"output tokens/s": other["output_throughput"], "TTFT p50, ms": TO_MS * float(np.median(other["ttfts"])),
            "TPOT p50, ms": float(np.median(tpots_ms(other)))}


def as_ours(other: dict) -> dict[str, float]:
    """Its duration has the wait for the first arrival and the end of its tasks in it; ours is from the first send to the last token."""
    ends = np.array(other["start_times"]) + np.array(other["latencies"])
    return as_reported(other) | {"output tokens/s": sum(other["output_lens"]) / (ends.max() - min(other["start_times"]))}


def read_round(folder: Path) -> Round:
    results = result.folders_under(folder)
    if len(results) != 1:
        raise Refused(f"{folder}: {len(results)} results, one is due")
    ours = result.load(results[0])
    if ours.state != "ok":
        raise Refused(f"{results[0]}: {ours.state}")
    try:
        other = json.loads((folder / "other.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{folder / 'other.json'}: {error}") from None
    check_same_work(ours, other, folder)
    return Round(of_ours(ours), as_reported(other), as_ours(other))


def check_same_work(ours: Result, other: dict, folder: Path) -> None:
    sums = tuple(sum(r[name] for r in ours.requests) for name in ("prompt_tokens", "output_tokens"))
    theirs = (other["total_input_tokens"], other["total_output_tokens"])
    if sums != theirs or other["failed"]:
        raise Refused(f"{folder}: ours had {sums} tokens in and out, the other client {theirs} with {other['failed']} failures")


def rounds_of(folder: Path) -> dict[str, list[Round]]:
    """Load → its rounds, the one that warms up left out."""
    found = {load.name: [read_round(path) for path in sorted(load.glob("round-*")) if path.name != "round-00" and
                         (path / "complete").is_file()] for load in sorted(Path(folder).iterdir()) if load.is_dir()}
    return {load: rounds for load, rounds in found.items() if rounds}


def shown(ratio: verdict.Comparison) -> str:
    of_one = ratio.n_pairs < 2  # has no interval
    return f"{ratio.ratio:.4f}" if of_one else f"{ratio.ratio:.4f} [{ratio.low:.4f}, {ratio.high:.4f}]"


def rows(loads: dict[str, list[Round]]) -> list[list[str]]:
    made = []
    for load, rounds in loads.items():
        for name, limit in LIMITS.items():
            ours, reported, mapped = (np.array([getattr(one, side)[name] for one in rounds]) for side in ("ours", "reported", "mapped"))
            ratio = verdict.one(name, ours, mapped, True)
            within = abs(ratio.ratio - 1) <= limit
            made.append([load, name, str(len(rounds)), *(number(float(np.median(v)), 5) for v in (ours, reported, mapped)),
                         shown(ratio), f"{100 * limit:g} %", "yes" if within else "NO"])
    return made


def write(folder: Path, page: Path) -> None:
    """The table between the two marks of the page."""
    text = page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text.partition(BEGIN)[2]:
        raise Refused(f"{page}: no place for figures: {BEGIN} … {END}")
    loads = rounds_of(folder)
    if not loads:
        raise Refused(f"{folder}: no rounds")
    head, _, rest = text.partition(BEGIN)
    table = markdown_table(Table(list(COLUMNS), rows(loads)))
    write_text(page, "\n".join([head + BEGIN, "", *table, "", END + rest.partition(END)[2]]))
