"""`mie bench expand`, `validate` and `trace`: the lists and hashes, made again here by Python's own generator, json and hashlib."""

import hashlib
import json
import os
import random
import subprocess
from pathlib import Path

WORKLOADS = Path(__file__).resolve().parents[2] / "conf/workloads"


def bench(*flags) -> subprocess.CompletedProcess:
    return subprocess.run([os.environ["MIE_BINARY"], "bench", *map(str, flags)], capture_output=True, text=True, timeout=60)


def canonical(value) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def expanded(name: str) -> dict:
    done = bench("expand", WORKLOADS / f"{name}.toml", "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_mixed_is_what_python_draws():
    draws = random.Random(2026)
    pairs = [(draws.choice([32, 64, 128, 256, 512]), draws.choice([32, 64, 128, 256])) for _ in range(32)]
    load = [request for request in expanded("mixed")["requests"] if not request["warmup"]]
    assert [(len(request["prompt"]), request["output_tokens"]) for request in load] == pairs


def test_the_hash_is_over_files_and_requests():
    for name in ("chat", "six_requests", "cancel-storm"):
        found = expanded(name)
        lines = [f"{file['path']} {file['sha256']}\n" for file in found["files"]]
        lines += [sha256(canonical(request)) + "\n" for request in found["requests"]]
        assert sha256("".join(lines)) == found["expanded_sha256"]
    assert expanded("six_requests")["files"] == [
        {"path": "six_requests.jsonl", "sha256": hashlib.sha256((WORKLOADS / "six_requests.jsonl").read_bytes()).hexdigest()}]


def test_a_sweep_is_a_line_a_cell():
    done = bench("expand", WORKLOADS / "ramp-users.toml", "--format", "json")
    names = [json.loads(line)["name"] for line in done.stdout.splitlines()]
    assert names == [f"ramp-users[arrival.concurrency={n}]" for n in (1, 2, 4, 8, 16, 32, 64, 128, 256)]


def test_validate_says_what_a_file_is(tmp_path):
    for path in sorted(WORKLOADS.glob("*.toml")):
        done = bench("validate", path)
        assert done.returncode == 0 and done.stdout.startswith(path.name + ": a "), done.stderr
    wrong = tmp_path / "wrong.toml"
    wrong.write_text((WORKLOADS / "chat.toml").read_text().replace("rate = 1.0", "rte = 1.0"))
    done = bench("validate", wrong)
    assert done.returncode == 2 and "wrong.toml:6: arrival.rate must be given" in done.stderr
    other = tmp_path / "other.json"
    other.write_text('{"schema": "mie.nothing/1"}')
    done = bench("validate", other)
    assert done.returncode == 2 and "other.json: schema is none that is known here" in done.stderr


def test_a_public_trace_becomes_ours(tmp_path):
    source, made = tmp_path / "azure.csv", tmp_path / "made.jsonl"
    source.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.5,10,2\n2023-11-16 18:17:04.0,30,4\n")
    assert bench("trace", "convert", source, "--from", "azure", "--out", made).returncode == 0
    assert [json.loads(line) for line in made.read_text().splitlines()] == [
        {"t_ns": 0, "prompt_tokens": 10, "output_tokens": 2}, {"t_ns": 500_000_000, "prompt_tokens": 30, "output_tokens": 4}]
    assert bench("trace", "convert", made, "--from", "mooncake", "--out", "-").returncode == 2
