"""The compute backends as the command line chooses them."""

import time
from pathlib import Path

import pytest
from server_process import Server, real_model
from test_lifecycle import run


def test_native_is_the_default_and_maps_no_libtorch(real):
    about = real.request("GET", "/version").json
    assert about["backend"] == "native"
    assert about["isa"] in ("scalar", "avx2", "avx512-vnni", "avx512-vnni-bf16", "amx")
    maps = Path(f"/proc/{real.process.pid}/maps").read_text()
    assert "libtorch" not in maps and "libmie_torch" not in maps and "libgomp" not in maps
    assert any(series.startswith("mie_build_info{") and f'isa="{about["isa"]}"' in series for series in real.metrics())


def test_torch_is_opened_when_chosen(reference):
    about = reference.request("GET", "/version").json
    assert about["backend"] == "torch" and about["isa"] is None
    assert "libtorch_cpu.so" in Path(f"/proc/{reference.process.pid}/maps").read_text()


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100  # user and system, in clock ticks of 10 ms


def test_an_idle_server_leaves_the_processor_alone(real):
    real.post("/v1/completions", {"prompt": "Once", "max_tokens": 4})
    real.wait_idle()
    time.sleep(0.5)
    before = processor_seconds(real.process.pid)
    time.sleep(4)
    assert processor_seconds(real.process.pid) - before < 0.04, "more than 1 % of a core"


@pytest.mark.parametrize("flags", [("--threads", "1"), ("--threads", "3"), ("--pin", "off"), ("--pin", "0", "--threads", "1"),
                                   ("--isa", "scalar"), ("--compute", "w4a16"), ("--block-size", "max"), ("--kernels", "simd"),
                                   ("--kernels", "ref", "--attn", "naive", "--sample", "seq")],
                         ids=" ".join)
def test_native_serves_with(flags):
    with Server(real_model(), *flags) as server:
        answer = server.post("/v1/completions", {"prompt": "The capital of France is", "max_tokens": 2, "temperature": 0})
        assert "Paris" in answer.json["choices"][0]["text"]


@pytest.mark.parametrize("flags, reason", [
    (("--dtype", "fp32"), "--backend torch"),
    (("--kv-dtype", "fp32"), "--backend torch"),
    (("--pin", "0", "--threads", "2"), "--pin 0 names fewer cores"),
    (("--pin", "4095"), "may not run on core 4095"),
    (("--pin", "0,0"), "--pin must be"),
    (("--isa", "mmx"), "--isa must be"),
    (("--compute", "w8a8"), "--compute must be"),
    (("--kernels", "fast"), "--kernels must be one of ref, simd, tuned"),
    (("--attn", "flash"), "--attn must be one of naive, gathered, paged"),
    (("--kernels", "ref", "--isa", "avx2"), "--kernels ref uses no vectors"),
    (("--speculate", "ngram:8"), "--speculate must be off, ngram or ngram:k with k between 1 and 7"),
    (("--speculate", "draft"), "--speculate must be"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_settings_that_native_does_not_have_are_one_line_and_exit_2(flags, reason):
    ended = run("serve", "--port", "0", "--model", real_model(), *flags)
    assert ended.returncode == 2
    assert [line for line in ended.stderr.splitlines() if reason in line], ended.stderr
