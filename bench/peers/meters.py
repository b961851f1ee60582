"""One turn of one running server: probe, load, probe, load, …, probe, and who else used the CPU meanwhile.

    python3 bench/peers/meters.py '{"pid": …, "port": …, …}'

A program of its own, so that a command such as `flock` or `nice` can be put before it. Prints a JSON list of runs. The meters are
outside this project: the load meter drives the server and prints one JSON line, the probe prints GB/s.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
SETTLE_SECONDS, SETTLE_TRIES = 0.5, 20
SETTLED_CPU = 0.02  # of all cores


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


def tree_seconds(roots: list[int]) -> float:
    """CPU time of processes and all their descendants."""
    all_processes = processes()
    tree = set(roots)
    while grown := {pid for pid, (parent, _) in all_processes.items() if parent in tree} - tree:
        tree |= grown
    return sum(seconds for pid, (_, seconds) in all_processes.items() if pid in tree)


def probe(path: str) -> float:
    return float(subprocess.run([path, "2"], check=True, capture_output=True, text=True).stdout.split()[-1])


def load(order: dict, asked: dict) -> dict:
    command = [order["load"], "127.0.0.1", order["port"], order["model"], asked["concurrency"], asked["requests"], asked["prompt"],
               asked["output"], asked["seed"], order["vocab"]]
    environment = os.environ | ({"EXTRA": order["extra"]} if order["extra"] else {})
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    if not done.stdout.strip():
        sys.exit(f"the load meter failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout)


def settle(roots: list[int]) -> None:
    """Waits until the server whose turn is over has come to rest: its threads may poll on for seconds after the last answer."""
    for _ in range(SETTLE_TRIES):
        own, busy, start = tree_seconds(roots), busy_seconds(), time.monotonic()
        time.sleep(SETTLE_SECONDS)
        foreign = busy_seconds() - busy - (tree_seconds(roots) - own)
        if foreign <= SETTLED_CPU * (time.monotonic() - start) * os.cpu_count():
            return


def measure(order: dict) -> list[dict]:
    """One run for each of order["loads"]; the probe after one is the probe before the next."""
    roots = [order["pid"], os.getpid()]
    settle(roots)
    runs, before = [], probe(order["probe"])
    for asked in order["loads"]:
        own, busy, start = tree_seconds(roots), busy_seconds(), time.monotonic()
        result = load(order, asked)
        core_seconds = (time.monotonic() - start) * os.cpu_count()
        own, busy = tree_seconds(roots) - own, busy_seconds() - busy
        after = probe(order["probe"])
        runs.append({"asked": asked, "load": result, "probe_before": before, "probe_after": after,
                     "foreign_cpu": round(max(0.0, busy - own) / core_seconds, 4), "server_cpu": round(own / core_seconds, 4)})
        before = after
    return runs


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
