"""`mie bench selftest --serve` as another server: what it answers is known, and so is what a run says of it."""

import hashlib
import json
import os
import subprocess

import pytest

BINARY = os.environ["MIE_BINARY"]

WORKLOAD = """
schema = "mie.workload/1"
name = "made"
seed = 3
requests = { count = 6 }
arrival = { law = "closed", concurrency = 3 }
[prompt]
length = { dist = "fixed", value = 4 }
[output]
length = { dist = "fixed", value = 5 }
"""


@pytest.fixture
def url():
    command = [BINARY, "bench", "selftest", "--serve", "20", "5"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().strip()
        server.stdin.close()
        assert server.wait(20) == 0


def run(url: str, tmp_path, *flags: str) -> subprocess.CompletedProcess:
    (tmp_path / "made.toml").write_text(WORKLOAD)
    command = [BINARY, "bench", "run", str(tmp_path / "made.toml"), "--out", str(tmp_path / "out"), "--no-probes", "--quiet"]
    return subprocess.run([*command, "--url", url, *flags], capture_output=True, text=True, timeout=60)


def known_hash(seed: int) -> str:
    tokens = [1000 + (seed * 31 + k) % 997 for k in range(5)]
    return hashlib.sha256(b"".join(token.to_bytes(4, "little") for token in tokens)).hexdigest()


def test_a_result_says_which_server_it_is_of_and_what_the_server_was_asked_more(url, tmp_path):
    done = run(url, tmp_path, "--arm", "known", "--repetition", "3", "--members", '{"return_token_ids": true}')
    assert done.returncode in (0, 5), done.stderr  # 5: a busy machine may wake the client late
    (folder,) = (tmp_path / "out").iterdir()
    result = json.loads((folder / "result.json").read_text())
    requests = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    assert result["checks"]["counters"] == {"checked": 1, "failed": 0, "samples": []}
    assert [(load["arm"], load["repetition"]) for load in result["repetitions"]] == [("known", 3)]
    assert [arm["name"] for arm in result["server"]["arms"]] == ["known"]
    assert {(r["arm"], r["repetition"], r["status"]) for r in requests} == {("known", 3, "ok")}
    assert [r["token_hash"] for r in requests] == [known_hash(r["seed"]) for r in requests]
    for request in requests:  # no sooner than planned; how much later is the machine's matter
        stamps = [at for at, _ in request["events"]]
        assert stamps[0] - request["send_ns"] >= 20e6 and stamps[-1] - stamps[0] >= 4 * 5e6 - 1e6


@pytest.mark.parametrize("members", ["[1]", "{", "7"])
def test_members_are_an_object(url, tmp_path, members):
    done = run(url, tmp_path, "--members", members)
    assert done.returncode == 2 and "--members" in done.stderr


def test_an_arm_is_the_name_of_a_server_that_runs(tmp_path):
    command = [BINARY, "bench", "run", "x.toml", "--model", "fake:", "--arm", "known"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 2 and "--arm" in done.stderr
