"""The committed measurements: runs what conf/campaign/campaign.toml lists, and writes plots and docs/BENCHMARKS.md of it.

    bench/campaign/run --mie build/release/bin/mie --model FILE        all of it; goes on where it was broken off
    bench/campaign/run --only s1 …                                     the steps of one section
    bench/campaign/run --list                                          what there is, and how long it takes
    bench/campaign/run --page                                          plots and page alone, of what is there

Nothing else should run on the machine meanwhile. Exit codes: 0 all is there; 2 bad command line or plan; 5 a step was void or failed:
the page says what is missing, and the same command tries that again.
"""

import argparse
import sys
import time
from pathlib import Path

from bench.analysis import campaign
from bench.analysis.campaign_tables import SECTIONS
from bench.analysis.intervals import RESAMPLES, Settings
from bench.analysis.render import write_text
from bench.analysis.result import Refused
from bench.campaign import ladder, pictures, plan, step_run
from bench.campaign.step_run import Outcome

ROOT = Path(__file__).resolve().parents[2]
PLAN, OUT, PAGE = Path("conf/campaign/campaign.toml"), Path("docs/benchmarks"), Path("docs/BENCHMARKS.md")


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


def measure(steps: list[plan.Step], places: plan.Places) -> bool:
    """Whether all of it is there."""
    complete, began = True, time.monotonic()
    for step in steps:
        left = sum(other.minutes for other in steps if other.number >= step.number)
        say(f"step {step.number}, {step.section}: {step.name}; about {left:.0f} minutes left")
        outcome = step_run.run(step, places, say)
        say(f"step {step.number}: {outcome.value}, {(time.monotonic() - began) / 60:.1f} minutes in all")
        complete = complete and outcome in (Outcome.DONE, Outcome.THERE)
        ladder.write(places.out / step.section)
    return complete


def parser() -> argparse.ArgumentParser:
    one = argparse.ArgumentParser(prog="bench/campaign/run", description=__doc__.split("\n\n")[0])
    one.add_argument("--mie", type=Path, help="the program to measure")
    one.add_argument("--model", type=Path, help="GGUF file")
    one.add_argument("--out", type=Path, default=ROOT / OUT, help=f"folder of the sections [{OUT}]")
    one.add_argument("--file", type=Path, default=ROOT / PAGE, help=f"the page [{PAGE}]")
    one.add_argument("--plan", type=Path, default=ROOT / PLAN, help=f"[{PLAN}]")
    one.add_argument("--only", action="append", default=[], metavar="SECTION", help="steps of this section alone")
    one.add_argument("--list", action="store_true", help="list the steps")
    one.add_argument("--page", action="store_true", help="measure nothing: plots and page of what is there")
    one.add_argument("--resamples", type=int, default=RESAMPLES, help="of a bootstrap")
    return one


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    steps = [step for step in plan.read(options.plan) if not options.only or step.section in options.only]
    if options.list:
        for step in steps:
            print(f"{step.number:3}  {step.section:10} {step.minutes:4.0f} min  {step.name}")
        print(f"     {'all':10} {sum(step.minutes for step in steps):4.0f} min")
        return 0
    complete = True
    if not options.page:
        if options.mie is None or options.model is None:
            raise plan.BadPlan("measuring needs --mie and --model")
        complete = measure(steps, plan.Places(ROOT, options.out.resolve(), options.mie.resolve(), options.model.resolve()))
    settings = Settings(resamples=options.resamples)
    for section in SECTIONS:
        pictures.draw(options.out, section)
    write_text(options.file, campaign.page(options.out, settings))
    say(f"{options.file}")
    return 0 if complete else 5


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (plan.BadPlan, Refused) as reason:
        print(f"bench/campaign: {reason}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("bench/campaign: broken off; the same command goes on from here", file=sys.stderr)
        sys.exit(3)
