"""The light reference implementations, run live: they still say what the committed golden files say, and our tokenizer agrees
with them on texts that nobody chose."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import regenerate  # noqa: E402


@pytest.fixture(scope="module")
def model() -> str:
    path = os.environ.get("MIE_TEST_MODEL", "")
    assert Path(path).is_file(), "MIE_TEST_MODEL must name the default model; run by ./dev test"
    return path


def test_the_committed_files_are_what_the_references_make(model, tmp_path):
    folder = regenerate.copy_into(tmp_path)
    light = [step.makes for step in regenerate.STEPS if not step.heavy]
    for name in light:
        (folder / name).unlink()
    assert regenerate.regenerate(model, folder, heavy=False) == light
    different = [name for name in light if (folder / name).read_bytes() != (HERE / name).read_bytes()]
    assert different == []


@pytest.mark.parametrize("seed", [1, 2])
def test_our_tokenizer_agrees_on_random_texts(model, seed):
    ours = Path(os.environ["MIE_BINARY"]).parents[1] / "tests/text/tokenize_cli"
    done = subprocess.run([sys.executable, HERE / "check_tokenizer_live.py", model, ours, "--seed", str(seed), "--texts", "2000"],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
