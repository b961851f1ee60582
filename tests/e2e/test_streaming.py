"""Streams as curl and a raw socket see them."""

import json
import socket
import subprocess
import time

import pytest
from server_process import chunks, events

CHAT = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 30, "temperature": 0, "ignore_eos": True, "stream": True}


def head(body: bytes, path: str = "/v1/chat/completions") -> bytes:
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def connect(server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def read_until(sock: socket.socket, mark: bytes) -> bytes:
    got = b""
    while mark not in got:
        piece = sock.recv(65536)
        assert piece, got
        got += piece
    return got


def test_curl_gets_tokens_one_by_one(fake):
    body = json.dumps(CHAT | {"max_tokens": 40, "stream_options": {"include_usage": True}})
    curl = subprocess.Popen(["curl", "-sN", fake.base_url + "/v1/chat/completions", "-H", "Content-Type: application/json", "-d", body],
                            stdout=subprocess.PIPE)
    stamps, lines = [], []
    for line in curl.stdout:
        stamps.append(time.monotonic())
        lines.append(line)
    assert curl.wait(10) == 0
    found = chunks(b"".join(lines))
    assert found[-1]["usage"]["completion_tokens"] == 40 and found[-1]["choices"] == []
    assert found[-2]["choices"][0]["finish_reason"] == "length"
    # 40 steps of at least 2 ms each cannot arrive in one piece
    assert stamps[-1] - stamps[0] > 0.04
    assert len({round(stamp * 1000) for stamp in stamps}) > 20


def test_stream_headers(fake):
    answer = fake.post("/v1/chat/completions", CHAT)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["X-Accel-Buffering"] == "no" and "no-transform" in answer.headers["Cache-Control"]
    assert answer.headers["Transfer-Encoding"] == "chunked" and answer.headers["X-Request-Id"]


def test_stream_equals_whole_answer(fake):
    streamed = chunks(fake.post("/v1/chat/completions", CHAT).body)
    whole = fake.post("/v1/chat/completions", CHAT | {"stream": False}).json
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in streamed)
    assert text == whole["choices"][0]["message"]["content"]
    assert all(c["choices"][0]["delta"].get("content") != "" for c in streamed[1:])


def test_keep_alive_after_done(fake):
    body = json.dumps(CHAT | {"max_tokens": 3}).encode()
    with connect(fake) as sock:
        for _ in range(3):
            sock.sendall(head(body))
            got = read_until(sock, b"\r\n0\r\n\r\n")
            assert got.startswith(b"HTTP/1.1 200") and b"[DONE]" in got


def hang_up_mid_stream(fake, how: str) -> None:
    with connect(fake) as sock:
        sock.sendall(head(json.dumps(CHAT | {"max_tokens": 2000}).encode()))
        read_until(sock, b"data: ")
        assert fake.metric("mie_requests_active") >= 1
        if how == "reset":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        elif how == "half-close":
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):  # the server closes; a client that half-closes gets no further answer
                pass


@pytest.mark.parametrize("how", ["close", "reset", "half-close"])
def test_hang_up_leaves_the_batch(fake, how):
    fake.wait_idle()
    before = fake.metric("mie_requests_ended_total", outcome="client_gone")
    tokens = fake.metric("vllm:generation_tokens_total")
    hang_up_mid_stream(fake, how)
    fake.wait_idle(2)
    assert fake.metric("mie_requests_ended_total", outcome="client_gone") == before + 1
    assert fake.metric("vllm:generation_tokens_total") - tokens < 1000  # far from the 2,000 asked for


def test_hundred_hang_ups_leave_every_gauge_at_zero(fake):
    for i in range(100):
        with connect(fake) as sock:
            sock.sendall(head(json.dumps(CHAT | {"max_tokens": 500, "stream": i % 2 == 0}).encode()))
            if i % 4 == 0:
                read_until(sock, b"data: ")
    fake.wait_idle(20)
    assert fake.metric("mie_kv_blocks", state="used") == 0


def test_choices_stream_beside_each_other(fake):
    """Each of three choices has its role and finish chunk; their texts are those of the same request in one body."""
    body = CHAT | {"max_tokens": 8, "n": 3, "temperature": 1, "seed": 3}
    body["stream_options"] = {"include_usage": True}
    with connect(fake) as sock:
        sock.sendall(head(json.dumps(body).encode()).replace(b"HTTP/1.1", b"HTTP/1.0"))  # without chunked coding
        got = b""
        while piece := sock.recv(65536):
            got += piece
    chunks = [json.loads(event) for event in events(got.split(b"\r\n\r\n", 1)[1])[:-1]]
    whole = fake.post("/v1/chat/completions", body | {"stream": False, "stream_options": None}).json
    for index in range(3):
        own = [c["choices"][0] for c in chunks if c["choices"] and c["choices"][0]["index"] == index]
        assert own[0]["delta"]["role"] == "assistant" and own[-1]["finish_reason"] == "length"
        text = "".join(choice["delta"].get("content", "") for choice in own)
        assert text == whole["choices"][index]["message"]["content"]
    assert chunks[-1]["usage"]["completion_tokens"] == 24
    assert chunks[-1]["usage"]["prompt_tokens"] == whole["usage"]["prompt_tokens"]


def test_two_requests_in_one_packet_get_two_answers(fake):
    one = head(json.dumps(CHAT | {"max_tokens": 4}).encode())
    with connect(fake) as sock:
        sock.sendall(one + one)
        got = b""
        while got.count(b"[DONE]") < 2:
            piece = sock.recv(65536)
            assert piece, got
            got += piece
    assert got.count(b"HTTP/1.1 200") == 2


def test_http_1_0_stream_is_close_delimited(fake):
    body = json.dumps(CHAT | {"max_tokens": 4}).encode()
    with connect(fake) as sock:
        sock.sendall(head(body).replace(b"HTTP/1.1", b"HTTP/1.0"))
        got = b""
        while piece := sock.recv(65536):
            got += piece
    headers, rest = got.split(b"\r\n\r\n", 1)
    assert b"Transfer-Encoding" not in headers
    assert events(rest)[-1] == "[DONE]"
