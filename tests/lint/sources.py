"""The files a rule reads, and what a rule reports."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCE_FOLDERS = ("core/", "kv/", "models/", "server/", "bench/", "tests/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


@dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def tracked(root: Path, *patterns: str) -> list[str]:
    """Paths from root that git tracks or would add, so that a new file is judged before its first commit."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
                            cwd=root, check=True, capture_output=True, text=True).stdout
    return sorted({path for path in listed.split("\0") if path and (root / path).is_file()})


def cpp_files(root: Path) -> list[str]:
    return tracked(root, "*.h", "*.cpp")


def includes(text: str) -> list[tuple[int, str, str]]:
    """(line, quote character, path) of each include directive."""
    return [(number, found[1], found[2]) for number, line in enumerate(text.splitlines(), 1) if (found := INCLUDE.match(line))]
