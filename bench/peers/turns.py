"""The turns of a comparison in their folder: OUT/WORKLOAD/ENGINE-ROUND/ holds the results of one and turn.json, which is there when
it counts. What does not count is noted in OUT/void.jsonl and its results are removed: whoever reads OUT finds only what counts.
"""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

import engines  # noqa: E402
import rounds  # noqa: E402
from bench.campaign import step_run  # noqa: E402

WORKLOADS = ROOT / "conf/workloads"


class UnequalWork(Exception):
    """A comparison with such a server would say nothing."""


@dataclass(frozen=True)
class Turn:
    workload: str
    engine: str
    round: int

    def folder(self, out: Path) -> Path:
        return out / self.workload / f"{self.engine}-{self.round:02}"

    def done(self, out: Path) -> bool:
        return (self.folder(out) / "turn.json").is_file()


@dataclass(frozen=True)
class Measuring:
    """How turns are measured."""

    mie: str
    out: Path
    before: str  # command put before each turn


def swept(workload: str) -> bool:
    return "\n[sweep]" in (WORKLOADS / f"{workload}.toml").read_text()


def bench_command(turn: Turn, server: engines.Server, mie: str, folder: Path) -> list[str]:
    command = [mie, "bench", "sweep" if swept(turn.workload) else "run", f"conf/workloads/{turn.workload}.toml",
               "--url", f"http://127.0.0.1:{server.port}", "--arm", turn.engine, "--repetition", str(turn.round),
               "--out", str(folder), "--quiet"]
    return command + (["--members", server.engine.members] if server.engine.members else [])


def measure(turn: Turn, server: engines.Server, how: Measuring, folder: Path) -> tuple[dict, list[dict]]:
    """What the turn measured, and its results."""
    shutil.rmtree(folder, ignore_errors=True)  # of a turn that was broken off
    order = {"pid": server.process.pid, "command": bench_command(turn, server, how.mie, folder), "folder": str(ROOT)}
    done = subprocess.run([*how.before.split(), sys.executable, str(HERE / "turn.py"), json.dumps(order)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise UnequalWork(f"the turn failed: {done.stderr.strip()[-1000:]}")
    results = [json.loads(path.read_text()) for path in sorted(folder.glob("*/result.json"))]
    return json.loads(done.stdout), results


def run(turn: Turn, server: engines.Server, how: Measuring) -> None:
    """Measures it and keeps it if it counts."""
    folder = turn.folder(how.out)
    measured, results = measure(turn, server, how, folder)
    if wrong := rounds.unequal_work(measured, results, server.engine.cached):
        raise UnequalWork(f"{turn.engine} did other work than {turn.workload} asks for: {wrong}")
    reason = rounds.fault(measured, results)
    said = ", ".join(f"{result['throughput']['output_tokens_per_s']:.1f}" for result in results)
    print(f"  round {turn.round}  {turn.workload:<20} {turn.engine:<12} {said} tokens/s" +
          (f"  does not count: {reason}" if reason else ""), flush=True)
    record = {"workload": turn.workload, "engine": turn.engine, "round": turn.round}
    if reason:
        shutil.rmtree(folder)
        with (how.out / "void.jsonl").open("a") as notes:
            notes.write(json.dumps(record | {"reason": reason}) + "\n")
        return
    step_run.keep(folder)
    figures = {name: measured[name] for name in ("foreign_cpu", "own_cpu", "peak_resident_bytes")}
    (folder / "turn.json").write_text(json.dumps(record | figures, indent=1) + "\n")


def count(out: Path, workload: str, engine: str) -> int:
    return len(list((out / workload).glob(f"{engine}-[0-9][0-9]/turn.json")))
