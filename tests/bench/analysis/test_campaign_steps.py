"""A campaign against a stand-in for `mie` that writes results as told: what runs, what runs again, what is kept."""

import gzip
import json
import stat
from pathlib import Path

import pytest

from bench.campaign import ladder, plan, step_run
from bench.campaign.__main__ import main
from bench.campaign.step_run import Outcome
from tests.bench.analysis import made_results

ROOT = Path(__file__).parents[3]
STEP = '[[step]]\nsection = "aa"\nmie = ["run", "a.toml"]\nminutes = 1\n'

# Writes a result into --out; its state is the next word of the file "states", and "calls" grows by a line.
MIE = """#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/calls"
state=$(head -n 1 "$here/states"); sed -i 1d "$here/states"
while [ "$1" != --out ]; do shift; done
[ "$state" = broken ] && exit 2
folder=$2/run-$(wc -l < "$here/calls"); mkdir -p "$folder"
echo '{"spec":{"name":"a"},"validity":{"state":"'"$state"'","reasons":["its reason"]}}' > "$folder/result.json"
echo '{"id":1}' > "$folder/requests.jsonl"; echo log > "$folder/server-0.log"
[ "$state" = ok ] || exit 5
"""


@pytest.fixture
def places(tmp_path):
    mie = tmp_path / "mie"
    mie.write_text(MIE)
    mie.chmod(mie.stat().st_mode | stat.S_IXUSR)
    return plan.Places(ROOT, tmp_path / "out", mie, Path("model.gguf"))


def steps(tmp_path, text: str = STEP) -> list[plan.Step]:
    (tmp_path / "plan.toml").write_text(text)
    return plan.read(tmp_path / "plan.toml")


def run(tmp_path, places, states: str) -> Outcome:
    (tmp_path / "states").write_text("\n".join(states.split()) + "\n")
    return step_run.run(steps(tmp_path)[0], places, lambda text: None)


def test_what_is_void_runs_again_and_what_is_valid_is_kept_small(tmp_path, places):
    assert run(tmp_path, places, "disturbed client_bound ok") is Outcome.DONE
    assert sorted(path.name for path in (tmp_path / "out/aa").iterdir()) == ["run-3", "void.json"]
    kept = tmp_path / "out/aa/run-3"
    assert sorted(path.name for path in kept.iterdir()) == ["requests.jsonl.gz", "result.json"]
    assert gzip.decompress((kept / "requests.jsonl.gz").read_bytes()) == b'{"id":1}\n'
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == [f"bench run a.toml --resume --out {tmp_path}/out/aa --model model.gguf"] * 3


def test_three_void_runs_are_given_up_and_told_on_the_page(tmp_path, places):
    assert run(tmp_path, places, "disturbed client_bound disturbed ok") is Outcome.VOID
    assert [path.name for path in (tmp_path / "out/aa").iterdir()] == ["void.json"]
    noted = json.loads((tmp_path / "out/aa/void.json").read_text())
    assert noted == [{"name": "a", "state": state, "reasons": ["its reason"]} for state in ("disturbed", "client_bound", "disturbed")]
    main(["--page", "--out", str(tmp_path / "out"), "--file", str(tmp_path / "page.md"), "--resamples", "50"])
    assert "Void, measured again and not kept: 2 of a (disturbed), 1 of a (client_bound)." in (tmp_path / "page.md").read_text()


def test_what_cannot_run_is_not_tried_again(tmp_path, places):
    assert run(tmp_path, places, "broken ok") is Outcome.FAILED
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


def test_an_output_file_is_there_when_its_command_ended_well(tmp_path, places):
    text = '[[step]]\nsection = "kv"\nprogram = ["sh", "-c", "{}"]\nwrites = "kv.json"\nminutes = 1\n'
    for command, outcome, there in (("echo no; exit 2", Outcome.FAILED, False), ("echo yes", Outcome.DONE, True),
                                    ("echo other", Outcome.THERE, True)):
        assert step_run.run(steps(tmp_path, text.format(command))[0], places, lambda text: None) is outcome
        assert (tmp_path / "out/kv/kv.json").exists() is there
    assert (tmp_path / "out/kv/kv.json").read_text() == "yes\n"
    assert [path.name for path in (tmp_path / "out/kv").iterdir()] == ["kv.json"]


@pytest.mark.parametrize("text, reason", [
    ("", "must have [[step]] tables"),
    (STEP.replace("minutes = 1", ""), "step 1: minutes must be a number above 0"),
    (STEP.replace('"aa"', '"a/b"'), "step 1: section must be the name of a folder"),
    (STEP + 'program = ["x"]\n', "step 1: needs exactly one of mie and program"),
    (STEP + STEP.replace('["run", "a.toml"]', "[]"), "step 2: its command must be a list"),
    (STEP + "hours = 3\n", "step 1: hours is not a key"),
])
def test_a_bad_plan_is_said_with_its_step(tmp_path, text, reason):
    with pytest.raises(plan.BadPlan) as found:
        steps(tmp_path, text)
    assert reason in str(found.value)


def test_the_plan_of_the_repository_takes_less_than_three_hours_and_its_files_are_there():
    found = plan.read(ROOT / "conf/campaign/campaign.toml")
    assert sum(step.minutes for step in found) < 180
    for step in found:
        for word in step.words:
            assert not word.endswith(".toml") or (ROOT / word).is_file(), word


def test_arms_named_by_switches_are_cells_of_the_ladder(tmp_path):
    (tmp_path / "run").mkdir()
    arms = [{"name": name} for name in ("off", "kernels", "kernels+attention")]
    (tmp_path / "run/result.json").write_text(json.dumps({"run_id": "run", "spec": {"arms": arms}}))
    ladder.write(tmp_path)
    cells = json.loads((tmp_path / "ladder.json").read_text())["cells"]
    assert [(cell["on"], cell["arm"], cell["result"]) for cell in cells] == [
        ([], "off", "run"), (["kernels"], "kernels", "run"), (["kernels", "attention"], "kernels+attention", "run")]


def test_the_page_and_its_plots_are_made_of_what_is_there(tmp_path):
    spec = {"name": "s2", "target": {"kind": "http"}, "arms": [{"name": "a"}, {"name": "b"}]}
    requests = [made_results.request(i, 200.0 * i, 100.0 + i, arm="ab"[i % 2]) for i in range(40)]
    made_results.write(tmp_path / "out/s2/run", requests, spec)
    code = main(["--page", "--out", str(tmp_path / "out"), "--file", str(tmp_path / "page.md"), "--resamples", "50"])
    page = (tmp_path / "page.md").read_text()
    assert code == 0 and "Noise floor (A/A)\n\nBoth arms" in page and "s2/plots/07_gantt.png" in page
    assert (tmp_path / "out/s2/plots/07_gantt.png").read_bytes().startswith(b"\x89PNG")
    made_results.write(tmp_path / "out/s2/second", requests, spec)
    main(["--page", "--out", str(tmp_path / "out"), "--file", str(tmp_path / "page.md"), "--resamples", "50"])
    assert [path.parent.parent.name for path in tmp_path.rglob("07_gantt.png")] == ["run"]  # of the first result alone
    assert not list(tmp_path.rglob("*.svg")) and not (tmp_path / "out/s2/run/report.html").exists()
