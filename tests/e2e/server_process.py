"""Starts the real `mie serve` on a free loopback port and talks to it; ends only the process it started."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

BINARY = os.environ.get("MIE_BINARY", "")
REAL_MODEL = os.environ.get("MIE_TEST_MODEL", "")
START_LIMIT_S = 90.0
ADDRESS = re.compile(rb"listening on=127\.0\.0\.1:(\d+) ")


def binary() -> str:
    assert BINARY and Path(BINARY).exists(), "MIE_BINARY must name the built `mie`; run the tests by ./dev test"
    return BINARY


def real_model() -> str:
    assert REAL_MODEL and Path(REAL_MODEL).exists(), "MIE_TEST_MODEL must name the default model; run by ./dev test"
    return REAL_MODEL


class Server:
    """One `mie serve` process. Use as a context manager."""

    def __init__(self, model: str, *flags: str):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [binary(), "serve", "--port", "0", "--model", model, *flags],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        try:
            self.port = self._wait_for_port()
            self._wait_until_ready()
        except BaseException:
            self.close()
            raise
        self.base_url = f"http://127.0.0.1:{self.port}"

    def _wait_for_port(self) -> int:
        limit = time.monotonic() + START_LIMIT_S
        while time.monotonic() < limit:
            if found := ADDRESS.search(self.output()):
                return int(found.group(1))
            assert self.process.poll() is None, f"server ended: {self.output().decode(errors='replace')}"
            time.sleep(0.01)
        raise AssertionError("the server printed no address")

    def _wait_until_ready(self) -> None:
        limit = time.monotonic() + START_LIMIT_S
        while time.monotonic() < limit:
            if self.request("GET", "/ready").status == 200:
                return
            time.sleep(0.02)
        raise AssertionError("the server did not become ready")

    def output(self) -> bytes:
        return os.pread(self.log.fileno(), 1 << 20, 0)

    def request(self, method: str, path: str, body: object = None, headers: dict | None = None) -> "Answer":
        """`body`: bytes as they are, anything else as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            sent = dict(headers or {})
            if data is not None:
                sent.setdefault("Content-Type", "application/json")
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def post(self, path: str, body: object) -> "Answer":
        return self.request("POST", path, body)

    def metrics(self) -> dict[str, float]:
        """Series text (name with labels) → value."""
        lines = self.request("GET", "/metrics").body.decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def metric(self, name: str, **labels: str) -> float:
        """Sum of the series of `name` that carry all `labels`."""
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(value for series, value in self.metrics().items()
                   if series.split("{")[0] == name and all(label in series for label in wanted))

    def wait_idle(self, limit_s: float = 10.0) -> None:
        """Until no request is live; fails when one stays."""
        limit = time.monotonic() + limit_s
        while time.monotonic() < limit:
            if not any(self.live_gauges().values()):
                return
            time.sleep(0.01)
        raise AssertionError(f"still live: {self.live_gauges()}")

    def live_gauges(self) -> dict[str, float]:
        """The gauges that must be 0 when no request is live (conservation law C16)."""
        values = self.metrics()
        names = ("vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc", "mie_requests_active",
                 "mie_requests_checking", "mie_tokens_pending", "mie_waiting_tokens", "mie_output_buffer_bytes")
        found = {series: value for series, value in values.items() if series.split("{")[0] in names}
        found |= {series: value for series, value in values.items() if series.startswith("mie_kv_blocks{") and 'state="used"' in series}
        assert {series.split("{")[0] for series in found} >= set(names[:4]), f"gauges missing, have {sorted(found)}"
        return found

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def wait_exit(self, limit_s: float = 40.0) -> int:
        return self.process.wait(limit_s)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def error(self) -> dict:
        """The error object, checked for the one documented shape."""
        error = self.json["error"]
        assert set(error) == {"message", "type", "param", "code"}, error
        assert isinstance(error["message"], str) and isinstance(error["code"], str)
        return error


def events(body: bytes) -> list[str]:
    """The data of each SSE event; comments (pings) are skipped, anything else is a failure."""
    found = []
    for block in body.decode().split("\n\n"):
        if not block or block.startswith(":"):
            continue
        assert block.startswith("data: ") and "\n" not in block, block
        found.append(block.removeprefix("data: "))
    return found


def chunks(body: bytes) -> list[dict]:
    """The JSON chunks of a complete stream, which must end with exactly one [DONE]."""
    data = events(body)
    assert data[-1] == "[DONE]" and data.count("[DONE]") == 1, data[-3:]
    return [json.loads(item) for item in data[:-1]]
