"""The plots that the page of a campaign shows: of each result and of each section as a whole. PNG alone, for they are committed."""

import shutil
from pathlib import Path

from bench.analysis import evidence as evidence_of
from bench.analysis import report, result
from bench.analysis.campaign_tables import SectionDefinition
from bench.analysis.plots import catalogue


def _draw(folder: Path, names: tuple[str, ...]) -> None:
    evidence = evidence_of.read(folder)
    report.compare_arms(evidence)
    for plot in catalogue.PLOTS:
        drawn = catalogue.draw(plot, evidence) if plot.name in names else None
        if drawn and not drawn.missing:
            (folder / "plots").mkdir(exist_ok=True)
            (folder / "plots" / f"{plot.stem}.png").write_bytes(drawn.png)


def draw(out: Path, section: SectionDefinition) -> None:
    """A result that cannot be shown has no plots; the page says why."""
    folder = out / section.folder
    if not folder.is_dir():
        return
    for of in dict.fromkeys([*result.folders_under(folder), folder]):
        shutil.rmtree(of / "plots", ignore_errors=True)
        try:
            _draw(of, section.plots)
        except result.Refused as reason:
            print(f"no plots of {of}: {reason}")
