"""What bench/quality/against_llama reads out of llama-perplexity's output and base file."""

import hashlib
import importlib.machinery
import importlib.util
import struct
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "bench/quality/against_llama"


@pytest.fixture(scope="module")
def against_llama():
    loader = importlib.machinery.SourceFileLoader("against_llama", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("against_llama", loader))
    loader.exec_module(module)
    return module


PRINTED = """
chunk             PPL               ln(PPL(Q)/PPL(base))          KL Divergence              Δp RMS            Same top p
   1      16.2110 ±    2.7911      -0.00337 ±    0.00439       0.00285 ±    0.00015     1.303 ±  0.115 %    95.686 ±  1.275 %

Mean PPL(Q)                   :  18.392403 ±   1.084093
Mean PPL(base)                :  18.341841 ±   1.079720
Mean    KLD:   0.002873 ±   0.000057
Maximum KLD:   0.028914
99.9%   KLD:   0.021880
99.0%   KLD:   0.012067
Median  KLD:   0.002297
RMS Δp    :  1.310 ± 0.039 %
Same top p: 96.569 ± 0.403 %
"""


def test_figures_are_read_with_our_names_and_units(against_llama):
    assert against_llama.read_figures(PRINTED) == {
        "mean_kl": 0.002873, "mean_kl_error": 0.000057, "median_kl": 0.002297, "p99_kl": 0.012067, "max_kl": 0.028914,
        "greedy_agreement": pytest.approx(0.96569), "perplexity": 18.392403, "reference_perplexity": 18.341841,
        "rms_probability_difference": pytest.approx(0.0131)}


def test_output_without_a_figure_is_an_error(against_llama):
    with pytest.raises(SystemExit, match="median_kl"):
        against_llama.read_figures(PRINTED.replace("Median  KLD", "Middle  KLD"))


def test_the_last_token_of_a_chunk_is_not_among_those_read(against_llama, tmp_path):
    base = tmp_path / "base"
    base.write_bytes(b"_logits_" + struct.pack("<3i", 4, 49152, 2) + struct.pack("<8i", 1, 2, 3, 99, 5, 6, 7, 99) + b"logits")
    assert against_llama.tokens_digest(base) == hashlib.sha256(struct.pack("<6i", 1, 2, 3, 5, 6, 7)).hexdigest()
