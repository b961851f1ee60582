"""The command line of bench/analysis.

    bench/analysis/run report DIR          report.html, report.md, summary.csv and plots/ of a result folder, or of a folder of them
    bench/analysis/run compare A B [C…]    is B as good as A? A side is a folder, or FOLDER@ARM
    bench/analysis/run knee DIR            the three knees of a sweep, and the rate to measure next
    bench/analysis/run knee SPEC …         searches for them with `mie bench run`: loads, knees, overload
    bench/analysis/run peers DIR           tables of what bench/peers/compare measured
    bench/analysis/run crosscheck DIR FILE writes the figures of bench/peers/crosscheck into FILE (docs/other_clients.md)
    bench/analysis/run fit STEPS… --out F  the cost of a step, for target sim, from steps.jsonl of real runs
    bench/analysis/run campaign DIR FILE   writes FILE (docs/BENCHMARKS.md) from a folder of committed results
    bench/analysis/run precise FILE …      whether a load may end: what `mie bench run` asks for requests.precision
    bench/analysis/run validate DIR…       whether results are whole and agree with themselves
    bench/analysis/run selftest            the statistics against known truths

Exit codes: 0 done, same or better; 1 worse, or a self-test failed; 2 bad input; 4 cannot tell; 5 an invalid run.
"""

import argparse
import json
import sys
from pathlib import Path

from bench.analysis import (
    campaign, compare, cost_model, evidence, figures, other_clients, peers, precise, render, report, result, selftest, sweep, verdict)
from bench.analysis.intervals import RESAMPLES, Settings
from bench.analysis.knee import command as search
from bench.analysis.saturation import disagreement, next_rate


def run_report(options: argparse.Namespace) -> int:
    settings = Settings(resamples=options.resamples)
    folders = result.folders_under(options.folder)
    if folders != [options.folder] and not options.only_overview:
        for folder in folders:
            report.write_report(folder, settings)
            print(folder / "report.html")
    for drawn in report.write_report(options.folder, settings):
        if drawn.missing:
            print(f"missing plot {drawn.plot.number}, {drawn.plot.title}: {drawn.missing}")
    print(options.folder / "report.html")
    return 0


def run_compare(options: argparse.Namespace) -> int:
    code, lines = compare.compare(options.sides, options.allow_diff, options.threshold / 100, options.metric, options.out)
    print("\n".join(lines))
    return code


def run_knee(options: argparse.Namespace) -> int:
    if not options.spec.is_dir():
        return search.run(options)
    loads = sweep.of(evidence.read(options.spec).results)
    if loads is None:
        raise result.Refused(f"{options.spec}: fewer than three loads, or open and closed loops mixed")
    for name, knee in loads.knees().items():
        print(f"{name:6} {render.number(knee.value)} {knee.unit}, between {render.number(knee.low)} and {render.number(knee.high)}")
    if reason := disagreement(loads.knees()):
        print(reason)
    following = next_rate(loads.points, loads.target, loads.points[0].rate) if loads.open_loop else None
    print("next   none: the SLO knee is known to 1 %" if following is None else f"next   {following:.6g}")
    return 0


def run_peers(options: argparse.Namespace) -> int:
    found, settings = evidence.read(options.folder), Settings(resamples=options.resamples)
    tables = ((peers.COLUMNS, peers.rows), (peers.RATIO_COLUMNS, peers.ratio_rows), (peers.PROMISE_COLUMNS, peers.promise_rows))
    for columns, rows in tables:
        print("\n".join(render.markdown_table(render.Table(list(columns), [row.cells for row in rows(found, settings)]))) + "\n")
    return 0


def run_crosscheck(options: argparse.Namespace) -> int:
    other_clients.write(options.folder, options.file)
    print(options.file)
    return 0


def run_fit(options: argparse.Namespace) -> int:
    document = cost_model.document_of(options.steps)
    render.write_text(options.out, json.dumps(document, indent=1) + "\n")
    print(cost_model.told(document))
    print(options.out)
    return 0


def run_campaign(options: argparse.Namespace) -> int:
    render.write_text(options.file, campaign.page(options.folder, Settings(resamples=options.resamples)))
    print(options.file)
    return 0


def run_validate(options: argparse.Namespace) -> int:
    for folder in options.folders:
        found = result.load(folder)
        print(f"{folder}: {found.label}, {len(found.requests)} requests, {found.state}")
    return 0


def run_precise(options: argparse.Namespace) -> int:
    print(precise.look(options.file, precise.Precision(options.metric, options.quantile, options.rel_ci, options.looks)))
    return 0


def run_selftest(options: argparse.Namespace) -> int:
    if options.point is None:
        return selftest.run(options.runs, options.seed)
    return selftest.run_point(options.point, options.runs, options.seed, options.expand)


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="mie bench", description="Statistics, plots and reports of benchmark results.")
    commands = root.add_subparsers(dest="command", required=True)
    one = commands.add_parser("report", help="report.html, report.md, summary.csv and plots of a folder")
    one.add_argument("folder", type=Path)
    one.add_argument("--only-overview", action="store_true", help="of a folder of results: not one for each")
    one.add_argument("--resamples", type=int, default=RESAMPLES, help="of a bootstrap")
    one.set_defaults(run=run_report)
    one = commands.add_parser("compare", help="ratio, interval and verdict of each metric")
    one.add_argument("sides", nargs="+", metavar="FOLDER[@ARM]")
    one.add_argument("--allow-diff", action="append", default=[], metavar="FIELD", help="a field of the spec that may differ")
    one.add_argument("--threshold", type=float, default=100 * verdict.THRESHOLD, help="smallest effect of interest, %% (default 2)")
    one.add_argument("--metric", action="append", default=[], help="compare these alone")
    one.add_argument("--out", type=Path, help="folder for the forest plot and the table")
    one.set_defaults(run=run_compare)
    one = commands.add_parser("knee", help="where a server saturates: of a sweep's folder, or searched for with a workload",
                              epilog="Flags of mie serve stand after --.")
    one.add_argument("spec", type=Path, metavar="DIR|SPEC", help="results of a sweep, or a workload with objectives (slo)")
    one.add_argument("--model", metavar="FILE", help="start mie serve with this model for each load")
    one.add_argument("--url", help="a server that runs")
    one.add_argument("--target", help="as of mie bench run")
    one.add_argument("--cost-model", metavar="FILE", help="as of mie bench run")
    one.add_argument("--out", type=Path, metavar="DIR", help="folder of the search, which goes on there (bench-results/knee-NAME)")
    one.add_argument("--budget-s", type=float, help="seconds that all of it may take (720; with --quick 240)")
    one.add_argument("--quick", action="store_true", help="fewer loads")
    one.add_argument("--no-probes", action="store_true", help="do not probe this machine: for servers elsewhere")
    one.add_argument("--mie", help=argparse.SUPPRESS)  # given by mie bench
    one.set_defaults(run=run_knee)
    one = commands.add_parser("peers", help="our server beside others")
    one.add_argument("folder", type=Path)
    one.add_argument("--resamples", type=int, default=RESAMPLES)
    one.set_defaults(run=run_peers)
    one = commands.add_parser("crosscheck", help="our client beside another one")
    one.add_argument("folder", type=Path)
    one.add_argument("file", type=Path)
    one.set_defaults(run=run_crosscheck)
    one = commands.add_parser("fit", help="the cost of a step, for mie bench run --target sim --cost-model")
    one.add_argument("steps", nargs="+", type=Path, metavar="STEPS.jsonl")
    one.add_argument("--out", type=Path, required=True, metavar="FILE")
    one.set_defaults(run=run_fit)
    one = commands.add_parser("campaign", help="the page of all committed results")
    one.add_argument("folder", type=Path)
    one.add_argument("file", type=Path)
    one.add_argument("--resamples", type=int, default=RESAMPLES, help="of a bootstrap")
    one.set_defaults(run=run_campaign)
    one = commands.add_parser("precise", help="whether a figure of the requests so far is known precisely enough")
    one.add_argument("file", type=Path, help="requests.jsonl so far")
    one.add_argument("--metric", required=True, choices=(*figures.PER_REQUEST, *figures.PER_TOKEN))
    one.add_argument("--quantile", type=float, required=True)
    one.add_argument("--rel-ci", type=float, required=True, help="half the interval's width over the figure")
    one.add_argument("--looks", type=int, required=True, help="that there may be in all")
    one.set_defaults(run=run_precise)
    one = commands.add_parser("validate", help="whether results are whole and agree with themselves")
    one.add_argument("folders", nargs="+", type=Path)
    one.set_defaults(run=run_validate)
    one = commands.add_parser("selftest", help="intervals, verdicts and knees against known truths")
    one.add_argument("--runs", type=int, default=1000, help="simulated runs of each check")
    one.add_argument("--seed", type=int, default=2026)
    one.add_argument("--point", type=int, choices=(5, 6, 7, 8), help="one point of mie bench selftest, as lines of cells")
    one.add_argument("--expand", type=Path, help="the mie-bench that expands workloads, for point 5")
    one.set_defaults(run=run_selftest)
    return root


def main(arguments: list[str]) -> int:
    own, serve = (arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]) if "--" in arguments else (arguments, [])
    options = parser().parse_args(own)
    options.serve = serve
    if options.command == "compare" and len(options.sides) < 2:
        print("mie bench: compare takes two sides or more", file=sys.stderr)
        return 2
    try:
        return options.run(options)
    except result.Refused as reason:
        print(f"mie bench: {reason}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
