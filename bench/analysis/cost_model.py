"""What a step costs: a + b·prefill + c·decode + d·context seconds, fitted to the steps of real runs for the simulated engine.

Steps are lines of steps.jsonl as `mie bench run` writes them. `prefill` counts tokens of prompts, those computed again included;
`decode` counts rows past their prompt, drafts included; `context` is the sum over all rows of the tokens that each attends to.
Coefficients are not negative. Every fifth step is held out, and the error is what the fit makes of those.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from bench.analysis import result
from bench.analysis.result import Refused, machine_of

SCHEMA = "mie.cost_model/1"
NAMES = ("a", "b", "c", "d")
LEAST_STEPS = 20
HELD_OUT = 5  # every so manieth
ROUNDS = 4


@dataclass(frozen=True)
class Fit:
    coefficients: np.ndarray  # a, b, c, d in seconds
    n_steps: int
    n_held_out: int
    r2: float  # of the held-out steps, as all errors
    median_error: float  # relative, of a step
    p95_error: float
    total_error: float  # of the sum of their times, signed


def work_of(step: dict) -> tuple[float, float, float, float]:
    prefill = step["prefill"] + step["recompute"]
    return 1.0, prefill, step["rows"] - prefill, step["context"]


def seconds_of(step: dict) -> float:
    return (step["plan_ns"] + step["run_ns"] + step["commit_ns"]) / 1e9


def fit(work: np.ndarray, seconds: np.ndarray) -> Fit:
    """Errors are weighed by the time that a step should take, so that one of 1 ms counts as much as one of 100 ms. That time is the
    fit's own, found anew each round: weighed by what was measured, slow steps would count less for being slow."""
    held = np.arange(len(seconds)) % HELD_OUT == HELD_OUT - 1
    scale = np.abs(work[~held]).max(axis=0)
    scale[scale == 0] = 1  # a kind of work that never happens costs nothing
    expected = seconds[~held]
    for _ in range(ROUNDS):
        found, _ = nnls(work[~held] / scale / expected[:, None], seconds[~held] / expected)
        expected = np.maximum(work[~held] / scale @ found, 1e-9)
    coefficients = found / scale
    predicted, real = work[held] @ coefficients, seconds[held]
    relative = np.abs(predicted - real) / real
    spread = np.sum((real - real.mean()) ** 2)
    return Fit(coefficients, int((~held).sum()), int(held.sum()),
               float(1 - np.sum((predicted - real) ** 2) / spread) if spread > 0 else 0.0,
               float(np.median(relative)), float(np.quantile(relative, 0.95)),
               float(predicted.sum() / real.sum() - 1))


def read_steps(path: Path) -> list[dict]:
    try:
        plain = path.with_suffix("") if path.suffix == ".gz" else path
        steps = [json.loads(line) for line in result.read_lines(plain).splitlines()]
        for step in steps:
            work_of(step), seconds_of(step)
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path}: not steps of mie bench run: {error!r}") from None
    return steps


def source_of(path: Path) -> dict:
    """Of the result beside the steps, where there is one."""
    beside = path.parent / "result.json"
    if not beside.is_file():
        return {"commit": None, "host": None, "model": None, "target": None}
    document = json.loads(beside.read_text(encoding="utf-8"))
    arms = (document.get("server") or {}).get("arms") or [{}]
    return {"commit": (document.get("tool") or {}).get("git_commit"), "host": machine_of(document), "model": arms[0].get("model"),
            "target": (document.get("target") or {}).get("kind"), "run_id": document.get("run_id"),
            "spec_sha256": document.get("spec_sha256")}


def document_of(paths: list[Path]) -> dict:
    steps = [step for path in paths for step in read_steps(path)]
    timed = [step for step in steps if seconds_of(step) > 0]
    if len(timed) < LEAST_STEPS:
        raise Refused(f"{paths[0]}: {len(timed)} steps, a fit takes {LEAST_STEPS}")
    found = fit(np.array([work_of(step) for step in timed]), np.array([seconds_of(step) for step in timed]))
    coefficients = dict(zip(NAMES, (float(value) for value in found.coefficients), strict=True))
    return {"schema": SCHEMA, **coefficients,
            "fit": {"steps": found.n_steps, "held_out": found.n_held_out, "r2": found.r2,
                    "median_relative_error": found.median_error, "p95_relative_error": found.p95_error,
                    "total_time_error": found.total_error},
            "source": {**source_of(paths[0]), "files": len(paths)}}


def told(document: dict) -> str:
    of = document["fit"]
    terms = ", ".join(f"{name} {1e6 * document[name]:.4g} µs" for name in NAMES)
    return (f"{terms}; on {of['held_out']} held-out steps R² {of['r2']:.4f}, relative error median "
            f"{100 * of['median_relative_error']:.1f} %, p95 {100 * of['p95_relative_error']:.1f} %, of the total time "
            f"{100 * of['total_time_error']:+.1f} %")
