"""The servers that are compared, and how each is started. Same weights, same number of threads, prefix caches off or on."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from installs import Peers

START_LIMIT_S = 600
MAX_SEQS = 32
CONTEXT = 2560  # tokens of a sequence: the longest workload has 2176


@dataclass(frozen=True)
class Engine:
    name: str  # "llama-q4_1"
    model: Path  # the file of its weights
    version: str
    command: list[str]  # less the port
    environment: dict[str, str] = field(default_factory=dict)
    members: str = ""  # of every request: an object
    cached: bool = False  # its prefix cache is on


def last_parts(value: str) -> str:
    """Where files lie is each machine's own matter: records name them."""
    return ":".join(part.rpartition("/")[2] if part.startswith("/") else part for part in value.split(":"))


def without_folders(command: list[str]) -> list[str]:
    return [last_parts(word) for word in command]


def mie(binary: str, peers: Peers, weights: str, flags: list[str], cached: bool) -> Engine:
    version = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    command = [binary, "serve", "--model", str(peers.weights(weights)), "--max-num-seqs", str(MAX_SEQS),
               "--served-model-name", f"mie-{weights}", "--prefix-caching" if cached else "--no-prefix-caching", *flags, "--port"]
    return Engine(f"mie-{weights}", peers.weights(weights), version, command, cached=cached)


def llama(peers: Peers, weights: str, cached: bool) -> Engine:
    threads = str(os.cpu_count())
    command = [str(peers.llama("llama-server")), "-m", str(peers.weights(weights)), "-t", threads, "-tb", threads,
               "-np", str(MAX_SEQS), "-c", str(MAX_SEQS * CONTEXT), "-b", "2048", "-ub", "512", "-fa", "on", "--no-webui",
               "--no-warmup", "--metrics", "--alias", f"llama-{weights}",
               *([] if cached else ["--no-cache-prompt", "--cache-ram", "0"]), "--port"]
    # An event may bring part of a character, hence no text: how many tokens there are so far is in its timings.
    return Engine(f"llama-{weights}", peers.weights(weights), peers.llama_version(), command,
                  members='{"timings_per_token":true}', cached=cached)


def vllm(peers: Peers, cached: bool) -> Engine:
    command = [str(peers.vllm("bin/vllm")), "serve", str(peers.weights("safetensors")), "--dtype", "bfloat16", "--max-num-seqs",
               str(MAX_SEQS), "--max-num-batched-tokens", "2048", "--max-model-len", str(CONTEXT), "--generation-config", "vllm",
               "--served-model-name", "vllm-bf16", "--enable-prompt-tokens-details",
               "--enable-prefix-caching" if cached else "--no-enable-prefix-caching", "--port"]
    environment = {"LD_PRELOAD": ":".join(map(str, peers.vllm_preloads())), "VLLM_CPU_KVCACHE_SPACE": "4",
                   "VLLM_CPU_OMP_THREADS_BIND": f"0-{os.cpu_count() - 1}", "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
                   "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    return Engine("vllm-bf16", peers.weights("safetensors") / "model.safetensors", peers.vllm_version(), command, environment,
                  members='{"return_token_ids":true}', cached=cached)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A running engine on a free loopback port; ended on the way out, with all that it started."""

    def __init__(self, engine: Engine, port: int):
        self.engine, self.port = engine, port
        self.log = tempfile.NamedTemporaryFile(prefix=f"{engine.name}-", suffix=".log")
        self.process = subprocess.Popen([*engine.command, str(port)], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT, env=os.environ | engine.environment, start_new_session=True)

    def wait(self) -> "Server":
        limit = time.monotonic() + START_LIMIT_S
        while time.monotonic() < limit and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
                    if answer.status == 200 and (model := self.served_model()):
                        self.model = model
                        return self
            except (OSError, ValueError):
                pass
            time.sleep(0.2)
        raise RuntimeError(f"{self.engine.name} did not start:\n{Path(self.log.name).read_text(errors='replace')[-3000:]}")

    def served_model(self) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/v1/models", timeout=5) as answer:
            return json.load(answer)["data"][0]["id"]

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # the session that this class started, and nothing else
        except ProcessLookupError:
            pass
        self.process.wait()
