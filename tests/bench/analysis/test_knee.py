"""The search for the knee on a server whose capacity is known: 8 places over 0.4 s, 20 requests a second."""

import json
import sys
from pathlib import Path

import pytest

from bench.analysis import __main__ as program
from bench.analysis import evidence, saturation
from bench.analysis.knee import command, page, plan
from bench.analysis.steady import Slope

CAPACITY = 20.0
FAKE = Path(__file__).with_name("fake_mie.py")
SPEC = """
schema = "mie.workload/1"
name = "made"
seed = 5
requests = { duration_s = 60 }
arrival = { law = "gamma", rate = 1.0, shape = 64 }
slo = [{ metric = "ttft_intended", op = "<=", value_ms = 200 }]
[sweep]
arrival.rate = [1, 2, 3]
"""


def search(folder: Path, *serve: str) -> int:
    (folder / "made.toml").write_text(SPEC)
    mie = folder / "mie"
    mie.write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE} \"$@\"\n")
    mie.chmod(0o755)
    return program.main(["knee", str(folder / "made.toml"), "--mie", str(mie), "--model", "made.gguf", "--out", str(folder / "out"),
                         "--quick", "--budget-s", "420", "--", "--log", str(folder / "log"), *serve])


def calls(folder: Path) -> list[str]:
    return (folder / "log").read_text().split()


@pytest.fixture(scope="module", autouse=True)
def undrawn():
    """Plots take most of a search's time: one test draws."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "PLOTS", ())
        yield


@pytest.fixture(scope="module")
def searched(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("knee")
    assert search(folder, "--void", "closed-004=1") == 0
    return folder


@pytest.fixture(scope="module")
def knee(searched) -> dict:
    return json.loads((searched / "out" / "knee.json").read_text())


def test_all_three_knees_are_the_capacity(knee):
    for name in ("slo", "queue", "curve"):
        assert knee["knees"][name]["value"] == pytest.approx(CAPACITY, rel=0.03), name
    assert knee["knees"]["slo"]["low"] <= knee["knees"]["slo"]["value"] < knee["knees"]["slo"]["high"]
    assert knee["knees"]["why_they_differ"] is None
    assert knee["knees"]["curve_in_flight"]["value"] == pytest.approx(8, rel=0.1), "as many as there are places"


def test_the_rates_between_which_they_stand(knee):
    assert knee["one_in_flight"]["value"] == pytest.approx(1 / 0.4, rel=0.08)
    assert knee["most_closed"]["value"] == pytest.approx(CAPACITY, rel=0.03)
    assert knee["users"]["n"] == 8, "16 users wait 0.4 s for their turn, 8 have places"
    assert knee["users"]["sentence"] == "8 users at once with first token under 200 ms for 90 % of requests."


def test_what_a_load_says(knee):
    loads = {load["label"]: load for load in knee["loads"]}
    assert len(loads) == len(knee["loads"]) >= 16
    eight = loads["closed-008"]
    assert eight["in_flight"] == pytest.approx(8, rel=0.01)
    assert eight["peak_resident_bytes"] == 64 << 20
    assert eight["ttft_ms"]["p50"]["value"] == pytest.approx(40, rel=0.1), "a tenth of the service"
    low = min((load for load in loads.values() if load["kind"] == "open"), key=lambda load: load["rate"])
    assert low["throughput"]["low"] <= low["rate"] * 1.02 and low["throughput"]["high"] >= low["rate"] * 0.98
    assert low["goodput"]["share"]["value"] == 1 and not low["over_saturated"]
    assert max((load for load in loads.values() if load["kind"] == "open"), key=lambda load: load["rate"])["over_saturated"]


def test_overload_is_told_as_a_share_of_the_best_goodput(knee):
    assert [row["factor"] for row in knee["overload"]] == [1.5, 3, 10]
    ten = knee["overload"][2]
    assert ten["share_of_peak"]["value"] < 0.3 and not ten["kept"], "it answers in turn, whoever waits too long already"
    assert ten["refused"] == ten["refused_with_retry_after"] > 0


def test_a_void_load_is_tried_again_and_a_known_one_is_not(searched, knee, capsys):
    assert calls(searched).count("closed-004") == 2
    four = next(load for load in knee["loads"] if load["label"] == "closed-004")
    assert four["voids"] == 1
    before = calls(searched)
    assert search(searched, "--void", "closed-004=1") == 0
    assert calls(searched) == before
    again = json.loads((searched / "out" / "knee.json").read_text())
    assert again == knee
    assert "8 users at once" in capsys.readouterr().out


def test_a_broken_off_search_goes_on(searched, knee):
    folder = sorted((searched / "out" / "overload").iterdir())[0]
    result = next(folder.glob("run-*/result.json"))
    result.unlink()
    before = calls(searched)
    assert search(searched, "--void", "closed-004=1") == 0
    assert calls(searched) == [*before, folder.name]


def test_its_folders_have_their_plots_and_rows(searched, knee, monkeypatch):
    monkeypatch.setattr(command, "PLOTS", (5,))
    command.draw(searched / "out")
    assert (searched / "out" / "open" / "plots" / "05_goodput.png").is_file()
    assert not (searched / "out" / "closed" / "plots").exists(), "a closed loop offers no rate"
    found = evidence.Evidence(knees=[knee])
    rows = page.knee_rows(found)
    assert [cells[0] for cells, _, _ in rows[:3]] == ["SLO knee", "curve knee", "queue knee"]
    assert all(len(cells) == len(page.KNEE_COLUMNS) and again.startswith("mie bench knee") for cells, _, again in rows)
    assert all(len(cells) == len(page.LOAD_COLUMNS) for cells, _, _ in page.load_rows(found))
    assert all(len(cells) == len(page.OVERLOAD_COLUMNS) for cells, _, _ in page.overload_rows(found))


def test_what_stays_void_is_marked_and_the_rest_goes_on(tmp_path):
    assert search(tmp_path, "--void", "closed-004=9") == 0
    assert calls(tmp_path).count("closed-004") == 3
    found = json.loads((tmp_path / "out" / "knee.json").read_text())
    assert [(row["label"], len(row["tries"]), row["tries"][0]["state"]) for row in found["void"]] == [("closed-004", 3, "disturbed")]
    assert "closed-004" not in [load["label"] for load in found["loads"]]


def test_another_search_does_not_mix_with_one(searched, capsys):
    other = program.main(["knee", str(searched / "made.toml"), "--mie", "mie", "--model", "other.gguf", "--out", str(searched / "out")])
    assert other == 2 and "holds a search of another workload" in capsys.readouterr().err


def test_a_workload_without_objectives_has_no_knee(tmp_path, capsys):
    (tmp_path / "made.toml").write_text(SPEC.replace("slo =", "# slo ="))
    assert program.main(["knee", str(tmp_path / "made.toml"), "--mie", "mie", "--model", "m"]) == 2
    assert "states no objective" in capsys.readouterr().err


@pytest.mark.parametrize("budget, quick", [(720.0, False), (240.0, True), (3600.0, False)])
def test_a_plan_fits_into_its_time(budget, quick):
    made = plan.made(budget, quick)
    usual = [level for level in made.levels if level <= 2 * plan.SEEDS_LAST]
    n = len(usual) + len(made.shares) + made.searches + len(made.factors)
    assert n * (made.load_s + plan.BETWEEN_S) <= budget
    assert {1, 4, 8, 16, 32} <= set(made.levels)
    assert len(made.shares) >= 8


def test_loads_of_one_rate_decide_together():
    flat = Slope(0.0, -1.0, 1.0)
    points = [saturation.LoadPoint(5.0, 2.0, 5.0, 60, good, flat, flat) for good in (59, 58)]
    (pool,) = saturation.pooled(points)
    assert (pool.n, pool.n_good, pool.in_flight) == (120, 117, 2.0)
