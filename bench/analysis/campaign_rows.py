"""One row of a table of docs/BENCHMARKS.md."""

from dataclasses import dataclass

from bench.analysis.result import Result


@dataclass(frozen=True)
class Row:
    cells: list[str]
    results: tuple[Result, ...] = ()
    source: str = ""  # of a row without results: what identifies its file
    command: str = ""  # and what writes that file
