"""Runs the Node client tests (openai_node.test.mjs) against the real model."""

import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def test_node_client(real, tmp_path):
    """Node finds `openai` beside the script, so the script is copied to where ./dev put node_modules."""
    modules = os.environ.get("MIE_NODE_MODULES", "")
    assert modules, "MIE_NODE_MODULES must name the folder that holds the openai package; run by ./dev test"
    (tmp_path / "node_modules").symlink_to(modules)
    script = shutil.copy(HERE / "openai_node.test.mjs", tmp_path)
    ended = subprocess.run(["node", "--test", "--test-reporter", "spec", script], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                           env=os.environ | {"MIE_BASE_URL": real.base_url})
    assert ended.returncode == 0, ended.stdout + ended.stderr
