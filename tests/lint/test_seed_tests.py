"""docs/seed_tests.md names tests that exist, in the files that it says."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| .* \| `(tests/[^`]+)` \| (.+) \|$")


def rows(text: str) -> list[tuple[str, list[str]]]:
    matches = [ROW.match(line) for line in text.splitlines()]
    return [(match[1], re.findall(r"`([A-Za-z0-9]+\.[A-Za-z0-9]+)`", match[2])) for match in matches if match]


def missing(file: str, names: list[str]) -> list[str]:
    path = ROOT / file
    defined = re.findall(r"\bTEST(?:_F|_P)?\((\w+), (\w+)\)", path.read_text()) if path.exists() else []
    return [f"{file}: {name}" for name in names if tuple(name.split(".")) not in defined]


def test_every_named_test_exists():
    found = rows((ROOT / "docs/seed_tests.md").read_text())
    assert len(found) > 50 and all(names for _, names in found)
    assert [line for file, names in found for line in missing(file, names)] == []


def test_a_test_that_is_not_there_is_reported():
    assert missing("tests/kv/usage_test.cpp", ["KvUsage.NoSuchTest"]) == ["tests/kv/usage_test.cpp: KvUsage.NoSuchTest"]
    assert missing("tests/kv/no_such_file.cpp", ["A.B"]) == ["tests/kv/no_such_file.cpp: A.B"]
