"""Rules of the house that a pattern can see: names that bypass a seam, things that must not be in the repository, sizes."""

import re
from dataclasses import dataclass
from pathlib import Path

from sources import Finding, cpp_files, tracked

CODE = ("core/", "kv/", "models/", "server/")
MAX_LINES = 300


@dataclass(frozen=True)
class Forbidden:
    pattern: re.Pattern
    reason: str
    places: tuple[str, ...]
    except_in: tuple[str, ...] = ()


# Patterns are put together from halves where this file itself would match them.
FORBIDDEN = (
    Forbidden(re.compile(r"\b(?:steady|system|high_resolution)_clock::now\b"), "time comes from Clock (core/base/clock.h)", CODE,
              ("core/base/clock.h",)),
    Forbidden(re.compile(r"(?<![\w.>:])s?rand\(|\bstd::(?:s?rand|time)\(|\b(?:gettimeofday|clock_gettime)\("),
              "time and randomness come from their seams", CODE),
    Forbidden(re.compile(r"\bstd::(?:random_device|mt19937(?:_64)?|default_random_engine)\b"),
              "randomness comes from its seam, sampling from (seed, position)", CODE, ("server/random_source.cpp",)),
    Forbidden(re.compile(r"::detached\b"), "spawn with a completion handler that logs", CODE),
    Forbidden(re.compile(r"\bstd::(?:cout|cerr)\b|\bprintf\s*\("), "use a logger; only the command line writes to the terminal",
              ("core/", "kv/", "models/")),
    Forbidden(re.compile("(?i)\\b(?:TO" + "DO|FIX" + "ME|X" + "XX)\\b"), "no unfinished work: do it or file it", ("",)),
    Forbidden(re.compile(r"(?<![\w.~$}/-])/(?:work|root|home|Users)/\w"), "absolute path of one machine", ("",)),
    Forbidden(re.compile(r"(?i)\b(?:py" + r"pi\.org|python" + r"hosted\.org|registry\.npm" + r"js\.org|deb\.deb" + r"ian\.org|"
                         r"hugging" + r"face\.co)\b"), "no registry host names: the clients know their registries", ("",)),
    Forbidden(re.compile(r"^<{7} |^>{7} "), "merge conflict", ("",)),
)
BAD_WORDS = re.compile(r"(?:^|_)(?:manager|helper|util|utils|impl|data|misc|common)(?:_|$)")
# Text that others wrote or machines made is not ours to judge line by line.
UNJUDGED = ("LICENSE", "tests/golden/", "tests/fuzz/corpus/")
BINARY = {".png", ".gguf", ".bin", ".safetensors", ".npy", ".npz", ".ico", ".gz"}


def judged(root: Path) -> list[str]:
    return [p for p in tracked(root) if not p.startswith(UNJUDGED) and Path(p).suffix not in BINARY]


def forbidden_names(path: str, lines: list[str]) -> list[Finding]:
    """A line is excused by itself or the line above it: "// Past the seam because …"."""
    rules = [r for r in FORBIDDEN if path.startswith(r.places) and path not in r.except_in]
    excused = {number + below for number, line in enumerate(lines, 1) if "// Past the seam because " in line for below in (0, 1)}
    return [Finding(path, number, f"'{found[0].strip()}': {rule.reason}")
            for number, line in enumerate(lines, 1) if number not in excused
            for rule in rules if (found := rule.pattern.search(line))]


def size(path: str, lines: list[str]) -> list[Finding]:
    """A longer file states its reason in its opening comment: a line that starts with 'Long because'."""
    opening = []
    for line in lines:
        if not line.startswith(("//", "#", '"""')) and opening:
            break
        opening.append(line)
    if len(lines) <= MAX_LINES or any(re.match(r"\W*Long because ", line) for line in opening):
        return []
    return [Finding(path, 1, f"{len(lines)} lines; over {MAX_LINES} the opening comment says 'Long because …'")]


def header_opening(path: str, lines: list[str]) -> list[Finding]:
    if not path.endswith(".h"):
        return []
    findings = []
    if not lines or not lines[0].startswith("//"):
        findings.append(Finding(path, 1, "a header opens with what it is, who owns it, which thread may call it"))
    if "#pragma once" not in lines:
        findings.append(Finding(path, 1, "no #pragma once"))
    return findings


def file_name(path: str) -> list[Finding]:
    stem = Path(path).stem
    if not re.fullmatch(r"[a-z0-9_]+", stem):
        return [Finding(path, 1, "file names are snake_case")]
    if BAD_WORDS.search(stem):
        return [Finding(path, 1, "say what the file is: no manager, helper, util, impl, data")]
    return []


def check(root: Path) -> list[Finding]:
    findings = []
    cpp = set(cpp_files(root))
    for path in judged(root):
        lines = (root / path).read_text(errors="replace").splitlines()
        findings += forbidden_names(path, lines)
        if path in cpp or path.endswith((".py", ".sh", ".cmake")) or path == "dev":
            findings += size(path, lines)
        if path in cpp:
            findings += header_opening(path, lines) + file_name(path)
    return findings
