"""Point 5 of the self-test: gaps that `mie bench expand` makes against the law that a workload names.

A law whose rate moves is a Poisson process on a warped clock: with Λ(t), the arrivals expected until t, the gaps of Λ are exponential
of mean 1, whatever the rate does.
"""

import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

N = 20_000
RATE = 50.0
P = 0.001  # of a Kolmogorov-Smirnov test; seeds are fixed, so a law that passes once always passes
WORKLOAD = """
schema = "mie.workload/1"
name = "arrivals"
seed = {seed}
requests = {{ count = {n} }}
prompt = {{ length = {{ dist = "fixed", value = 1 }} }}
output = {{ length = {{ dist = "fixed", value = 1 }} }}
[arrival]
{law}
"""


@dataclass(frozen=True)
class Law:
    """`clock` maps seconds to what has the gaps `gaps`."""
    name: str
    text: str
    gaps: stats.rv_continuous
    clock: Callable[[np.ndarray], np.ndarray] = lambda t: t

    def squared_cv(self) -> float:
        return float(self.gaps.var() / self.gaps.mean() ** 2)


def on_time(t: np.ndarray, on: float = 3.0, off: float = 2.0) -> np.ndarray:
    cycles, within = np.divmod(t, on + off)
    return RATE * (cycles * on + np.minimum(within, on))


def sine(t: np.ndarray, mean: float = RATE, amp: float = 40.0, period: float = 7.0) -> np.ndarray:
    return mean * t + amp * period / (2 * np.pi) * (1 - np.cos(2 * np.pi * t / period))


def steps(t: np.ndarray, first: float = 20.0, length: float = 100.0, second: float = 80.0) -> np.ndarray:
    return first * np.minimum(t, length) + second * np.maximum(t - length, 0)


UNIT = stats.expon()
LAWS = [
    Law("poisson", f'law = "poisson"\nrate = {RATE}', stats.expon(scale=1 / RATE)),
    Law("gamma, shape 0.5", f'law = "gamma"\nrate = {RATE}\nshape = 0.5', stats.gamma(0.5, scale=2 / RATE)),
    Law("gamma, shape 4", f'law = "gamma"\nrate = {RATE}\nshape = 4.0', stats.gamma(4.0, scale=1 / (4 * RATE))),
    Law("onoff", f'law = "onoff"\nrate = {RATE}\non_s = 3.0\noff_s = 2.0', UNIT, on_time),
    Law("sine", f'law = "sine"\nmean = {RATE}\namp = 40.0\nperiod = 7.0', UNIT, sine),
    Law("steps", 'law = "steps"\nsteps = [{ rate = 20.0, s = 100.0 }, { rate = 80.0, s = 1000.0 }]', UNIT, steps),
]


def arrivals(mie_bench: Path, law: str, n: int = N, seed: int = 1) -> np.ndarray:
    """Seconds of the arrivals that a workload with this law means."""
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "arrivals.toml"
        spec.write_text(WORKLOAD.format(n=n, law=law, seed=seed))
        done = subprocess.run([mie_bench, "expand", spec, "--format", "json"], capture_output=True, text=True, check=True)
    return np.array([request["intended_ns"] for request in json.loads(done.stdout)["requests"]]) * 1e-9


@dataclass(frozen=True)
class Fit:
    p: float
    rate: float  # over the law's
    squared_cv: float  # over the law's


def fit(law: Law, at: np.ndarray) -> Fit:
    gaps = np.diff(law.clock(at))
    return Fit(float(stats.kstest(gaps, law.gaps.cdf).pvalue), float(law.gaps.mean() / gaps.mean()),
               float(gaps.var() / gaps.mean() ** 2 / law.squared_cv()))


def bounds(law: Law, n: int) -> tuple[float, float]:
    """Four standard errors of the mean rate and of the squared CV, over the law's; the second by the delta method."""
    cv2 = law.squared_cv()
    skew, excess = (float(x) for x in law.gaps.stats(moments="sk"))
    of_variance = excess + 2
    return 4 * np.sqrt(cv2 / n), 4 * np.sqrt(max(of_variance + 4 * cv2 - 4 * skew * np.sqrt(cv2), 1e-12) / n)


def exact(mie_bench: Path) -> list[tuple[str, float]]:
    """Laws without chance: the greatest error of an instant, in seconds."""
    even = arrivals(mie_bench, f'law = "constant"\nrate = {RATE}', 1000)
    burst = arrivals(mie_bench, 'law = "burst"', 100)
    return [("constant", float(np.abs(np.diff(even) - 1 / RATE).max())), ("burst", float(np.abs(burst).max()))]
