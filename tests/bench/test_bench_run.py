# Long because every test runs the program, by the few helpers at the top.
"""`mie bench run` against servers on the fake model: files, exit codes, interrupts, arms, and what the reports make of it."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

BINARY = os.environ["MIE_BINARY"]
MODEL = "fake:step_us=2000"

WORKLOAD = """
schema = "mie.workload/1"
name = "made"
seed = 3
requests = { count = 12 }
arrival = { law = "closed", concurrency = 4 }
[prompt]
length = { dist = "uniform", min = 4, max = 40 }
content = { kind = "random_ids", vocab_min = 10, vocab_max = 200 }
[output]
length = { dist = "fixed", value = 8 }
"""

ARMS = """
[repetitions]
n = 2
[[arms]]
name = "paged"
server = {}
[[arms]]
name = "static"
server = { sched = "static", block_size = "max" }
"""


@pytest.fixture
def workload(tmp_path):
    def write(text: str = "", name: str = "made.toml") -> Path:
        path = tmp_path / name
        path.write_text(WORKLOAD + text)
        return path
    return write


@pytest.fixture(scope="module")
def one_result(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("one")
    (folder / "made.toml").write_text(WORKLOAD)
    run(folder / "made.toml", folder / "out", "--model", MODEL)
    (result,) = (folder / "out").iterdir()
    return result


def command(spec: Path, out: Path, *flags: str) -> list[str]:
    return [BINARY, "bench", "run", str(spec), "--out", str(out), "--no-probes", "--quiet", *flags]


def run(spec: Path, out: Path, *flags: str) -> subprocess.CompletedProcess:
    return subprocess.run(command(spec, out, *flags), capture_output=True, text=True, timeout=120)


def validate(path: Path) -> subprocess.CompletedProcess:
    return subprocess.run([BINARY, "bench", "validate", str(path)], capture_output=True, text=True, timeout=60)


def only_result(out: Path) -> tuple[dict, list[dict]]:
    (folder,) = out.iterdir()
    result = json.loads((folder / "result.json").read_text())
    return result, [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]


def test_a_run_is_written_with_its_workload(workload, tmp_path):
    spec = workload("[warmup]\nrequests = 2\n")
    done = run(spec, tmp_path / "out", "--model", MODEL)
    result, requests = only_result(tmp_path / "out")
    assert result["validity"]["state"] in ("ok", "client_bound"), result["validity"]  # a busy machine may wake the client late
    assert done.returncode == (0 if result["validity"]["state"] == "ok" else 5), done.stderr
    assert len(requests) == 14 and sum(r["warmup"] for r in requests) == 2
    assert {r["status"] for r in requests} == {"ok"} and {r["output_tokens"] for r in requests} == {8}
    assert all(sum(n for _, n in r["events"]) == 8 for r in requests)
    assert result["counts"]["offered"] == 12 and result["counts"]["tokens_out"] == 96
    expanded = subprocess.run([BINARY, "bench", "expand", str(spec), "--format", "json"], capture_output=True, text=True)
    planned = json.loads(expanded.stdout)
    assert planned["spec_sha256"] == result["spec_sha256"] and planned["expanded_sha256"] == result["expanded_sha256"]
    assert result["counts"]["tokens_in"] == sum(len(r["prompt"]) for r in planned["requests"] if not r.get("warmup"))
    (load,) = result["server"]["arms"][0]["loads"]
    grew = load["metrics_after"]["vllm:prompt_tokens_total"] - load["metrics_before"]["vllm:prompt_tokens_total"]
    assert grew == sum(r["prompt_tokens"] for r in requests), "warm-up included"
    (folder,) = (tmp_path / "out").iterdir()
    valid = validate(folder / "result.json")
    assert valid.returncode == 0 and "a result of 14 requests" in valid.stdout
    assert result["checks"]["counters"] == {"checked": 1, "failed": 0, "samples": []}
    assert result["reproduce"]["commands"] == [f"mie bench run {spec.name} --model {MODEL}"], "no path of this machine"


def test_a_load_ends_when_its_figure_is_known(workload, tmp_path):
    spec = workload().read_text().replace("count = 12", "precision = { metric = 'tpot', quantile = 0.5, rel_ci = 0.5, max_s = 5 }")
    (tmp_path / "precise.toml").write_text(spec)
    run(tmp_path / "precise.toml", tmp_path / "out", "--model", MODEL)
    result, requests = only_result(tmp_path / "out")
    looks = result["precision"]["looks"]
    assert result["precision"]["reached"] and looks[-1]["precise"] and not any(look["precise"] for look in looks[:-1])
    assert result["precision"]["stopped_at_s"] == looks[-1]["load_s"] == len(looks) < 5
    assert looks[-1]["half_width_s"] <= 0.5 * looks[-1]["estimate_s"] and looks[-1]["confidence"] == 0.99
    assert [load["repetition"] for load in result["repetitions"]] == list(range(len(looks)))
    assert [r["index"] for r in requests] == list(range(len(requests))), "each request once, in the order of the list"
    (folder,) = (tmp_path / "out").iterdir()
    assert not [path.name for path in folder.iterdir() if path.name.startswith("look")], "what the two exchanged is gone"


def test_arms_are_servers_with_other_flags_and_the_same_tokens(workload, tmp_path):
    spec = workload(ARMS)
    run(spec, tmp_path / "out", "--model", MODEL)
    result, requests = only_result(tmp_path / "out")
    assert [(r["arm"], r["repetition"]) for r in result["repetitions"]] == [
        ("paged", 0), ("static", 0), ("static", 1), ("paged", 1)], "forth and back"
    assert result["server"]["arms"][1]["flags"][-4:] == ["--block-size", "max", "--sched", "static"]
    assert result["checks"]["self_consistency"]["checked"] == 36 and result["checks"]["self_consistency"]["failed"] == 0
    tokens = {}
    for request in requests:
        tokens.setdefault(request["index"], set()).add(request["token_hash"])
    assert len(tokens) == 12 and all(len(hashes) == 1 for hashes in tokens.values())


def test_a_kept_server_has_all_loads_of_its_arm(workload, tmp_path):
    spec = workload("[warmup]\nflush = 'before'\n" + ARMS.replace("n = 2", "n = 2\nserver = 'kept'"))
    run(spec, tmp_path / "out", "--model", MODEL)
    (folder,) = (tmp_path / "out").iterdir()
    result, requests = only_result(tmp_path / "out")
    assert sorted(log.name for log in folder.glob("server-*.log")) == ["server-paged.log", "server-static.log"]
    for arm in result["server"]["arms"]:
        first, second = arm["loads"]
        assert second["metrics_before"]["vllm:generation_tokens_total"] == first["metrics_after"]["vllm:generation_tokens_total"]
    assert result["counts"]["tokens_cached"] == 0, "the cache was emptied between"
    assert len(requests) == 48 and {r["status"] for r in requests} == {"ok"}


def test_a_sweep_goes_on_where_it_was(workload, tmp_path):
    spec = workload("[sweep]\n'output.length.value' = [8, 9]\n".replace("'", ""))
    sweep = [BINARY, "bench", "sweep", str(spec), "--out", str(tmp_path / "out"), "--no-probes", "--resume", "--model", MODEL]
    subprocess.run(sweep, capture_output=True, text=True, timeout=120)
    results = [json.loads(path.read_text()) for path in (tmp_path / "out").glob("*/result.json")]
    assert len(results) == 2 and len({result["spec_sha256"] for result in results}) == 2
    for folder in (tmp_path / "out").iterdir():
        document = json.loads((folder / "result.json").read_text())
        nine = document["spec"]["output"]["length"]["value"] == 9
        document["validity"]["state"] = "disturbed" if nine else "ok"
        (folder / "result.json").write_text(json.dumps(document))
    again = subprocess.run(sweep, capture_output=True, text=True, timeout=120)
    assert again.stdout.count(": is there") == 1
    lengths = [json.loads(path.read_text())["spec"]["output"]["length"]["value"] for path in (tmp_path / "out").glob("*/result.json")]
    assert sorted(lengths) == [8, 9, 9], "what was void ran again"


def test_what_the_client_spoiled_is_measured_again_and_said(workload, tmp_path):
    """A burst whose prompts take longer than a millisecond to send: late, however often."""
    text = workload("[repetitions]\nn = 2\nretries = 3\n").read_text()
    text = text.replace("count = 12", "count = 400").replace('law = "closed", concurrency = 4', 'law = "burst"')
    (tmp_path / "burst.toml").write_text(text.replace("min = 4, max = 40", "min = 1800, max = 1900"))
    done = run(tmp_path / "burst.toml", tmp_path / "out", "--model", "fake:step_us=100", "--", "--max-queue", "1000")
    result, requests = only_result(tmp_path / "out")
    assert done.returncode == 5 and result["validity"]["state"] in ("client_bound", "mismatch"), done.stderr
    again = [warning for warning in result["warnings"] if warning.startswith("measured again")]
    assert len(again) == 3 and again[2].startswith("measured again, 3 of 3: repetition 0: ")
    assert [load["repetition"] for load in result["repetitions"]] == [0, 1] and len(requests) == 800


def test_requests_may_be_gzipped(one_result, tmp_path):
    shutil.copy(one_result / "result.json", tmp_path)
    zipped = gzip.compress((one_result / "requests.jsonl").read_bytes())
    (tmp_path / "requests.jsonl.gz").write_bytes(zipped)
    assert "a result of 12 requests" in validate(tmp_path / "result.json").stdout
    report = subprocess.run([BINARY, "bench", "report", str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert report.returncode in (0, 5), report.stderr
    (tmp_path / "requests.jsonl.gz").write_bytes(zipped[:-40])
    assert validate(tmp_path / "result.json").returncode == 2


def test_a_workload_is_the_same_work_on_every_target(workload, tmp_path):
    spec = workload("[warmup]\nrequests = 2\n")
    (tmp_path / "cost.json").write_text('{"schema":"mie.cost_model/1","a":0.002,"b":1e-5,"c":1e-5,"d":0}')
    flags = {"http": ("--model", MODEL), "inproc": ("--model", MODEL), "sim": ("--cost-model", str(tmp_path / "cost.json"))}
    answers = {}
    for target, more in flags.items():
        done = run(spec, tmp_path / target, "--target", target, *more)
        result, requests = only_result(tmp_path / target)
        assert result["target"]["kind"] == target and result["validity"]["state"] in ("ok", "client_bound"), done.stderr
        assert {r["status"] for r in requests} == {"ok"}
        assert result["checks"]["counters"] == {"checked": 1, "failed": 0, "samples": []}
        (steps,) = result["steps"]
        assert steps["decode_rows"] == 12 * 7, "each first token comes with its prompt"
        assert steps["prefill_rows"] == result["counts"]["tokens_in"] and steps["lost"] == 0
        (folder,) = (tmp_path / target).iterdir()
        lines = [json.loads(line) for line in (folder / "steps.jsonl").read_text().splitlines()]
        assert len(lines) == steps["steps"] and sum(line["decode"] for line in lines) == steps["decode_rows"]
        assert validate(folder / "result.json").returncode == 0
        answers[target] = (result["spec_sha256"], result["expanded_sha256"], [(r["index"], r["token_hash"]) for r in requests])
    assert answers["http"] == answers["inproc"] == answers["sim"]
    assert result["target"]["cost_model"]["a"] == 0.002 and result["validity"]["state"] == "ok" and result["probe"] is None


def test_reports_and_comparisons_take_what_was_written(workload, tmp_path):
    spec = workload()
    run(spec, tmp_path / "out", "--model", MODEL)
    (folder,) = (tmp_path / "out").iterdir()
    report = subprocess.run([BINARY, "bench", "report", str(folder)], capture_output=True, text=True, timeout=120)
    assert report.returncode in (0, 5), report.stderr
    assert (folder / "report.html").stat().st_size > 10_000 and (folder / "summary.csv").is_file()
    document = json.loads((folder / "result.json").read_text())
    document["counts"]["tokens_out"] += 1
    (folder / "result.json").write_text(json.dumps(document))
    report = subprocess.run([BINARY, "bench", "report", str(folder)], capture_output=True, text=True, timeout=120)
    assert report.returncode == 2 and "counts.tokens_out is 97, the requests have 96" in report.stderr


@pytest.mark.parametrize("path, value, reason", [
    (("spec", "seed"), 4, "spec_sha256 is not the hash of the specification"),
    (("expanded_sha256",), "0" * 64, "expanded_sha256 is not the hash of the requests"),
    (("counts", "by_status", "ok"), 11, "counts.by_status/ok is not 12, as the requests have it"),
    (("counts", "tokens_out"), 97, "counts.tokens_out is not 96"),
    (("validity",), None, "validity is missing"),
], ids=lambda value: ".".join(value) if isinstance(value, tuple) else "")
def test_a_result_that_does_not_bear_itself_out_is_none(one_result, tmp_path, path, value, reason):
    document = json.loads((one_result / "result.json").read_text())
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    if value is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    (tmp_path / "result.json").write_text(json.dumps(document))
    (tmp_path / "requests.jsonl").write_bytes((one_result / "requests.jsonl").read_bytes())
    refused = validate(tmp_path / "result.json")
    assert refused.returncode == 2 and reason in refused.stderr


def test_answers_must_be_those_of_an_earlier_run(workload, one_result, tmp_path):
    lines = (one_result / "requests.jsonl").read_text().splitlines()
    (tmp_path / "right.jsonl").write_text("\n".join(lines) + "\n")
    spec = workload("[checks]\nexpected_tokens_file = 'right.jsonl'\n")
    run(spec, tmp_path / "right", "--model", MODEL)
    result, _ = only_result(tmp_path / "right")
    assert result["checks"]["expected_tokens"] == {"checked": 12, "failed": 0, "samples": []}

    wrong = json.loads(lines[7]) | {"token_hash": "0" * 64}
    (tmp_path / "right.jsonl").write_text("\n".join([*lines[:7], json.dumps(wrong), *lines[8:]]) + "\n")
    done = run(spec, tmp_path / "wrong", "--model", MODEL)
    result, requests = only_result(tmp_path / "wrong")
    assert done.returncode == 5 and result["validity"]["state"] == "mismatch"
    assert [r["index"] for r in requests if r["status"] == "wrong_answer"] == [7]
    assert result["checks"]["expected_tokens"]["failed"] == 1

    (tmp_path / "right.jsonl").unlink()
    assert "right.jsonl: cannot be read" in run(spec, tmp_path / "none", "--model", MODEL).stderr


def test_an_interrupt_leaves_a_partial_result(workload, tmp_path):
    spec = workload().read_text().replace("count = 12", "count = 4000")
    (tmp_path / "long.toml").write_text(spec)
    process = subprocess.Popen(command(tmp_path / "long.toml", tmp_path / "out", "--model", MODEL), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    wait_for_load(tmp_path / "out")
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 5 and "INVALID (partial)" in output
    result, requests = only_result(tmp_path / "out")
    assert result["validity"]["state"] == "partial"
    statuses = {r["status"] for r in requests}
    assert statuses == {"ok", "not_sent"}, "what was in flight has ended"


def test_a_killed_run_has_no_result(workload, tmp_path):
    spec = workload().read_text().replace("count = 12", "count = 4000")
    (tmp_path / "long.toml").write_text(spec)
    process = subprocess.Popen(command(tmp_path / "long.toml", tmp_path / "out", "--model", MODEL), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    server = wait_for_load(tmp_path / "out")
    process.kill()
    process.wait()
    os.kill(server, signal.SIGKILL)  # nobody is left to end it
    (folder,) = (tmp_path / "out").iterdir()
    assert not (folder / "result.json").exists()


def wait_for_load(out: Path) -> int:
    """The server's process id, once its log says that it is ready."""
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        for log in out.glob("*/server-*.log"):
            text = log.read_text(errors="replace")
            if " ready " in text:
                time.sleep(0.5)
                return server_of(log)
        time.sleep(0.05)
    raise TimeoutError("the server did not become ready")


def server_of(log: Path) -> int:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.readlink(entry / "fd/1") == str(log):
                    return int(entry.name)
            except OSError:
                continue
    raise LookupError("no process writes that log")


def test_the_server_tells_where_the_time_went(workload, tmp_path):
    run(workload("[stream]\ntimings = true\n[report]\nkeep_text = 0.5\n"), tmp_path / "out", "--model", MODEL)
    result, requests = only_result(tmp_path / "out")
    for check in ("server_stamps", "phases_sum"):
        assert result["checks"][check] == {"checked": 12, "failed": 0, "samples": []}
    assert result["checks"]["transport_share"]["checked"] == 12, "whether it is short is the machine's matter"
    split = result["phase_split"]
    assert sum(phase["share"] for phase in split.values()) == pytest.approx(1)
    assert split["decode"]["mean"] > 7 * 0.0019, "seven steps of 2 ms"
    assert all(r["server"]["steps"] >= 8 and r["server"]["prefill_tokens"] == r["prompt_tokens"] for r in requests)
    e2el = sum(r["end_ns"] - r["send_ns"] for r in requests) / len(requests) * 1e-9
    assert sum(phase["mean"] for phase in split.values()) == pytest.approx(e2el, rel=1e-6)
    assert sum(r["text"] is not None for r in requests) == 6


def test_another_server_than_expected_is_refused(workload, tmp_path):
    done = run(workload("[target]\nexpect = { weights_sha256 = 'ab' }\n"), tmp_path / "out", "--model", MODEL)
    assert done.returncode == 2 and "target.expect.weights_sha256: the server does not tell; ab is expected" in done.stderr


def test_what_a_server_was_asked_becomes_a_workload(workload, tmp_path):
    recording = tmp_path / "recording.jsonl"
    run(workload(), tmp_path / "out", "--model", MODEL, "--", "--record", str(recording), "--block-size", "16")
    _, requests = only_result(tmp_path / "out")
    trace = tmp_path / "trace.jsonl"
    subprocess.run([BINARY, "bench", "trace", "capture", str(recording), "--out", str(trace)], check=True, timeout=60)
    rows = [json.loads(line) for line in trace.read_text().splitlines()]
    assert rows[0]["t_ns"] == 0 and [row["t_ns"] for row in rows] == sorted(row["t_ns"] for row in rows)
    assert sorted(row["prompt_tokens"] for row in rows) == sorted(r["prompt_tokens"] for r in requests)
    assert {row["output_tokens"] for row in rows} == {8}
    assert all(len(row.get("prefix_hash", [])) == row["prompt_tokens"] // 16 for row in rows)
    again = workload().read_text().replace('[prompt]\nlength = { dist = "uniform", min = 4, max = 40 }',
                                           "[prompt]\nsource = 'trace'\nfile = 'trace.jsonl'")
    (tmp_path / "again.toml").write_text(again)
    expanded = subprocess.run([BINARY, "bench", "expand", str(tmp_path / "again.toml"), "--format", "json"], capture_output=True, text=True)
    assert [len(r["prompt"]) for r in json.loads(expanded.stdout)["requests"]] == [row["prompt_tokens"] for row in rows]


@pytest.mark.parametrize("flags, reason", [
    ((), "no server: give --url, --model, or target.url"),
    (("--url", "ftp://127.0.0.1"), "http://"),
    (("--url", "http://127.0.0.1:9"), "Connection refused"),
    (("--model", "fake:nothing=1"), "mie serve did not become ready"),
    (("--target", "inproc"), "give --model"),
    (("--target", "inproc", "--model", "fake:", "--", "--sched", "none"), "--sched"),
    (("--target", "sim"), "give --cost-model"),
    (("--target", "sim", "--cost-model", "nothing.json"), "nothing.json: cannot be read"),
], ids=["no server", "no http", "nobody there", "no model", "no engine", "no policy", "no cost", "no file"])
def test_what_cannot_be_run_is_one_line_and_exit_2(workload, tmp_path, flags, reason):
    done = run(workload(), tmp_path / "out", *flags)
    assert done.returncode == 2
    assert reason in done.stderr


def test_sweeps_have_a_command_of_their_own(workload, tmp_path):
    spec = workload("[sweep]\n'arrival.concurrency' = [1, 2]\n")
    assert "mie bench sweep" in run(spec, tmp_path / "out", "--model", MODEL).stderr
    swept = subprocess.run([BINARY, "bench", "sweep", str(spec), "--out", str(tmp_path / "out"), "--no-probes", "--quiet", "--model",
                            MODEL], capture_output=True, text=True, timeout=120)
    assert swept.returncode in (0, 5), swept.stderr
    names = {json.loads(path.read_text())["spec"]["name"] for path in (tmp_path / "out").glob("*/result.json")}
    assert names == {"made[arrival.concurrency=1]", "made[arrival.concurrency=2]"}
