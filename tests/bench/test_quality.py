"""`mie bench quality` on the default model: figures of a short text, and what it says about wrong input."""

import hashlib
import json
import os
import subprocess

import pytest

TEXT = """The lighthouse stood at the end of a long spit of sand, and every evening the keeper climbed its two hundred steps to light
the lamp. Ships that came from the north saw it first, a small star low over the water; ships from the south had to round the
cape before it showed. In winter, when the fog lay for days, he rang the bell as well, four strokes and a pause, all night."""


def quality(tmp_path, *flags, text=TEXT) -> subprocess.CompletedProcess:
    path = tmp_path / "text.txt"
    path.write_text(text)
    return subprocess.run([os.environ["MIE_BINARY"], "bench", "quality", "--model", os.environ["MIE_TEST_MODEL"], "--text", str(path),
                           "--chunk", "32", "--positions", "30", *flags], capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    done = quality(tmp_path_factory.mktemp("quality"), "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_reference_is_at_no_distance_from_itself(tmp_path):
    done = quality(tmp_path, "--backend", "torch", "--dtype", "fp32", "--json", "-")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["figures"]
    assert row["summary"]["mean_kl"] < 1e-9
    assert row["summary"]["greedy_agreement"] == 1


def test_the_report_names_its_inputs_by_hash(report):
    with open(os.environ["MIE_TEST_MODEL"], "rb") as model:
        assert report["model"]["sha256"] == hashlib.file_digest(model, "sha256").hexdigest()
    assert report["text"]["sha256"] == hashlib.sha256(TEXT.encode()).hexdigest()


def test_both_modes_of_the_native_backend_are_scored(report):
    assert [row["variant"]["numerics"] for row in report["figures"]] == ["w4a8", "w4a16"]
    assert report["reference"]["backend"] == "torch" and report["reference"]["numerics"] == "fp32"
    assert all(row["summary"]["positions"] == 30 for row in report["figures"])


def test_bf16_activations_are_nearer_to_the_reference_than_8_bit_ones(report):
    w4a8, w4a16 = (row["summary"] for row in report["figures"])
    assert 0 < w4a16["mean_kl"] < w4a8["mean_kl"] < 0.05
    assert w4a16["mean_kl"] < 0.001  # the promise for bf16 activations


def test_a_text_that_is_too_short_is_refused(tmp_path):
    done = quality(tmp_path, text="Too short.")
    assert done.returncode == 2
    assert "--text has" in done.stderr and "take 64" in done.stderr


