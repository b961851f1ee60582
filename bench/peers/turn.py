"""One turn of one running server: a workload put to it, how much memory it took, and who else used the CPU meanwhile.

    python3 bench/peers/turn.py '{"pid": …, "command": ["mie", "bench", "run", …]}'

A program of its own, so that a command such as `flock` or `nice` can be put before it. Prints one JSON object. The results
themselves are what `mie bench` writes.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
SETTLE_SECONDS, SETTLE_TRIES = 0.5, 20
SETTLED_CPU = 0.02  # of all cores
RESET_PEAK = "5"  # to clear_refs of /proc: the peak of resident memory begins anew


def busy_seconds() -> float:
    """CPU time that all cores together have spent on anything, the hypervisor's other guests included (steal)."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS


def processes() -> dict[int, tuple[int, float]]:
    """Process id -> (parent, CPU seconds of it and of its children that have ended)."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # ended meanwhile
            continue
        found[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / TICKS)
    return found


def tree(roots: list[int], known: dict[int, tuple[int, float]]) -> set[int]:
    """Processes and all their descendants."""
    found = set(roots)
    while grown := {pid for pid, (parent, _) in known.items() if parent in found} - found:
        found |= grown
    return found


def tree_seconds(roots: list[int]) -> float:
    known = processes()
    return sum(known[pid][1] for pid in tree(roots, known) if pid in known)


def reset_peaks(root: int) -> None:
    for pid in tree([root], processes()):
        Path(f"/proc/{pid}/clear_refs").write_text(RESET_PEAK)


def peak_bytes(root: int) -> int:
    """Of each process of the server its most since the reset. Pages that they share are counted in each."""
    status = [Path(f"/proc/{pid}/status").read_text() for pid in tree([root], processes())]
    return sum(1024 * int(found[1]) for text in status if (found := re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)))


def settle(roots: list[int]) -> None:
    """Waits until the server whose turn is over has come to rest: its threads may poll on for seconds after the last answer."""
    for _ in range(SETTLE_TRIES):
        own, busy, start = tree_seconds(roots), busy_seconds(), time.monotonic()
        time.sleep(SETTLE_SECONDS)
        foreign = busy_seconds() - busy - (tree_seconds(roots) - own)
        if foreign <= SETTLED_CPU * (time.monotonic() - start) * os.cpu_count():
            return


def measure(order: dict) -> dict:
    roots = [order["pid"], os.getpid()]
    settle(roots)
    reset_peaks(order["pid"])
    own, busy, start = tree_seconds(roots), busy_seconds(), time.monotonic()
    done = subprocess.run(order["command"], cwd=order["folder"], capture_output=True, text=True)
    core_seconds = (time.monotonic() - start) * os.cpu_count()
    own, busy = tree_seconds(roots) - own, busy_seconds() - busy
    return {"exit_code": done.returncode, "said": (done.stdout + done.stderr).strip()[-1000:],
            "peak_resident_bytes": peak_bytes(order["pid"]), "own_cpu": round(own / core_seconds, 4),
            "foreign_cpu": round(max(0.0, busy - own) / core_seconds, 4)}


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
