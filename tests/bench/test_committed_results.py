"""What docs/benchmarks holds: every result is one that `mie bench validate` takes, and the page is made of all of them."""

import os
import subprocess
from pathlib import Path

import pytest

BINARY = os.environ["MIE_BINARY"]
ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "docs/benchmarks").rglob("result.json"))


def test_there_are_results():
    assert len(RESULTS) >= 20  # a campaign's, and not what a broken one left


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}")
def test_a_committed_result_is_accepted(path):
    done = subprocess.run([BINARY, "bench", "validate", str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_is_made_of_all_of_them():
    page = (ROOT / "docs/BENCHMARKS.md").read_text(encoding="utf-8")
    assert f"{len(RESULTS)} results stand behind this page" in page and "Not used:" not in page
