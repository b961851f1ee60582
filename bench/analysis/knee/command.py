"""`mie bench knee SPEC`: a search from its flags to knee.json, plots of its folders and a summary."""

import argparse
import hashlib
import json
import os
import shlex
import signal
import sys
from pathlib import Path

from bench.analysis import evidence
from bench.analysis.knee import document, page, plan
from bench.analysis.knee.plan import Loads, Plan
from bench.analysis.knee.progress import Progress
from bench.analysis.knee.runner import Runner, Stopped, Target
from bench.analysis.knee.search import Search
from bench.analysis.plots import catalogue
from bench.analysis.render import write_text
from bench.analysis.result import Refused

STOPPED = 3
BUDGET_S, QUICK_BUDGET_S = 720.0, 240.0
KINDS = ("closed", "open", "overload")
PLOTS = (3, 4, 5)  # those of loads beside each other


def run(options: argparse.Namespace) -> int:
    spec = plan.read(options.spec)
    out = options.out or Path("bench-results") / f"knee-{spec['name']}"
    made = plan.made(options.budget_s or (QUICK_BUDGET_S if options.quick else BUDGET_S), options.quick)
    keep_plan(out, spec, made, options)
    runner = Runner(target(options), out)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, runner.stop)
    moved = Path(os.path.relpath(options.spec.resolve().parent, (out / "open" / "one").resolve()))
    progress = Progress(made)
    try:
        found = Search(runner, Loads(spec, moved), made, progress).go()
    except Stopped:
        print(f"mie bench: stopped; the same command goes on from what is in {out}", file=sys.stderr)
        return STOPPED
    about = {"name": spec["name"], "command": command(options), "budget_s": made.budget_s, "quick": options.quick, "load_s": made.load_s}
    written = document.made(found, about, spec["slo"])
    write_text(out / "knee.json", json.dumps(written, indent=1, ensure_ascii=False) + "\n")
    draw(out)
    print(page.summary(written))
    print(out / "knee.json")
    return 0


def draw(out: Path) -> None:
    """Closed loops, open loops and overload apart: their axes are others."""
    for kind in KINDS:
        if (out / kind).is_dir():
            found = evidence.read(out / kind)
            catalogue.write([catalogue.draw(plot, found) for plot in catalogue.PLOTS if plot.number in PLOTS], out / kind)


def target(options: argparse.Namespace) -> Target:
    if not options.mie:
        raise Refused("knee of a workload runs loads: give --mie, the mie-bench that does (mie bench knee does so itself)")
    if options.target != "sim" and bool(options.model) == bool(options.url):
        raise Refused("knee of a workload: give --model FILE or --url URL")
    flags = [word for name in ("model", "url", "target", "cost_model") if getattr(options, name)
             for word in ("--" + name.replace("_", "-"), getattr(options, name))]
    return Target(options.mie, (*flags, *(("--no-probes",) if options.no_probes else ())), tuple(options.serve))


def keep_plan(out: Path, spec: dict, made: Plan, options: argparse.Namespace) -> None:
    """One folder is one search: loads of another would stand among its own."""
    about = {"spec_sha256": hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest(), "budget_s": made.budget_s,
             "quick": options.quick, "server": Path(options.model).name if options.model else options.url,
             "target": options.target, "flags": options.serve}
    file = out / "plan.json"
    if file.is_file() and json.loads(file.read_text(encoding="utf-8")) != about:
        raise Refused(f"{out} holds a search of another workload, server or time: give another --out")
    out.mkdir(parents=True, exist_ok=True)
    write_text(file, json.dumps(about, indent=1) + "\n")


def command(options: argparse.Namespace) -> str:
    """What searches again; where a model lies is each machine's own matter."""
    words = ["mie", "bench", "knee", str(options.spec)]
    words += ["--model", Path(options.model).name] if options.model else []
    words += ["--url", options.url] if options.url else []
    words += ["--target", options.target] if options.target else []
    words += ["--cost-model", Path(options.cost_model).name] if options.cost_model else []
    words += ["--quick"] * options.quick
    words += ["--budget-s", f"{options.budget_s:g}"] if options.budget_s else []
    return shlex.join([*words, *(["--", *options.serve] if options.serve else [])])
