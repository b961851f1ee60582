#!/usr/bin/env python3
"""Plants each bug of mutants.py in a copy of the sources, builds the tests of kv, sched and engine, and runs them: some test
must fail. Exit code 1 when a bug lives. Takes minutes; --only TEXT chooses by file or description."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import time

from mutants import MUTANTS, Mutant

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["kv/kv_tests", "sched/sched_tests", "engine/engine_tests"]
SECONDS_TO_FAIL = 120  # a bug may make a test run for ever


def copy_sources(to: pathlib.Path) -> None:
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    for name in filter(None, files):
        source, target = ROOT / name, to / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def build(sources: pathlib.Path) -> bool:
    targets = [program.split("/")[1] for program in PROGRAMS]
    return subprocess.run(["ninja", "-C", sources / "build", *targets], capture_output=True).returncode == 0


def killer(sources: pathlib.Path) -> str | None:
    """The test program that failed, or None."""
    for program in PROGRAMS:
        try:
            run = subprocess.run([sources / "build" / "tests" / program, "--gtest_brief=1", "--gtest_fail_fast"],
                                 cwd=sources, capture_output=True, timeout=SECONDS_TO_FAIL)
        except subprocess.TimeoutExpired:
            return f"{program} (did not end)"
        if run.returncode != 0:
            return program
    return None


def plant(sources: pathlib.Path, mutant: Mutant) -> str:
    path = sources / mutant.file
    text = path.read_text()
    try:
        path.write_text(text.replace(mutant.text, mutant.planted))
        if not build(sources):
            return "does not compile"
        return killer(sources) or "LIVES"
    finally:
        path.write_text(text)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", default="", help="text that the file or the description holds")
    arguments.add_argument("--sources", type=pathlib.Path, default=ROOT / "build" / "mutants", help="where the copy goes")
    options = arguments.parse_args()
    copy_sources(options.sources)
    subprocess.run(["cmake", "--preset", "debug", "-B", options.sources / "build", "-DMIE_TESTS=ON", "-DMIE_PRECOMPILE=ON"],
                   cwd=options.sources, check=True, capture_output=True)
    if not build(options.sources) or killer(options.sources):
        sys.exit("the tests do not pass without a planted bug")
    chosen = [mutant for mutant in MUTANTS if options.only in mutant.file or options.only in mutant.bug]
    living = 0
    for number, mutant in enumerate(chosen, 1):
        began = time.monotonic()
        fate = plant(options.sources, mutant)
        living += fate in ("LIVES", "does not compile")
        print(f"{number:2}/{len(chosen)} {mutant.bug}: {fate} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{len(chosen) - living} of {len(chosen)} caught")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main())
