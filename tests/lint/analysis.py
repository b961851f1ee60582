"""clang-tidy and "every header compiles alone", each remembered by the content it depends on.

All includes of ours are written from the root, so what a unit depends on is found by reading, without a compiler; system
headers are covered by the versions in the lock file. A unit that passed is not analysed again until one of these changes.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from sources import Finding, cpp_files, includes

STAMP = "1"  # change it when this file starts to check something else


class Analysis:
    def __init__(self, root: Path, cache: Path, compile_commands: list[Path]):
        self.root = root
        self.cache = cache
        self.commands: dict[str, dict] = {}
        for file in (f for f in compile_commands if f.is_file()):
            for entry in json.loads(file.read_text()):
                path = os.path.relpath(entry["file"], root)
                self.commands.setdefault(path, entry | {"database": str(file.parent)})
        settings = (root / ".clang-tidy").read_bytes() + (root / "conf/third_party.lock").read_bytes()
        self.common = hashlib.sha256(settings + STAMP.encode()).hexdigest()

    @lru_cache(maxsize=None)
    def closure(self, path: str) -> frozenset[str]:
        """path and every file of ours that it includes, directly or not."""
        seen, pending = set(), [path]
        while pending:
            current = pending.pop()
            if current not in seen and (self.root / current).is_file():
                seen.add(current)
                pending += [target for _, _, target in includes((self.root / current).read_text(errors="replace"))]
        return frozenset(seen)

    def key(self, kind: str, path: str, command: str) -> str:
        digest = hashlib.sha256(f"{self.common} {kind} {command.replace(str(self.root), '')}".encode())
        for file in sorted(self.closure(path)):
            digest.update(file.encode() + b"\0" + hashlib.sha256((self.root / file).read_bytes()).digest())
        return digest.hexdigest()

    def once(self, kind: str, path: str, command: str, run: list[str]) -> list[Finding]:
        stamp = self.cache / self.key(kind, path, command)
        if stamp.is_file():
            return []
        done = subprocess.run(run, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode == 0:
            stamp.touch()
            return []
        said = [line for line in (done.stdout + done.stderr).splitlines() if ": error:" in line or ": warning:" in line]
        return [Finding(path, 1, f"{kind}: {line.replace(str(self.root) + '/', '')}") for line in said or ["failed"]]

    def own_settings(self, path: str) -> str:
        """Text of the .clang-tidy files between the unit and the root, without the root's."""
        folders = [self.root / folder for folder in Path(path).parents if folder != Path(".")]
        return "".join((folder / ".clang-tidy").read_text() for folder in folders if (folder / ".clang-tidy").is_file())

    def tidy(self, path: str) -> list[Finding]:
        entry = self.commands[path]
        return self.once("clang-tidy", path, entry["command"] + self.own_settings(path), ["clang-tidy-19", "--quiet", "-p", entry["database"], path])

    def header_alone(self, path: str) -> list[Finding]:
        """Only for headers without a unit of their own: the include rules see to it that a unit's first include is its header.
        A fragment of a larger text says so in its opening comment: a line that starts with '// Not alone because'."""
        if re.search("^// Not alone because ", (self.root / path).read_text(), re.MULTILINE):
            return []
        flags = shlex.split("-std=c++20 -fsyntax-only -Wall -Wextra -Wshadow -Wconversion -Werror -Wno-pragma-once-outside-header -x c++")
        return self.once("alone", path, " ".join(flags), ["clang++-19", *flags, "-I", ".", path])

    def all(self, folders: tuple[str, ...]) -> list[Finding]:
        self.cache.mkdir(parents=True, exist_ok=True)
        files = cpp_files(self.root)
        units = [p for p in files if p in self.commands and p.startswith(folders)]
        headers = [p for p in files if p.endswith(".h") and p.removesuffix(".h") + ".cpp" not in files
                   and not p.startswith(("models/torch/", "server/web/"))]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [*pool.map(self.header_alone, headers), *pool.map(self.tidy, units)]
        return [finding for findings in found for finding in findings]
