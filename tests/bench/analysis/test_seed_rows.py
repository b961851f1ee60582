"""The seventeen rows: each has a figure, what it stands on and the command that measures it again, or says that it was not measured."""

from bench.analysis import evidence, result, seed_rows
from bench.analysis.intervals import Settings
from tests.bench.analysis import made_results as made

QUICK = Settings(resamples=200)


def cells(**sections) -> list[list[str]]:
    return [row.cells for row in seed_rows.rows(seed_rows.Sections(sections), QUICK)]


def read(folder) -> evidence.Evidence:
    return evidence.Evidence(results=[result.load(path) for path in result.folders_under(folder)])


def test_there_are_seventeen_in_order_and_each_can_be_measured_again():
    rows = seed_rows.rows(seed_rows.Sections({}), QUICK)
    assert [row.cells[0] for row in rows] == [str(n) for n in range(1, 18)]
    assert all(row.results or (row.source and row.command) for row in rows)


def test_what_was_not_measured_says_so():
    shown = cells()
    assert [int(row[0]) for row in shown if row[2] == "not measured"] == [1, 2, 5, 6, 7, 8, 9, 10, 11, 12]


def test_counts_of_the_cache_are_counts():
    rows = [{"exact": True, "ways_agree": True}, {"exact": True, "ways_agree": False}, {"exact": True, "ways_agree": True}]
    kv = {"schema": "mie.kv/1", "commit": "abc", "capacity": rows, "cases": [{"exact": True}, {"exact": False}], "growth": [1, 2, 3]}
    shown = cells(kv=evidence.Evidence(kv=kv))
    assert shown[6][2].startswith("1 of 2 cases exact") and shown[7][2].startswith("2 of 3 rows exact and the same")
    assert "3 cases of growth" in shown[7][2]


def test_failures_are_a_share_with_its_interval(tmp_path):
    requests = [made.request(i, 10.0 * i) for i in range(90)] + [made.failed(90 + i, "client_timeout", 900 + i) for i in range(10)]
    checks = {"counters": {"checked": 1, "failed": 0}}
    made.write(tmp_path / "aa/one", requests, {"name": "aa"}, checks=checks)
    made.write(tmp_path / "aa/two", requests[:90], {"name": "other"}, checks={"counters": {"checked": 1, "failed": 1}})
    shown = cells(aa=read(tmp_path / "aa"))[1][2]
    # Wilson's interval of 10 of 190.
    assert "failed or refused 5.26 % [2.88, 9.42]" in shown and "of these out of time 5.26 %" in shown
    assert "of 190 requests; tokens equal the server's counters in 1 of 2 results" in shown


def test_cached_over_uncached_is_the_ratio_of_their_rates(tmp_path):
    """Ten tokens in 280 ms against ten in 1,000 ms."""
    requests, loads = [], []
    for n in range(8):
        for arm, at, gap in (("paged", 2000 * n, 20), ("none", 2000 * n + 500, 100)):
            requests.append(made.request(0, at, 100, [gap] * 9, arm=arm, repetition=n))
            ends = requests[-1]["end_ns"]
            loads.append({"arm": arm, "repetition": n, "began_ns": at * made.MS, "ended_ns": ends + 1})
    checks = {"self_consistency": {"checked": 16, "failed": 3}}
    made.write(tmp_path / "s1/one", requests, {"name": "s1-seed", "arms": [{"name": "paged"}, {"name": "none"}]}, checks=checks,
               repetitions=loads)
    shown = cells(s1=read(tmp_path / "s1"))[4][2]
    assert "512 in, 128 out: 3.571 [3.571, 3.571] times the tokens/s with a cache; 3 of 16 answers differ between arms" == shown


def test_counts_that_repetitions_do_not_share_are_all_told():
    assert seed_rows._each([93, 93, 93]) == "93"
    assert seed_rows._each([124, 124, 141]) == "124 (2 of 3) and 141 (1 of 3)"
