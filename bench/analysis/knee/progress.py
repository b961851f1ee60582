"""One line a load on the terminal, with the time that is left."""

import sys
import time
from collections.abc import Callable

from bench.analysis.knee.plan import BETWEEN_S, Load, Plan
from bench.analysis.knee.runner import Done


class Progress:
    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic):
        self.plan, self.clock = plan, clock
        self.began = clock()
        self.n = 0

    @property
    def spent_s(self) -> float:
        return self.clock() - self.began

    @property
    def left_s(self) -> float:
        return self.plan.budget_s - self.spent_s

    def begins(self, load: Load) -> None:
        self.n += 1
        self._say(f"[{self.n:2}/~{max(self.n, self.plan.n_loads)}] {load.label:16} {load.seconds:g} s … ", end="")

    def ended(self, done: Done, said: str) -> None:
        left = max(0, self.plan.n_loads - self.n) * (self.plan.load_s + BETWEEN_S)
        minutes = max(1, round(min(left, max(self.left_s, 0)) / 60))
        kept = "kept, " if done.reused else ""
        tries = f", {len(done.voids)} void before" if done.voids and done.valid else ""
        self._say(f"{kept}{said}{tries}; about {minutes} min left")

    def note(self, text: str) -> None:
        self._say(f"        {text}")

    def _say(self, text: str, end: str = "\n") -> None:
        print(text, end=end, file=sys.stderr, flush=True)
