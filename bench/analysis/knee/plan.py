"""Which loads a search is made of, and how long each is, so that all of them fit into a time. Specifications as trees; pure but for
reading one."""

import copy
import json
import os
import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.analysis.result import Refused
from bench.analysis.sweep import STEADY_LAWS

LEVELS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # in flight; up to the seed's last, 32, whatever comes of it
SEEDS_LAST = 32
SHARES = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.3)  # of the greatest closed-loop rate
QUICK_LEVELS = (1, 4, 8, 16, 32)
QUICK_SHARES = (0.2, 0.5, 0.7, 0.85, 0.95, 1.0, 1.1, 1.3)
FACTORS = (1.5, 3.0, 10.0)  # of the knee
BETWEEN_S = 4.0  # a server starts and ends, and the machine is probed twice
USED = 0.7  # of the time: the rest is for answers after the last send, and for loads that are made again
LEAST_S, MOST_S = 4.0, 300.0  # of a load
DEADLINE_MS, TIMEOUT_MS = 20_000, 60_000  # of overload, where the workload has none
WARM_REQUESTS = 2
PATHS = (("prompt", "file"), ("prompt", "content", "file"), ("arrival", "file"), ("checks", "expected_tokens_file"))


@dataclass(frozen=True)
class Plan:
    budget_s: float
    levels: tuple[int, ...]
    shares: tuple[float, ...]
    searches: int  # loads of the bisection, at most
    factors: tuple[float, ...]
    load_s: float  # of an open load

    @property
    def n_loads(self) -> int:
        return len(self.levels) + len(self.shares) + self.searches + len(self.factors)

    @property
    def longest_s(self) -> float:
        """Of a closed load, which lasts as long as its users wait."""
        return max(self.load_s, self.budget_s / 6)

    @property
    def overload_s(self) -> float:
        return self.load_s + BETWEEN_S + DEADLINE_MS / 1000


@dataclass(frozen=True)
class Load:
    kind: str  # closed, open or overload: the folder that it lies in
    label: str
    spec: dict
    at: float  # in flight, or requests a second, or times the knee

    @property
    def text(self) -> str:
        """Of its file, which its result carries on."""
        return json.dumps(self.spec, indent=1, sort_keys=True) + "\n"

    @property
    def seconds(self) -> float:
        return self.spec["requests"]["duration_s"]


def made(budget_s: float, quick: bool) -> Plan:
    levels, shares = (QUICK_LEVELS, QUICK_SHARES) if quick else (tuple(c for c in LEVELS if c <= 2 * SEEDS_LAST), SHARES)
    searches = 4 if quick else 10
    n = len(levels) + len(shares) + searches + len(FACTORS)
    load_s = round(min(MOST_S, max(LEAST_S, USED * (budget_s - BETWEEN_S * n) / n)), 1)
    return Plan(budget_s, QUICK_LEVELS if quick else LEVELS, shares, searches, FACTORS, load_s)


def read(path: Path) -> dict:
    """TOML, or JSON by the name; the [sweep] is left out, the search has its own."""
    try:
        text = path.read_text(encoding="utf-8")
        spec = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise Refused(f"{path}: {error}") from None
    spec.pop("sweep", None)
    if not spec.get("slo"):
        raise Refused(f"{path}: states no objective (slo), which a knee is of")
    if spec.get("arms"):
        raise Refused(f"{path}: has arms; a knee is of one server")
    return spec


def shuffled(shares: tuple[float, ...], seed: int) -> list[float]:
    """So that what drifts is not taken for the rate."""
    order = list(shares)
    random.Random(seed).shuffle(order)
    return order


class Loads:
    """The loads of one specification. `moved`: from the folder of a load's file to that of the specification."""

    def __init__(self, spec: dict, moved: Path):
        self.base = copy.deepcopy(spec)
        for *tables, name in PATHS:
            table = self.base
            for part in tables:
                table = table.get(part) if isinstance(table, dict) else None
            if isinstance(table, dict) and table.get(name):
                table[name] = os.path.normpath(moved / table[name])
        for name in ("repetitions", "steady", "target"):
            self.base.pop(name, None)
        if spec.get("target"):
            self.base["target"] = {name: value for name, value in spec["target"].items() if name != "url"}
        self.base["warmup"] = {"requests": WARM_REQUESTS, "flush": spec.get("warmup", {}).get("flush", "never")}

    def _load(self, kind: str, label: str, at: float, seconds: float, **changes) -> Load:
        name = f"{self.base['name']}-{label}"
        return Load(kind, label, self.base | {"name": name, "requests": {"duration_s": round(seconds, 1)}} | changes, at)

    def closed(self, level: int, seconds: float) -> Load:
        return self._load("closed", f"closed-{level:03}", level, seconds, arrival={"law": "closed", "concurrency": level})

    def arrival(self, rate: float) -> dict:
        law = self.base.get("arrival", {})
        shape = {"shape": law["shape"]} if law.get("law") == "gamma" else {}
        return {"law": law["law"] if law.get("law") in STEADY_LAWS else "poisson", "rate": rate} | shape

    def open(self, rate: float, seconds: float, again: int = 0) -> Load:
        """`again`: how many loads had this rate before; each has arrivals of its own."""
        rate = float(f"{rate:.4g}")
        label = f"open-{rate:g}" + (f"-{again + 1}" if again else "")
        return self._load("open", label, rate, seconds, arrival=self.arrival(rate), seed=self.base["seed"] + again)

    def overload(self, factor: float, knee: float, seconds: float) -> Load:
        clients = {"deadline_ms": DEADLINE_MS, "timeout_ms": TIMEOUT_MS} | self.base.get("clients", {})
        return self._load("overload", f"overload-{factor:g}x", factor, seconds, arrival=self.arrival(float(f"{factor * knee:.4g}")),
                          clients=clients)
