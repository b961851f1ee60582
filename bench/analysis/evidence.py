"""What lies in a folder besides results: the files that other measurements of `mie bench` write, each read only where it is there.

kv.json        `mie bench kv --json`
micro.json     `mie bench micro --json`
quality.json   rows of {name, memory_mib, tpot_ms, mean_kl, mean_kl_error}
ladder.json    cells of the gap decomposition: {on: [switches], seconds: [of each round]} or {on, result: FOLDER, arm}, and
               `comparator` of the same form; seconds are those of an output token
selftest.json  `mie bench selftest --json`
steps.jsonl    `mie bench run`, beside a result; or `mie serve --step-trace`
knee.json      `mie bench knee SPEC`, here or in a folder below
void.json      bench.analysis.void
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.analysis import attribution, figures, result, void
from bench.analysis.result import Refused, Result
from bench.analysis.verdict import Comparison


@dataclass
class Evidence:
    """All that a report may show. Plots and tables take what they need and say what is not there."""

    results: list[Result] = field(default_factory=list)
    kv: dict | None = None
    micro: dict | None = None
    quality: dict | None = None
    selftest: list[dict] = field(default_factory=list)  # points: {number, verdict, check, figure, limit}
    ladder: attribution.Attribution | None = None
    ladder_comparator: str | None = None
    steps: list[dict] = field(default_factory=list)
    knees: list[dict] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    void: list[dict] = field(default_factory=list)
    compared: tuple[str, str] = ("A", "B")


def _document(path: Path) -> dict | None:
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise Refused(f"{path}: not a JSON object")
    return found


def _void(folder: Path) -> list[dict]:
    try:
        return void.read(folder)
    except (OSError, ValueError) as error:
        raise Refused(f"{folder / void.FILE}: {error}") from None


def read_steps(path: Path) -> list[dict]:
    """Lines of a step trace that are steps; its head, its events and its notes of loss are none."""
    if not path.is_file() and not path.with_name(path.name + ".gz").is_file():
        return []
    try:
        lines = [json.loads(line) for line in result.read_lines(path).splitlines() if line.strip()]
    except ValueError as error:
        raise Refused(f"{path}: {error}") from None
    return [line for line in lines if "begin_ns" in line]


def seconds_per_token(found: Result) -> np.ndarray:
    """Of each repetition: from its first send to its last end, over the tokens of its good requests."""
    seconds = []
    for part in found.parts:
        sent = [r for r in part.requests if r["send_ns"] is not None and r["end_ns"] is not None]
        tokens = sum(figures.output_tokens(r) for r in figures.good(sent))
        if tokens:
            seconds.append((max(r["end_ns"] for r in sent) - min(r["send_ns"] for r in sent)) / 1e9 / tokens)
    return np.array(seconds)


def _cell(cell: dict, folder: Path) -> np.ndarray:
    if "seconds" in cell:
        return np.asarray(cell["seconds"], dtype=float)
    of = result.load(folder / cell["result"])
    return seconds_per_token(of.of_arm(cell["arm"]) if "arm" in cell else of)


def read_ladder(document: dict, folder: Path) -> tuple[attribution.Attribution, str | None]:
    where = folder / "ladder.json"
    if document.get("schema") != "mie.ladder/1":
        raise Refused(f"{where}: schema is not mie.ladder/1")
    try:
        cells = {frozenset(cell["on"]): _cell(cell, folder) for cell in document["cells"]}
        comparator = document.get("comparator")
        against = _cell(comparator, folder) if comparator else None
        return attribution.attribute(cells, against), comparator["name"] if comparator else None
    except (KeyError, TypeError, ValueError, attribution.NotEnoughCells) as error:
        raise Refused(f"{where}: {error}") from None


def read(folder: Path) -> Evidence:
    """Everything under a folder: its results, checked, and the other files at its top."""
    folder = Path(folder)
    found = Evidence(results=[result.load(path) for path in result.folders_under(folder)])
    found.kv, found.micro = _document(folder / "kv.json"), _document(folder / "micro.json")
    found.quality = _document(folder / "quality.json")
    found.selftest = (_document(folder / "selftest.json") or {}).get("points", [])
    found.void = _void(folder)
    found.steps = read_steps(folder / "steps.jsonl")
    found.knees = [known for path in sorted(folder.rglob("knee.json")) if (known := _document(path))]
    ladder = _document(folder / "ladder.json")
    if ladder is not None:
        found.ladder, found.ladder_comparator = read_ladder(ladder, folder)
    return found
