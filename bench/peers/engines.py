"""The servers that are compared, and how each is started. Same weights, same number of threads, greedy, prefix caches off."""

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from installs import Peers

START_LIMIT_S = 600
MAX_SEQS = 32
CONTEXT = 1024  # tokens of a sequence


@dataclass(frozen=True)
class Engine:
    name: str  # "llama-q4_1"
    model: Path  # the file of its weights
    version: str
    command: list[str]  # less the port
    environment: dict[str, str] = field(default_factory=dict)
    extra: str = ""  # members of every request


def mie(binary: Path, peers: Peers, weights: str, flags: list[str]) -> Engine:
    version = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    command = [str(binary), "serve", "--model", str(peers.weights(weights)), "--max-num-seqs", str(MAX_SEQS), *flags, "--port"]
    return Engine(f"mie-{weights}", peers.weights(weights), version, command)


def llama(peers: Peers, weights: str) -> Engine:
    threads = str(os.cpu_count())
    command = [str(peers.llama("llama-server")), "-m", str(peers.weights(weights)), "-t", threads, "-tb", threads,
               "-np", str(MAX_SEQS), "-c", str(MAX_SEQS * CONTEXT), "-b", "2048", "-ub", "512", "-fa", "on", "--no-webui",
               "--no-warmup", "--cache-ram", "0", "--port"]
    return Engine(f"llama-{weights}", peers.weights(weights), peers.llama_version(), command, extra='"cache_prompt":false')


def vllm(peers: Peers) -> Engine:
    command = [str(peers.vllm("bin/vllm")), "serve", str(peers.weights("safetensors")), "--dtype", "bfloat16", "--max-num-seqs",
               str(MAX_SEQS), "--max-num-batched-tokens", "2048", "--max-model-len", "2048", "--no-enable-prefix-caching",
               "--generation-config", "vllm", "--port"]
    environment = {"LD_PRELOAD": ":".join(map(str, peers.vllm_preloads())), "VLLM_CPU_KVCACHE_SPACE": "4",
                   "VLLM_CPU_OMP_THREADS_BIND": f"0-{os.cpu_count() - 1}", "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
                   "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    return Engine("vllm-bf16", peers.weights("safetensors") / "model.safetensors", peers.vllm_version(), command, environment)


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
