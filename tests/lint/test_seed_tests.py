"""docs/seed_tests.md and docs/other_engines.md name tests and files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| .* \| `(tests/[^`]+)` \| (.+) \|$")


def rows(text: str) -> list[tuple[str, list[str]]]:
    matches = [ROW.match(line) for line in text.splitlines()]
    return [(match[1], re.findall(r"`([A-Za-z0-9]+\.[A-Za-z0-9]+)`", match[2])) for match in matches if match]


def missing(file: str, names: list[str]) -> list[str]:
    path = ROOT / file
    defined = re.findall(r"\bTEST(?:_F|_P)?\((\w+), (\w+)\)", path.read_text()) if path.exists() else []
    return [f"{file}: {name}" for name in names if tuple(name.split(".")) not in defined]


@pytest.mark.parametrize("page, least", [("docs/seed_tests.md", 51), ("docs/other_engines.md", 7)])
def test_every_named_test_exists(page, least):
    found = rows((ROOT / page).read_text())
    assert len(found) >= least and all(names for _, names in found)
    assert [line for file, names in found for line in missing(file, names)] == []


def test_our_parts_in_the_comparison_with_other_engines_exist():
    parts = [line.split("|")[2] for line in (ROOT / "docs/other_engines.md").read_text().splitlines() if line.startswith("| ")]
    paths = [path for part in parts for path in re.findall(r"`([a-z]+/[a-z_/.]+)`", part)]
    assert len(paths) > 15
    assert [path for path in paths if not list(ROOT.glob(f"{path}*"))] == []


def test_a_test_that_is_not_there_is_reported():
    assert missing("tests/kv/usage_test.cpp", ["KvUsage.NoSuchTest"]) == ["tests/kv/usage_test.cpp: KvUsage.NoSuchTest"]
    assert missing("tests/kv/no_such_file.cpp", ["A.B"]) == ["tests/kv/no_such_file.cpp: A.B"]
