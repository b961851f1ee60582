"""`--step-trace` and `--record` on the real binary and the default model: what they wrote is exported, and replays the same."""

import json
import subprocess
import threading
from pathlib import Path

import pytest

from server_process import Server, binary, real_model

REQUESTS = [
    {"prompt": "The capital of France is", "max_tokens": 24, "temperature": 0},
    {"prompt": "one two three four five six seven eight. " * 8, "max_tokens": 32, "temperature": 0.8, "seed": 11},
    {"prompt": ["A list:", "Water is"], "max_tokens": 20, "temperature": 1, "n": 1, "seed": 3, "top_k": 40, "min_p": 0.02},
    {"prompt": "Write a poem about the sea.", "max_tokens": 40, "temperature": 0, "stop": ["\n\n"], "frequency_penalty": 0.5},
    {"prompt": "Count: 1, 2, 3,", "max_tokens": 30, "temperature": 0.5, "seed": 5, "logit_bias": {"28": 2.5}, "top_p": 0.9},
]


def hang_up(server: Server, after_bytes: int) -> None:
    """Reads so much of a long stream, then closes the connection."""
    import http.client
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    body = json.dumps({"prompt": "Once upon a time", "max_tokens": 400, "temperature": 0, "stream": True, "ignore_eos": True})
    connection.request("POST", "/v1/completions", body, {"Content-Type": "application/json"})
    connection.getresponse().read(after_bytes)
    connection.close()


def mie(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A trace and a recording of a mixed run, and what GET /debug/steps said at its end."""
    folder = tmp_path_factory.mktemp("recorded")
    trace, recording = folder / "steps.jsonl", folder / "record.jsonl"
    flags = ["--step-trace", trace, "--record", recording, "--kv-cache-memory", "64MiB", "--speculate", "ngram"]
    with Server(real_model(), *map(str, flags)) as server:
        threads = [threading.Thread(target=server.post, args=("/v1/completions", body)) for body in REQUESTS]
        threads.append(threading.Thread(target=hang_up, args=(server, 3000)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.wait_idle()
        steps = server.request("GET", "/debug/steps?last=1000000").json
        n_steps = server.metric("mie_steps_total")
    return {"trace": trace, "recording": recording, "steps": steps, "n_steps": n_steps}


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_debug_steps_are_those_of_the_file(files):
    written = [line for line in lines(files["trace"]) if "sequences" in line]
    assert len(written) == files["n_steps"] == files["steps"]["n_committed"]
    assert written == files["steps"]["data"]
    assert sum(step["drafts_accepted"] for step in written) > 0


def test_the_export_has_a_track_for_each_request(files, tmp_path):
    out = tmp_path / "trace.json"
    done = mie("trace", "export", files["trace"], "--out", out)
    assert done.returncode == 0, done.stderr
    events = json.loads(out.read_text())["traceEvents"]
    tracks = {event["tid"] for event in events if event["pid"] == 2 and event["ph"] == "X"}
    assert len(tracks) == 7  # six choices and the one that hung up
    n_decoding = 0
    for track in tracks:
        names = [event["name"] for event in events if event["pid"] == 2 and event["tid"] == track and event["ph"] == "X"]
        assert names[:2] == ["queued", "prefill"]
        n_decoding += names[-1] == "decode"
    assert n_decoding >= 6  # one may stop at its first token
    assert sum(event["name"] == "step" for event in events) == files["n_steps"]


@pytest.mark.parametrize("flags", [(), ("--virtual-time",), ("--virtual-time", "--plans-only")])
def test_a_replay_is_the_same(files, flags):
    done = mie("replay", files["recording"], *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("7 requests, ") and done.stdout.endswith(": the same\n")
    assert (f"{int(files['n_steps'])} steps" in done.stdout) == ("--virtual-time" in flags)


def test_a_changed_token_is_found(files, tmp_path):
    recording = lines(files["recording"])
    ended = next(line for line in recording if line.get("event") == "ended" and len(line["tokens"]) > 8)
    ended["tokens"][7] ^= 1
    changed = tmp_path / "changed.jsonl"
    changed.write_text("".join(json.dumps(line) + "\n" for line in recording))
    done = mie("replay", changed, "--virtual-time")
    assert done.returncode == 1, done.stderr
    assert f"request {ended['id']}: output token 7 is" in done.stderr


def test_other_settings_give_other_plans(files):
    done = mie("replay", files["recording"], "--virtual-time", "--plans-only", "--speculate", "off")
    assert done.returncode == 1
    assert "has another plan" in done.stderr


def test_bad_files_are_one_line_and_exit_code_2(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    for command in (("replay", bad), ("replay", tmp_path / "none"), ("trace", "export", bad, "--out", tmp_path / "out")):
        done = mie(*command)
        assert done.returncode == 2
        assert done.stderr.startswith("mie: ") and done.stderr.count("\n") == 1
