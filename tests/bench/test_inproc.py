"""Loads on the engine in `mie bench` itself, with the default model."""

import json
import os
import subprocess

SWEEP = """
schema = "mie.workload/1"
name = "made"
seed = 3
target = { kind = "inproc" }
requests = { count = 1 }
arrival = { law = "closed", concurrency = 1 }
[prompt]
length = { dist = "fixed", value = 8 }
content = { kind = "random_ids" }
[output]
length = { dist = "fixed", value = 2 }
[sweep]
output.length.value = [2, 3]
"""


def test_a_second_engine_has_the_cores_of_the_first(tmp_path):
    """The first engine's self-check once left the thread that makes engines on one core, and every later engine with one thread."""
    (tmp_path / "sweep.toml").write_text(SWEEP)
    subprocess.run([os.environ["MIE_BINARY"], "bench", "sweep", str(tmp_path / "sweep.toml"), "--model", os.environ["MIE_TEST_MODEL"],
                    "--out", str(tmp_path / "out"), "--no-probes", "--quiet"], capture_output=True, text=True, timeout=120, check=False)
    hosts = [json.loads(path.read_text())["host"] for path in (tmp_path / "out").rglob("result.json")]
    assert [host["affinity"] for host in hosts] == [sorted(os.sched_getaffinity(0))] * 2
