"""`--speculate ngram`: the same answers from the default model, fewer steps, and what `/metrics` says about it."""

import pytest

from server_process import Server, real_model

# Text that repeats itself is what n-grams guess well.
PROMPT = "one two three four five six seven eight. " * 6
REQUESTS = [
    {"prompt": PROMPT, "max_tokens": 48, "temperature": 0, "logprobs": 2},
    {"prompt": PROMPT, "max_tokens": 48, "temperature": 0.8, "seed": 11, "logprobs": 2},
    {"prompt": PROMPT, "max_tokens": 48, "temperature": 0, "frequency_penalty": 0.5, "presence_penalty": 0.5},
    {"prompt": "Write a poem about the sea.", "max_tokens": 48, "temperature": 0, "stop": ["\n\n"]},
]


def answers(*flags: str) -> tuple[list, float, float, float]:
    """Choices of every request; steps, drafts proposed and drafts accepted."""
    with Server(real_model(), *flags) as server:
        choices = [server.post("/v1/completions", request).json["choices"] for request in REQUESTS]
        server.wait_idle()
        counted = (server.metric("mie_steps_total"), server.metric("vllm:spec_decode_num_draft_tokens_total"),
                   server.metric("vllm:spec_decode_num_accepted_tokens_total"))
    return choices, *counted


@pytest.fixture(scope="module")
def plain():
    return answers()


@pytest.mark.parametrize("flag", ["ngram", "ngram:1", "ngram:7"])
def test_answers_are_the_same_in_fewer_steps(plain, flag):
    choices, steps, proposed, accepted = answers("--speculate", flag)
    assert choices == plain[0]
    assert 20 < accepted <= proposed
    assert steps < plain[1]


def test_without_the_flag_nothing_is_drafted(plain):
    assert plain[2:] == (0, 0)
