"""./dev lint: every rule over the whole repository; exit 1 and one line a finding if any is broken.

    python3 tests/lint/run.py [--all]     --all has clang-tidy read the torch backend and the tests too (minutes, once)
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import house_rules
import include_rules
from analysis import Analysis
from sources import SOURCE_FOLDERS, Finding, cpp_files

ROOT = Path(__file__).resolve().parents[2]


def formatting(root: Path) -> list[Finding]:
    files = cpp_files(root)
    unformatted = []
    for start in range(0, len(files), 50):
        done = subprocess.run(["clang-format-19", "--dry-run", "-ferror-limit=1", *files[start:start + 50]], cwd=root,
                              capture_output=True, text=True)
        unformatted += [line.split(":")[:2] for line in done.stderr.splitlines() if "-Wclang-format-violations" in line]
    return [Finding(path, int(line), "not formatted; ./dev fmt does it") for path, line in unformatted]


def main(arguments: list[str]) -> int:
    cache = Path(os.environ.get("MIE_CACHE") or os.path.expanduser("~/.cache/mie"), "lint")
    databases, folders = [ROOT / "build/debug/compile_commands.json"], SOURCE_FOLDERS[:-1]
    if "--all" in arguments:
        databases, folders = [*databases, ROOT / "build/release/compile_commands.json"], SOURCE_FOLDERS
    rules = {
        "include directions": lambda: include_rules.check(ROOT),
        "house rules": lambda: house_rules.check(ROOT),
        "formatting": lambda: formatting(ROOT),
        "clang-tidy, headers alone": lambda: Analysis(ROOT, cache, databases).all(folders),
    }
    n_findings = 0
    for name, rule in rules.items():
        start = time.monotonic()
        findings = sorted(set(rule()))
        n_findings += len(findings)
        for finding in findings:
            print(finding)
        print(f"==> {name}: {len(findings)} findings, {time.monotonic() - start:.1f} s", flush=True)
    return 1 if n_findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
