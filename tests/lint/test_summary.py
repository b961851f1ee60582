"""The verdict of ./dev test: counted from JUnit files as ctest and pytest write them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "conf/dev"))

import summary  # noqa: E402

CTEST = """<testsuite name="x" tests="4" failures="1" skipped="1">
  <testcase name="kv/BlockPool.TakeIsAllOrNothing" classname="kv" time="0.25" status="run"/>
  <testcase name="kv/BlockPool.Shares" classname="kv" time="0.25" status="run"/>
  <testcase name="kv/BlockPool.Breaks" classname="kv" time="1" status="fail"><failure message=""/></testcase>
  <testcase name="kv/BlockPool.NeedsAGpu" classname="kv" time="0" status="notrun"><skipped message=""/></testcase>
</testsuite>"""
PYTEST = """<testsuites><testsuite name="pytest"><testcase classname="e2e.test_chat" name="test_streams" time="2.0"/>
<testcase classname="e2e.test_chat" name="test_setup" time="0"><error message="fixture"/></testcase></testsuite></testsuites>"""


def run(folder, capsys, **files):
    for name, text in files.items():
        (folder / f"{name}.{'txt' if name == 'broken' else 'xml'}").write_text(text)
    status = summary.main(folder)
    return status, capsys.readouterr().out.splitlines()


def test_failures_and_errors_are_counted_and_named(tmp_path, capsys):
    status, lines = run(tmp_path, capsys, release=CTEST, e2e=PYTEST)
    assert status == 1
    assert lines[-1] == "3 passed, 2 failed"
    assert [line for line in lines if line.startswith("FAILED")] == [
        "FAILED e2e: e2e.test_chat test_setup", "FAILED release: kv kv/BlockPool.Breaks"]


def test_success_is_success(tmp_path, capsys):
    good = '<testsuite><testcase name="a" time="0"/></testsuite>'
    assert run(tmp_path, capsys, release=good) == (0, [
        "suite       passed  failed  skipped  seconds", "release          1       0        0      0.0", "1 passed, 0 failed"])


def test_a_suite_that_broke_without_a_failed_test_counts_as_one(tmp_path, capsys):
    good = '<testsuite><testcase name="a" time="0"/></testsuite>'
    status, lines = run(tmp_path, capsys, release=good, broken="release 0\ne2e 3\n")
    assert status == 1
    assert lines[-2:] == ["FAILED e2e: the suite itself ended with status 3", "1 passed, 1 failed"]


def test_nothing_run_is_not_a_success(tmp_path, capsys):
    assert run(tmp_path, capsys)[0] == 1
