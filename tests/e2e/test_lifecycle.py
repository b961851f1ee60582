"""Start, stop, signals, exit codes."""

import signal
import socket
import subprocess
import threading
import time

import pytest
from server_process import ADDRESS, Server, binary, chunks, real_model

STREAM = {"prompt": [65], "max_tokens": 300, "temperature": 0, "ignore_eos": True, "stream": True}


def start_stream(server, **changes) -> tuple[threading.Thread, list]:
    """Runs one stream in a thread; returns once its first token has been counted."""
    before = server.metric("vllm:generation_tokens_total")
    results: list = []
    thread = threading.Thread(target=lambda: results.append(server.post("/v1/completions", STREAM | changes)))
    thread.start()
    limit = time.monotonic() + 20
    while server.metric("vllm:generation_tokens_total") == before:
        assert time.monotonic() < limit, "the stream did not start"
        time.sleep(0.005)
    return thread, results


def test_sigterm_lets_a_stream_finish_and_refuses_new_work(own_fake):
    thread, results = start_stream(own_fake)
    own_fake.signal(signal.SIGTERM)
    limit = time.monotonic() + 5
    while (ready := own_fake.request("GET", "/ready")).status != 503 and time.monotonic() < limit:
        time.sleep(0.005)
    assert ready.json == {"status": "draining"}
    assert own_fake.request("GET", "/health").json == {"status": "draining"}
    refused = own_fake.post("/v1/completions", STREAM)
    assert (refused.status, refused.error()["code"]) == (503, "draining")
    thread.join(30)
    assert results[0].status == 200 and chunks(results[0].body)[-1]["choices"][0]["finish_reason"] == "length"
    assert own_fake.wait_exit() == 0


def test_drain_timeout_ends_a_stream_with_an_error_frame():
    with Server("fake:step_us=2000", "--drain-timeout", "300ms") as server:
        thread, results = start_stream(server, max_tokens=4000)
        server.signal(signal.SIGTERM)
        assert server.wait_exit(10) == 0
        thread.join(10)
        assert results[0].body.rstrip().rsplit(b"\n\n", 1)[-1].startswith(b'data: {"error":')
        assert b"server_shutdown" in results[0].body and b"[DONE]" not in results[0].body


def test_second_signal_stops_at_once():
    with Server("fake:step_us=2000") as server:
        thread, _ = start_stream(server, max_tokens=4000)
        server.signal(signal.SIGTERM)
        time.sleep(0.1)
        server.signal(signal.SIGTERM)
        assert server.wait_exit(5) == 3
        thread.join(10)


def test_idle_server_exits_at_once(own_fake):
    own_fake.signal(signal.SIGINT)
    assert own_fake.wait_exit(5) == 0


def run(*args: str) -> subprocess.CompletedProcess:
    return subprocess.run([binary(), *args], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def damaged(tmp_path, change) -> str:
    data = bytearray(open(real_model(), "rb").read())
    path = tmp_path / "damaged.gguf"
    path.write_bytes(change(data))
    return str(path)


def flip(data: bytearray, at: int, value: bytes) -> bytearray:
    data[at:at + len(value)] = value
    return data


@pytest.mark.parametrize("change", [
    lambda data: b"",
    lambda data: data[:100],
    lambda data: data[:len(data) // 2],
    lambda data: data[:-1],
    lambda data: flip(data, 0, b"XXXX"),
    lambda data: flip(data, 8, b"\xff" * 8),    # tensor count
    lambda data: flip(data, 16, b"\xff" * 8),   # metadata count
    lambda data: flip(data, 24, b"\xff" * 8),   # length of the first key
], ids=["empty", "head only", "half", "last byte missing", "magic", "tensor count", "metadata count", "key length"])
def test_damaged_model_is_one_line_and_exit_2(tmp_path, change):
    ended = run("serve", "--port", "0", "--model", damaged(tmp_path, change))
    assert ended.returncode == 2, ended.stderr
    reasons = [line for line in ended.stderr.splitlines() if "damaged.gguf" in line]
    assert len(reasons) == 1, ended.stderr


@pytest.mark.parametrize("args", [
    ("serve",),
    ("serve", "--model", "/no/such/file.gguf"),
    ("serve", "--model", "fake:", "--port", "70000"),
    ("serve", "--model", "fake:", "--no-such-flag"),
    ("serve", "--model", "fake:", "--block-size", "7"),
    ("serve", "--model", "fake:", "--host", "0.0.0.0"),
    ("frobnicate",),
], ids=lambda args: " ".join(args[-2:]))
def test_bad_command_line_exits_2(args):
    ended = run(*args)
    assert ended.returncode == 2 and ended.stderr.strip(), (ended.returncode, ended.stderr)


def test_port_in_use_exits_2(fake):
    ended = run("serve", "--model", "fake:", "--port", str(fake.port))
    assert ended.returncode == 2 and str(fake.port) in ended.stderr


def test_generate_prints_the_answer_alone_on_stdout():
    ended = run("generate", "--model", real_model(), "-p", "The capital of France is", "--max-tokens", "8", "--temperature", "0")
    assert ended.returncode == 0, ended.stderr
    assert "Paris" in ended.stdout


def test_listener_answers_health_while_loading():
    process = subprocess.Popen([binary(), "serve", "--port", "0", "--model", real_model()], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        seen = b""
        while not (found := ADDRESS.search(seen)):
            piece = process.stdout.read1(4096)
            assert piece, seen
            seen += piece
        with socket.create_connection(("127.0.0.1", int(found.group(1))), timeout=5) as sock:
            sock.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert sock.recv(4096).startswith(b"HTTP/1.1 200")
    finally:
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()
