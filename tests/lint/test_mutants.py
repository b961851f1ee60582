"""The bugs that tests/mutants plants still have a place in the sources."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutants"))

from mutants import MUTANTS  # noqa: E402


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.bug)
def test_each_has_one_place(mutant):
    assert (ROOT / mutant.file).read_text().count(mutant.text) == 1
    assert mutant.text != mutant.planted
