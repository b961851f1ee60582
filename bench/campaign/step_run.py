"""One step of a campaign: run until what it measures is valid, then made small enough to keep.

A result is kept as result.json, requests.jsonl.gz, steps.jsonl.gz; what servers logged and results that are void are not; void.json says
what those were.
"""

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from bench.analysis import void
from bench.campaign.plan import Places, Step

TRIES = 3
OK, NOT_ACCEPTED, INVALID = 0, 1, 5  # exit codes of mie bench
LARGE = ("requests.jsonl", "steps.jsonl")


class Outcome(Enum):
    DONE = "done"
    THERE = "was there"
    VOID = "void"  # three times
    FAILED = "failed"


def keep(folder: Path) -> None:
    """Of each result under the folder what is committed; void results go, and are noted."""
    for path in sorted(folder.rglob("result.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["validity"]["state"] != "ok":
            void.note(folder, document)
            shutil.rmtree(path.parent)
            continue
        for name in LARGE:
            plain = path.parent / name
            if plain.exists():
                # No time of the file's own: the same requests give the same bytes.
                (path.parent / f"{name}.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
                plain.unlink()
        for other in path.parent.iterdir():
            if other.name not in ("result.json", *(f"{name}.gz" for name in LARGE)):
                shutil.rmtree(other) if other.is_dir() else other.unlink()
    for leftover in [*folder.rglob("server-*.log"), *folder.rglob("*.svg")]:  # of runs without a result; plots beside their PNG
        leftover.unlink()
    for empty in [path for path in folder.iterdir() if path.is_dir() and not any(path.iterdir())]:
        empty.rmdir()


def _write(command: list[str], file: Path, root: Path) -> int:
    """Standard output to the file, which is there when the command ended well and not before."""
    part = file.with_name(file.name + ".part")
    with part.open("wb") as out:
        code = subprocess.run(command, cwd=root, stdout=out, check=False).returncode
    if code == OK:
        os.replace(part, file)
    else:
        part.unlink()
    return code


def run(step: Step, places: Places, say: Callable[[str], None]) -> Outcome:
    folder = places.folder(step)
    folder.mkdir(parents=True, exist_ok=True)
    if step.writes and (folder / step.writes).exists():
        return Outcome.THERE
    command = places.command(step)
    for attempt in range(1, TRIES + 1):
        if step.writes:
            code = _write(command, folder / step.writes, places.root)
        else:
            code = subprocess.run(command, cwd=places.root, check=False).returncode
        if code in (OK, NOT_ACCEPTED):
            keep(folder)
            return Outcome.DONE
        if code != INVALID:
            return Outcome.FAILED
        say(f"void, try {attempt} of {TRIES}")
    keep(folder)
    return Outcome.VOID
