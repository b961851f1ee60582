"""Each rule finds what it is there to find: violations planted in a small repository, one at a time."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import house_rules  # noqa: E402
import include_rules  # noqa: E402
from analysis import Analysis  # noqa: E402
from sources import includes  # noqa: E402

GOOD = {
    "core/base/id.h": "// Numbers. Values; any thread.\n#pragma once\n",
    "core/base/clock.h": "// Time.\n#pragma once\nauto now() { return std::chrono::steady_clock::now(); }\n",
    "kv/block_pool.h": '// Blocks.\n#pragma once\n#include "core/base/id.h"\n',
    "kv/block_pool.cpp": '#include "kv/block_pool.h"\n\n#include <vector>\n',
    "models/model_runner.h": '// Runs.\n#pragma once\n#include "core/base/id.h"\n',
    "core/engine/engine.h": '// Engine.\n#pragma once\n#include "kv/block_pool.h"\n#include "models/model_runner.h"\n',
    "models/torch/runner.cpp": '#include <ATen/ATen.h>\n#include "kv/block_pool.h"\n',
    "server/main.cpp": '#include <boost/beast.hpp>\n#include "core/engine/engine.h"\n#include "models/model_runner.h"\n',
    "tests/kv/block_pool_test.cpp": '#include "kv/block_pool.h"\n',
}


def repository(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def findings(folder: Path, planted: dict[str, str]) -> list[str]:
    root = repository(folder, GOOD | planted)
    return [str(f) for f in include_rules.check(root) + house_rules.check(root)]


def test_a_good_tree_has_no_findings(tmp_path):
    assert findings(tmp_path, {}) == []


@pytest.mark.parametrize("path, line, says", [
    ("kv/table.h", '#include "core/engine/engine.h"', "kv/ may not include"),
    ("kv/table.h", '#include "models/model_runner.h"', "kv/ may not include"),
    ("core/base/log.h", '#include "kv/block_pool.h"', "core/base/ may not include"),
    ("core/text/tokenizer.h", '#include "core/engine/engine.h"', "core/text/ may not include"),
    ("core/engine/step.h", '#include "models/model_spec.h"', "core/ may not include"),
    ("core/engine/step.h", '#include "server/session.h"', "core/ may not include"),
    ("models/registry.h", '#include "core/engine/engine.h"', "models/ may not include"),
    ("models/registry.h", "#include <torch/torch.h>", "torch/ headers appear only under"),
    ("models/native/runner.h", "#include <ATen/ATen.h>", "ATen/ headers appear only under"),
    ("core/engine/step.h", "#  include <boost/beast/http.hpp>", "boost/beast headers appear only under"),
    ("kv/table.h", '#include "block_pool.h"', "include from the root"),
    ("server/main.cpp", '#include "bench/micro/gates.h"', "server/ may not include"),
    ("cmake/precompiled/std.h", '#include "kv/block_pool.h"', "cmake/ may not include"),
])
def test_include_directions(tmp_path, path, line, says):
    found = findings(tmp_path, {path: f"// It.\n#pragma once\n{line}\n"})
    assert len(found) == 1 and found[0].startswith(f"{path}:3: ") and says in found[0]


def test_a_unit_includes_its_own_header_first(tmp_path):
    found = findings(tmp_path, {"kv/block_pool.cpp": '#include <vector>\n#include "kv/block_pool.h"\n'})
    assert found == ["kv/block_pool.cpp:1: kv/block_pool.h must be the first include"]


# The forbidden words are put together here, or this file would be found.
@pytest.mark.parametrize("path, line", [
    ("core/engine/step.cpp", "auto t = std::chrono::steady_clock::now();"),
    ("core/engine/step.cpp", "auto t = std::time(nullptr);"),
    ("models/sampling/draw.cpp", "std::random_device seed;"),
    ("models/sampling/draw.cpp", "int x = rand() % 6;"),
    ("server/session.cpp", "net::co_spawn(strand, run(), net::det" + "ached);"),
    ("core/engine/step.cpp", 'std::cerr << "here";'),
    ("docs/notes.md", "TO" + "DO: write this"),
    ("conf/default.toml", 'model = "/ro' + 'ot/model.gguf"'),
    ("conf/fetch.sh", "curl https://py" + "pi.org/simple/"),
])
def test_forbidden_names(tmp_path, path, line):
    found = findings(tmp_path, {path: f"first line\n{line}\n"})
    assert len(found) == 1 and found[0].startswith(f"{path}:2: ")


@pytest.mark.parametrize("path, line", [
    ("core/base/clock.h", "auto wall() { return std::chrono::system_clock::now(); }"),
    ("tests/kv/pool_test.cpp", "std::mt19937_64 random(17);"),
    ("core/engine/step.cpp", "const auto operand = evaluate(operand_of(x)) + uptime(now);"),
    ("server/cli/generate.cpp", "std::cout << text;"),
    ("conf/dev/x.sh", 'cd "$cache/work/x" && ls build/home/x'),
])
def test_names_that_only_look_forbidden(tmp_path, path, line):
    opening = "// Time.\n#pragma once\n" if path.endswith(".h") else ""
    assert findings(tmp_path, {path: f"{opening}{line}\n"}) == []


def test_one_line_may_pass_a_seam_with_a_reason(tmp_path):
    call = "const std::time_t now = std::time(nullptr);\n"
    reason = "// Past the seam because the kernel counts from its own clock.\n"
    assert findings(tmp_path / "said", {"server/process.cpp": reason + call}) == []
    assert len(findings(tmp_path / "once", {"server/process.cpp": reason + call + call})) == 1


def test_a_long_file_says_why(tmp_path):
    long = "int x;\n" * 299
    assert findings(tmp_path / "short", {"kv/rows.cpp": "// Rows.\n" + long}) == []
    assert "over 300" in findings(tmp_path / "long", {"kv/rows.cpp": "// Rows.\n\n" + long})[0]
    assert findings(tmp_path / "reason", {"kv/rows.cpp": "// Rows.\n// Long because it is one table.\n" + long}) == []
    late = "// Rows.\n" + long + "// Long because it is one table.\n"
    assert "over 300" in findings(tmp_path / "late", {"kv/rows.cpp": late})[0]


@pytest.mark.parametrize("path, text, says", [
    ("kv/table.h", "#pragma once\n", "a header opens with"),
    ("kv/table.h", "// Table.\n", "no #pragma once"),
    ("kv/table_manager.h", "// Table.\n#pragma once\n", "say what the file is"),
    ("kv/BlockTable.h", "// Table.\n#pragma once\n", "snake_case"),
])
def test_headers_and_file_names(tmp_path, path, text, says):
    found = findings(tmp_path, {path: text})
    assert len(found) == 1 and says in found[0]


def test_includes_reads_both_kinds():
    assert includes('#include "kv/a.h"\n # include <vector>\n// #include "no.h"\n') == [(1, '"', "kv/a.h"), (2, "<", "vector")]


def test_a_header_that_does_not_compile_alone(tmp_path):
    root = repository(tmp_path, {".clang-tidy": "", "conf/third_party.lock": "",
                                 "kv/alone.h": "// A.\n#pragma once\n#include <vector>\ninline std::vector<int> a;\n",
                                 "kv/leans.h": "// B.\n#pragma once\ninline std::vector<int> b;\n",
                                 "kv/part.h": "// Not alone because it is the body of a switch.\n#pragma once\ncase 1: break;\n"})
    found = Analysis(root, tmp_path / "cache", []).all(("kv/",))
    assert found and {f.path for f in found} == {"kv/leans.h"}


def test_what_was_analysed_is_remembered_by_content(tmp_path):
    root = repository(tmp_path, GOOD | {".clang-tidy": "", "conf/third_party.lock": ""})
    before = Analysis(root, tmp_path / "cache", []).key("clang-tidy", "core/engine/engine.h", "clang++ -c")
    assert Analysis(root, tmp_path / "cache", []).key("clang-tidy", "core/engine/engine.h", "clang++ -c") == before
    (root / "core/base/id.h").write_text("// Numbers, changed two includes away.\n#pragma once\n")
    assert Analysis(root, tmp_path / "cache", []).key("clang-tidy", "core/engine/engine.h", "clang++ -c") != before
