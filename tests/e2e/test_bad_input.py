"""Bad input gets the documented 4xx shape, and the next good request answers right."""

import json
import socket

import pytest

CANARY = {"prompt": [65, 66, 67], "max_tokens": 6, "temperature": 0, "ignore_eos": True}
CHAT = "/v1/chat/completions"
TEXT = "/v1/completions"
HELLO = [{"role": "user", "content": "x"}]

CASES = [
    (TEXT, b"", 400, "invalid_json", None),
    (TEXT, b"{", 400, "invalid_json", None),
    (TEXT, b"[]", 400, "invalid_json", None),
    (TEXT, b'{"prompt":"a"} {}', 400, "invalid_json", None),
    (TEXT, b'{"prompt":"a","temperature":NaN}', 400, "invalid_json", None),
    (TEXT, b'\xef\xbb\xbf{"prompt":"a"}', 400, "invalid_json", None),
    (TEXT, b'{"prompt":"\xff"}', 400, "invalid_utf8", None),
    (TEXT, b'{"prompt":"a","prompt":"b"}', 400, "duplicate_key", None),
    (TEXT, b'{"prompt":"a","x":' + b"[" * 100 + b"]" * 100 + b"}", 400, "too_deep", None),
    (TEXT, b"{}", 400, "missing_required_parameter", "prompt"),
    (CHAT, b"{}", 400, "missing_required_parameter", "messages"),
    (TEXT, {"prompt": 5}, 400, "invalid_type", "prompt"),
    (TEXT, {"prompt": "a", "temperature": "hot"}, 400, "invalid_type", "temperature"),
    (TEXT, {"prompt": "a", "temperature": 3}, 400, "invalid_value", "temperature"),
    (TEXT, {"prompt": "a", "max_tokens": 5.5}, 400, "invalid_type", "max_tokens"),
    (TEXT, {"prompt": "a", "max_tokens": -1}, 400, "invalid_value", "max_tokens"),
    (TEXT, {"prompt": "a", "max_tokens": 9223372036854775807}, 400, "context_length_exceeded", "prompt"),
    (TEXT, {"prompt": "a" * 400_000, "max_tokens": 1}, 400, "context_length_exceeded", "prompt"),
    (TEXT, {"prompt": [0, -1]}, 400, "invalid_value", "prompt[1]"),
    (TEXT, {"prompt": ["a", 5]}, 400, "invalid_type", "prompt[1]"),
    (TEXT, {"prompt": ""}, 400, "empty_prompt", "prompt"),
    (TEXT, {"prompt": "a", "model": "nope"}, 404, "model_not_found", "model"),
    (TEXT, {"prompt": "a", "stop": [""]}, 400, "invalid_value", "stop[0]"),
    (TEXT, {"prompt": "a", "guided_regex": "a*"}, 400, "unsupported_parameter", "guided_regex"),
    (TEXT, {"prompt": "a", "n": 17}, 400, "invalid_value", "n"),
    (TEXT, {"prompt": "a", "n": 2, "best_of": 3}, 400, "unsupported_parameter", "best_of"),
    (CHAT, {"messages": []}, 400, "invalid_value", "messages"),
    (CHAT, {"messages": [{"role": "alien", "content": "x"}]}, 400, "invalid_value", "messages[0].role"),
    (CHAT, {"messages": HELLO, "tools": [{"type": "function"}]}, 400, "unsupported_parameter", "tools"),
    (CHAT, {"messages": HELLO, "response_format": {"type": "json_object"}}, 400, "unsupported_value", "response_format.type"),
    (CHAT, {"messages": HELLO, "top_logprobs": 3}, 400, "invalid_value", "top_logprobs"),
    (CHAT, {"messages": HELLO, "stream_options": {"include_usage": True}}, 400, "invalid_value", "stream_options"),
]


@pytest.mark.parametrize("path,body,status,code,param", CASES, ids=lambda value: str(value)[:40])
def test_bad_body(fake, path, body, status, code, param):
    good = fake.post(TEXT, CANARY).json["choices"][0]["text"]
    answer = fake.post(path, body)
    error = answer.error()
    assert (answer.status, error["code"]) == (status, code), error
    assert param is None or error["param"] == param
    assert error["type"] == ("not_found_error" if status == 404 else "invalid_request_error")
    assert fake.post(TEXT, CANARY).json["choices"][0]["text"] == good


@pytest.mark.parametrize("method,path,status,code", [
    ("GET", "/v1/nope", 404, "not_found"),
    ("POST", "/v1/chat/completions/", 404, "not_found"),
    ("GET", "/v1/chat/completions", 405, "method_not_allowed"),
    ("POST", "/v1/models", 405, "method_not_allowed"),
    ("GET", "/v1/models/nope", 404, "model_not_found"),
])
def test_bad_route(fake, method, path, status, code):
    answer = fake.request(method, path, b"{}" if method == "POST" else None)
    assert (answer.status, answer.error()["code"]) == (status, code)
    assert status != 405 or answer.headers["Allow"]


def test_body_over_the_limit_is_refused_unread(fake):
    with socket.create_connection(("127.0.0.1", fake.port), timeout=10) as sock:
        sock.sendall(f"POST {TEXT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {11 << 20}\r\n\r\n".encode())  # and no body
        answer = b""
        while piece := sock.recv(65536):
            answer += piece
    head, body = answer.split(b"\r\n\r\n", 1)
    assert head.startswith(b"HTTP/1.1 413 ") and b"Connection: close" in head
    assert json.loads(body)["error"]["code"] == "body_too_large"


@pytest.mark.parametrize("headers,status", [
    ({"Content-Type": "text/plain"}, 415),
    ({"Content-Type": "application/json; charset=utf-8"}, 200),
    ({"Content-Encoding": "gzip"}, 415),
])
def test_content_type(fake, headers, status):
    assert fake.request("POST", TEXT, json.dumps(CANARY).encode(), headers).status == status
