"""How many requests a statement takes: binomial tails by hand."""

import numpy as np
import pytest

from bench.analysis import claims


@pytest.mark.parametrize("share, n", [(0.99, 459), (0.95, 90), (0.5, 7)])
def test_without_a_miss_it_takes_log_of_a_hundredth(share, n):
    # share^n ≤ 0.01: 0.99^459 = 0.00992, 0.99^458 = 0.01002
    assert not claims.supports(0, n - 1, share)
    assert claims.supports(0, n, share)
    assert claims.needed(0, 0, share) == n


def test_a_limit_claim_counts_what_is_over_and_what_is_missing():
    values = np.concatenate([np.full(998, 10.0), [99.0, np.nan]])
    found = claims.limit(values, 50.0, 0.99)
    assert (found.n, found.n_over) == (1000, 2)
    assert found.supported  # P(Bin(1000, 0.01) ≤ 2) = 0.0027


def test_a_claim_that_is_not_shown_says_how_many_would():
    found = claims.limit(np.full(100, 10.0), 50.0, 0.99)
    assert (found.supported, found.needed) == (False, 459)
    assert found.text("p99 ≤ 50 ms") == "p99 ≤ 50 ms: not shown by 100 requests; needs 459"


def test_a_claim_that_the_rate_of_misses_contradicts_needs_no_number():
    found = claims.limit(np.concatenate([np.full(90, 10.0), np.full(10, 99.0)]), 50.0, 0.99)
    assert (found.supported, found.needed) == (False, None)
    assert "does not hold (10 of 100 over)" in found.text("x")


def test_the_needed_number_supports_the_claim_at_the_rate_seen():
    found = claims.limit(np.concatenate([np.full(995, 10.0), np.full(5, 99.0)]), 50.0, 0.99)
    assert not found.supported  # 5 of 1000 against 1 %: P = 0.066
    assert claims.supports(int(0.005 * found.needed), found.needed, 0.99)
    assert found.needed < 3000


@pytest.mark.parametrize("n_good, n, verdict", [(1000, 1000, "pass"), (990, 1000, "pass"), (985, 1000, "open"), (970, 1000, "fail"), (0, 0, "open")])
def test_a_load_passes_fails_or_is_open(n_good, n, verdict):
    # Of 1000 at 99 %, 984 or fewer have a probability of 5.2 %, 983 of 2.8 %… 970 of less than one in a million.
    assert claims.verdict(n_good, n, 0.99) == verdict
