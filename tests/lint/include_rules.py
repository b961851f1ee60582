"""Include directions: which folder may look at which, and which third-party headers may appear where."""

from pathlib import Path

from sources import SOURCE_FOLDERS, Finding, cpp_files, includes

# From the most specific prefix to the least: what a file there may include of ours. Tests may include everything.
ALLOWED = (
    ("core/base/", ("core/base/",)),
    ("core/text/", ("core/text/", "core/base/")),
    ("core/", ("core/", "kv/", "models/model_runner.h")),
    ("kv/", ("kv/", "core/base/")),
    ("models/", ("models/", "kv/", "core/base/")),
    ("server/", ("server/", "core/", "kv/", "models/")),
    ("bench/", ("bench/", "server/", "core/", "kv/", "models/")),
    ("tests/", SOURCE_FOLDERS),
    ("cmake/", ("cmake/",)),
)
# Third-party header prefix -> the folders that may include it.
CONFINED = {
    "boost/beast": ("server/", "bench/", "tests/server/", "tests/e2e/", "cmake/"),
    "torch/": ("models/torch/", "tests/models/"),
    "ATen/": ("models/torch/", "tests/models/"),
    "c10/": ("models/torch/", "tests/models/"),
}


def folder_rule(path: str, target: str) -> str | None:
    prefix, allowed = next((rule for rule in ALLOWED if path.startswith(rule[0])), (path, SOURCE_FOLDERS))
    if target.startswith(allowed):
        return None
    return f"{prefix} may not include {target}; it may include {', '.join(allowed)}"


def own_header_first(root: Path, path: str, found: list[tuple[int, str, str]]) -> list[Finding]:
    """A unit that includes its own header before anything else proves that the header compiles alone."""
    header = path.removesuffix(".cpp") + ".h"
    if not path.endswith(".cpp") or not (root / header).is_file() or (found and found[0][2] == header):
        return []
    return [Finding(path, found[0][0] if found else 1, f"{header} must be the first include")]


def check(root: Path) -> list[Finding]:
    findings = []
    for path in cpp_files(root):
        found = includes((root / path).read_text(errors="replace"))
        findings += own_header_first(root, path, found)
        for line, quote, target in found:
            if quote == '"' and (target.startswith(SOURCE_FOLDERS) or (root / target).is_file()):
                if message := folder_rule(path, target):
                    findings.append(Finding(path, line, message))
            elif quote == '"' and (root / path).with_name(Path(target).name).is_file():
                findings.append(Finding(path, line, f"{target}: include from the root of the repository"))
            for prefix, places in CONFINED.items():
                if target.startswith(prefix) and not path.startswith(places):
                    findings.append(Finding(path, line, f"{prefix} headers appear only under {', '.join(places)}"))
    return findings
