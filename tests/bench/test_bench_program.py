"""`mie bench` is `mie-bench`, the program beside it."""

import os
import shutil
import subprocess


def bench(binary, *flags) -> subprocess.CompletedProcess:
    return subprocess.run([binary, "bench", *flags], capture_output=True, text=True, timeout=60)


def test_flags_reach_the_program():
    done = bench(os.environ["MIE_BINARY"], "micro", "--no-such-flag")
    assert done.returncode == 2
    assert "--no-such-flag" in done.stderr and "mie bench" in done.stderr


def test_without_the_program_the_error_says_what_makes_it(tmp_path):
    alone = shutil.copy(os.environ["MIE_BINARY"], tmp_path / "mie")
    done = bench(alone, "micro")
    assert done.returncode == 2
    assert f"cannot run {tmp_path}/mie-bench: No such file or directory" in done.stderr and "./dev build" in done.stderr
