"""ladder.json of a section: which arm of a result is which cell of the gap decomposition. An arm is named by the switches that are
on, joined by "+"; "off" has none.
"""

import json
from pathlib import Path

from bench.analysis.render import write_text

OFF = "off"


def _cells(document: dict) -> list[dict]:
    names = [arm["name"] for arm in document["spec"].get("arms") or []]
    if OFF not in names:
        return []
    return [{"on": [] if name == OFF else name.split("+"), "result": document["run_id"], "arm": name} for name in names]


def write(folder: Path) -> None:
    """Of the section's result that has an arm "off"; none: nothing is written."""
    for path in sorted(folder.glob("*/result.json")):
        cells = _cells(json.loads(path.read_text(encoding="utf-8")))
        if cells:
            ladder = {"schema": "mie.ladder/1", "cells": cells}
            write_text(folder / "ladder.json", json.dumps(ladder, indent=1) + "\n")
