"""Servers shared by the end-to-end tests: one on the paced fake model, one on the real default model."""

import pytest
from server_process import Server, real_model

# A step of 2 ms: slow enough that a test can hang up in the middle of a stream, fast enough that the suite stays short.
FAKE = "fake:step_us=2000"


@pytest.fixture(scope="session")
def fake():
    with Server(FAKE) as server:
        yield server


@pytest.fixture(scope="session")
def real():
    """The default: CPU kernels on the quantised weights."""
    with Server(real_model()) as server:
        yield server


@pytest.fixture(scope="module")
def reference():
    """libtorch in fp32, which follows the reference implementation token by token."""
    with Server(real_model(), "--backend", "torch", "--dtype", "fp32") as server:
        yield server


@pytest.fixture
def own_fake():
    """A server of the test's own, for tests that end it."""
    with Server(FAKE) as server:
        yield server
