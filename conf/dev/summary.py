"""Adds up the JUnit files of one ./dev test and prints a table; the last line is the verdict, alone.

The folder also holds broken.txt: one line "suite status" for each suite that ended with another status than 0. A suite
that is in it without a failed test (it crashed, or wrote no file at all) counts as one failure.

    python3 conf/dev/summary.py build/test-results
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree


@dataclass
class Suite:
    name: str
    passed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


def read_suite(path: Path) -> Suite:
    suite = Suite(path.stem)
    for case in ElementTree.parse(path).iter("testcase"):
        suite.seconds += float(case.get("time") or 0)
        if case.find("failure") is not None or case.find("error") is not None:
            suite.failures.append(f"{suite.name}: {case.get('classname') or ''} {case.get('name')}")
        elif case.find("skipped") is not None:
            suite.skipped += 1
        else:
            suite.passed += 1
    return suite


def read_folder(folder: Path) -> list[Suite]:
    suites = {path.stem: read_suite(path) for path in sorted(folder.glob("*.xml"))}
    broken = folder / "broken.txt"
    for line in broken.read_text().splitlines() if broken.is_file() else []:
        name, status = line.split()
        suite = suites.setdefault(name, Suite(name))
        if status != "0" and not suite.failures:
            suite.failures.append(f"{name}: the suite itself ended with status {status}")
    return list(suites.values())


def report(suites: list[Suite]) -> str:
    lines = [f"{'suite':10} {'passed':>7} {'failed':>7} {'skipped':>8} {'seconds':>8}"]
    lines += [f"{s.name:10} {s.passed:7} {len(s.failures):7} {s.skipped:8} {s.seconds:8.1f}" for s in suites]
    lines += [f"FAILED {name}" for s in suites for name in s.failures]
    lines.append(f"{sum(s.passed for s in suites)} passed, {sum(len(s.failures) for s in suites)} failed")
    return "\n".join(lines)


def main(folder: Path) -> int:
    suites = read_folder(folder)
    print(report(suites))
    ran_something = any(s.passed or s.failures for s in suites)
    return 0 if ran_something and not any(s.failures for s in suites) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
