"""Loads put to a server by `mie bench run`, each in a folder of its own with its specification. What is there already is not run
again; what came out void is tried twice more and then kept as void."""

import gzip
import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from bench.analysis import result as results
from bench.analysis.knee.plan import Load
from bench.analysis.render import write_text
from bench.analysis.result import Refused, Result

TRIES = 3
BAD_INPUT = 2
OURS = ("PYTHONPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # set for the analysis; a server has other needs


class Stopped(Exception):
    """A signal ended the search; what was measured so far is there."""


@dataclass(frozen=True)
class Target:
    """Who answers, and by which program it is asked."""

    mie: str
    flags: tuple[str, ...]  # of `mie bench run`: --model FILE or --url URL, --no-probes
    serve: tuple[str, ...] = ()

    def command(self, spec: Path, out: Path) -> list[str]:
        serve = ["--", *self.serve] if self.serve else []
        return [self.mie, "run", str(spec), "--out", str(out), "--quiet", *self.flags, *serve]


@dataclass(frozen=True)
class Done:
    load: Load
    result: Result
    voids: list[dict] = field(default_factory=list)  # tries that do not count: {run_id, state, reasons}
    reused: bool = False

    @property
    def valid(self) -> bool:
        return self.result.state == "ok"


def keep_small(folder: Path) -> None:
    """Of a result what is committed: its requests gzipped, the same bytes each time, and no log of its server."""
    plain = folder / "requests.jsonl"
    (folder / "requests.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    plain.unlink()
    for log in folder.glob("server-*.log"):
        log.unlink()


class Runner:
    """Owns the folders closed/, open/ and overload/ of one output folder."""

    def __init__(self, target: Target, out: Path):
        self.target, self.out = target, out
        self.child: subprocess.Popen | None = None
        self.loaded: dict[Path, Done] = {}  # what `known` has found
        self.stopping = False

    def folder(self, load: Load) -> Path:
        return self.out / load.kind / load.label

    def known(self, load: Load) -> Done | None:
        """Its result, where it needs no further try."""
        folder = self.folder(load)
        if folder in self.loaded:
            return self.loaded[folder]
        if not (folder / "spec.json").is_file() or (folder / "spec.json").read_text(encoding="utf-8") != load.text:
            return None
        voids = self._voids(folder)
        for path in results.folders_under(folder):
            found = results.load(path)
            if found.document.get("spec_text") == load.text and (found.state == "ok" or len(voids) >= TRIES):
                self.loaded[folder] = Done(load, found, voids, reused=True)
                return self.loaded[folder]
        return None

    def run(self, load: Load, tries: int = TRIES) -> Done:
        if known := self.known(load):
            return known
        folder = self.folder(load)
        if not (folder / "spec.json").is_file() or (folder / "spec.json").read_text(encoding="utf-8") != load.text:
            shutil.rmtree(folder, ignore_errors=True)  # of another plan
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / "spec.json", load.text)
        for path in filter(Path.is_dir, list(folder.iterdir())):  # void, or broken off
            shutil.rmtree(path)
        voids = self._voids(folder)
        while True:
            found = self._put(folder)
            if found.state != "ok":
                voids.append({"run_id": found.run_id, "state": found.state, "reasons": found.document["validity"].get("reasons", [])})
                write_text(folder / "voids.json", json.dumps(voids, indent=1) + "\n")
            if found.state == "ok" or len(voids) >= tries:
                keep_small(found.folder)
                return Done(load, found, voids)
            shutil.rmtree(found.folder)

    def _voids(self, folder: Path) -> list[dict]:
        file = folder / "voids.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []

    def _put(self, folder: Path) -> Result:
        if self.stopping:
            raise Stopped
        environment = {name: value for name, value in os.environ.items() if name not in OURS}
        self.child = subprocess.Popen(self.target.command(folder / "spec.json", folder), stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, env=environment)
        said, errors = self.child.communicate()
        code, self.child = self.child.returncode, None
        paths = [path for path in results.folders_under(folder) if path != folder]
        if self.stopping:
            for path in paths:
                shutil.rmtree(path)
            raise Stopped
        if code in (0, 1, 5) and len(paths) == 1:
            return results.load(paths[0])
        if code == BAD_INPUT:
            raise Refused(errors.strip() or said.strip())
        raise Refused(f"mie bench run ended with {code} and {len(paths)} results: {errors.strip()[-500:]}")

    def stop(self, number: int, _frame) -> None:
        """The load that runs ends first: the terminal's interrupt has reached it, another signal is passed on."""
        self.stopping = True
        if self.child is not None and number != signal.SIGINT:
            self.child.send_signal(number)
