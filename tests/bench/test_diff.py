"""`mie diff` on the default model: arrangements that owe each other equal bits, arithmetics that do not, dumps, and exit codes."""

import os
import re
import subprocess

import pytest

PROMPT = "The lighthouse keeper opened the door and"


def diff(*flags, model=True) -> subprocess.CompletedProcess:
    of = ("--model", os.environ["MIE_TEST_MODEL"]) if model else ()
    return subprocess.run([os.environ["MIE_BINARY"], "diff", *of, *flags], capture_output=True, text=True, timeout=300)


def verdict(done: subprocess.CompletedProcess) -> str:
    found = re.search(r"^verdict +(.*)$", done.stdout, re.MULTILINE)
    assert found, done.stdout + done.stderr
    return found[1]


@pytest.mark.parametrize("mode", ["native,block-size=8", "native,chunk=3,batch=5", "native,kv=contiguous", "native,kv=none",
                                  "native,threads=1"])
def test_not_a_bit_depends_on_the_arrangement(mode):
    done = diff("--a", "native", "--b", mode, "--prompt", PROMPT, "--tokens", "6")
    assert (done.returncode, verdict(done)) == (0, "equal, bit for bit")


@pytest.mark.parametrize("mode", ["native", "native,compute=w4a16", "native,isa=scalar", "torch,dtype=bf16",
                                  "torch,dtype=fp32,chunk=4,block-size=16,batch=3"])
def test_every_arithmetic_is_within_the_expected_rounding_of_fp32(mode):
    done = diff("--a", "torch,dtype=fp32", "--b", mode, "--prompt", PROMPT, "--tokens", "6")
    assert (done.returncode, verdict(done)) == (0, "no difference beyond expectation")
    assert len(re.findall(r"^layer ", done.stdout, re.MULTILINE)) == 30


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    path = tmp_path_factory.mktemp("dump") / "native.layers"
    done = diff("--a", "native", "--b", "native", "--prompt", PROMPT, "--tokens", "4", "--save-a", str(path))
    assert done.returncode == 0, done.stderr
    return path


def test_a_dump_is_a_side_with_its_own_tokens(dump):
    done = diff("--a", "native,kv=none", "--b", f"dump:{dump}")
    assert (done.returncode, verdict(done)) == (0, "equal, bit for bit")
    assert diff("--a", f"dump:{dump}", "--b", f"dump:{dump}", model=False).returncode == 0


def test_a_changed_number_is_found_where_it_is(dump, tmp_path):
    """Position 9 is the third decoded token; logits are the dump's last tensor, 49,152 numbers a position."""
    numbers = bytearray(dump.read_bytes())
    n_positions, width = 11, 49152
    at = len(numbers) - 4 * width * (n_positions - 9) + 4 * 17
    numbers[at:at + 4] = b"\x00\x00\xc8\x42"  # 100
    changed = tmp_path / "changed.layers"
    changed.write_bytes(numbers)
    done = diff("--a", "native", "--b", f"dump:{changed}")
    assert done.returncode == 1
    assert verdict(done).startswith("DIVERGES at logits, position 9 (decode 3): ")


def test_other_tokens_are_found_before_any_tensor(dump):
    done = diff("--a", "native", "--b", f"dump:{dump}", "--prompt", PROMPT.replace("door", "gate"))
    assert done.returncode == 1
    assert verdict(done) == "DIVERGES at the token read at position 5 (prompt)"


@pytest.mark.parametrize("flags, says", [
    (("--b", "cuda", "--prompt", "x"), "mode cuda: starts with native or torch"),
    (("--b", "native"), "--prompt, --prompt-file or --ids is required"),
    (("--b", "native", "--prompt", "x", "--ids", "1"), "one of --prompt, --prompt-file and --ids"),
    (("--b", "native", "--ids", "49152"), "no token has id 49152"),
    (("--b", "dump:/nonexistent", "--prompt", "x"), "/nonexistent: cannot be read"),
    (("--prompt", "x"), "--b is required"),
])
def test_wrong_use_is_exit_code_2(flags, says):
    done = diff(*flags)
    assert done.returncode == 2
    assert says in done.stderr


def test_help_names_the_keys_of_a_mode():
    done = diff("--help", model=False)
    assert done.returncode == 0
    assert all(key in done.stdout for key in ("kv=", "chunk=N", "batch=N", "block-size", "dump:FILE"))
