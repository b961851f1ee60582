"""The plots that the page of a campaign shows: of each section as a whole, of its first result what shows one result only, and of every
result what its definition says. PNG alone, for they are committed."""

import shutil
from pathlib import Path

from bench.analysis import evidence as evidence_of
from bench.analysis import report, result
from bench.analysis.campaign_tables import SectionDefinition
from bench.analysis.plots import catalogue


def _draw(folder: Path, plots: list[catalogue.Plot]) -> list[catalogue.Plot]:
    """Those that could not be drawn of this folder."""
    evidence = evidence_of.read(folder)
    report.compare_arms(evidence)
    missing = []
    for plot in plots:
        drawn = catalogue.draw(plot, evidence)
        if drawn.missing:
            missing.append(plot)
            continue
        (folder / "plots").mkdir(exist_ok=True)
        (folder / "plots" / f"{plot.stem}.png").write_bytes(drawn.png)
    return missing


def _named(names: tuple[str, ...]) -> list[catalogue.Plot]:
    return [plot for plot in catalogue.PLOTS if plot.name in names]


def draw(out: Path, section: SectionDefinition) -> None:
    """A result that cannot be shown has no plots; the page says why."""
    folder = out / section.folder
    if not folder.is_dir():
        return
    results = result.folders_under(folder)
    for of in dict.fromkeys([*results, folder]):
        shutil.rmtree(of / "plots", ignore_errors=True)
    try:
        missing = _draw(folder, _named(section.plots))
        for of in results:
            _draw(of, _named(section.plots_of_each) + missing)
            missing = []
    except result.Refused as reason:
        print(f"no plots of {folder}: {reason}")
