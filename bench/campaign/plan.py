"""What a campaign measures: conf/campaign/campaign.toml as steps. What is wrong in the file is said with its step."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

KEYS = {"section", "mie", "program", "writes", "minutes"}


class BadPlan(Exception):
    """One line for the user."""


@dataclass(frozen=True)
class Step:
    number: int  # from 1
    section: str  # folder under that of the campaign
    words: tuple[str, ...]  # a command of mie bench, or a program of this repository; {model}, {out} and {mie} stand for theirs
    is_program: bool
    writes: str | None  # the file that standard output becomes; None: the step writes results itself
    minutes: float  # expected

    @property
    def measures_workloads(self) -> bool:
        return not self.is_program and self.words[0] in ("run", "sweep")

    @property
    def name(self) -> str:
        return " ".join(Path(word).name for word in self.words if not word.startswith("{"))


@dataclass(frozen=True)
class Places:
    """Where a campaign finds and leaves things."""

    root: Path  # of the repository
    out: Path  # folder of the sections
    mie: Path
    model: Path

    def folder(self, step: Step) -> Path:
        return self.out / step.section

    def command(self, step: Step) -> list[str]:
        stand_for = {"{model}": str(self.model), "{out}": str(self.folder(step)), "{mie}": str(self.mie)}
        words = [stand_for.get(word, word) for word in step.words]
        if step.is_program:
            return words
        command = [str(self.mie), "bench", *words]
        if step.measures_workloads:
            command += ["--resume", "--out", str(self.folder(step)), "--model", str(self.model)]
        return command


def _step(number: int, table: dict) -> Step:
    def bad(why: str) -> BadPlan:
        return BadPlan(f"step {number}: {why}")

    if unknown := sorted(set(table) - KEYS):
        raise bad(f"{unknown[0]} is not a key")
    if ("mie" in table) == ("program" in table):
        raise bad("needs exactly one of mie and program")
    words = table.get("mie") or table.get("program")
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise bad("its command must be a list of strings that is not empty")
    section, minutes = table.get("section"), table.get("minutes")
    if not isinstance(section, str) or not section or "/" in section:
        raise bad("section must be the name of a folder")
    if not isinstance(minutes, (int, float)) or minutes <= 0:
        raise bad("minutes must be a number above 0")
    return Step(number, section, tuple(words), "program" in table, table.get("writes"), float(minutes))


def read(path: Path) -> list[Step]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadPlan(f"{path}: {error}") from None
    tables = document.get("step")
    if not isinstance(tables, list) or set(document) != {"step"}:
        raise BadPlan(f"{path}: must have [[step]] tables and nothing else")
    try:
        return [_step(number, table) for number, table in enumerate(tables, 1)]
    except BadPlan as reason:
        raise BadPlan(f"{path}: {reason}") from None
