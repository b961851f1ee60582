"""Every example configuration under conf/ is one that the server accepts, and means what it says."""

import subprocess
import tomllib
from pathlib import Path

import pytest

from server_process import binary

CONF = Path(__file__).resolve().parents[2] / "conf"


@pytest.mark.parametrize("file", sorted(CONF.glob("*.toml")), ids=lambda f: f.name)
def test_the_merged_result_holds_the_file(file):
    checked = subprocess.run([binary(), "serve", "--config", file, "--model", "fake:", "--check-config"], capture_output=True, text=True,
                             timeout=60)
    assert checked.returncode == 0, checked.stderr
    merged = tomllib.loads(checked.stdout)
    written = tomllib.loads(file.read_text())
    assert written and {key: merged[key] for key in written} == written
