"""Log-probabilities of prompts from the real binary and the default model: as lm-eval's `local-completions` asks for them, and
against the reference implementation."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/model/smollm2_prompt_logprobs.json").read_text())
TEXTS = GOLDEN["texts"]
# What lm-eval sends for a log-likelihood, and what other harnesses send instead of generating a token they do not want.
LM_EVAL = {"max_tokens": 1, "logprobs": 1, "temperature": 0, "echo": True, "seed": 1234}
NOTHING_MORE = LM_EVAL | {"max_tokens": 0}


def complete(server, prompts: list[list[int]], **fields) -> list[dict]:
    answer = server.post("/v1/completions", {"prompt": prompts} | fields)
    assert answer.status == 200, answer.body
    choices = answer.json["choices"]
    assert [choice["index"] for choice in choices] == list(range(len(prompts)))
    return choices


def log_likelihood(choice: dict, n_context: int) -> tuple[float, bool]:
    """As lm-eval reads a choice: the last token is the one that was generated."""
    logprobs = choice["logprobs"]["token_logprobs"][n_context:-1]
    best = choice["logprobs"]["top_logprobs"][n_context:-1]
    return sum(logprobs), all(one == max(top.values()) for one, top in zip(logprobs, best, strict=True))


def check_arrays(choice: dict, n: int) -> None:
    arrays = choice["logprobs"]
    assert [len(arrays[name]) for name in ("tokens", "token_logprobs", "top_logprobs", "text_offset")] == [n] * 4
    assert arrays["token_logprobs"][0] is None and arrays["top_logprobs"][0] is None
    assert all(logprob <= 0 for logprob in arrays["token_logprobs"][1:])
    assert arrays["text_offset"] == sorted(arrays["text_offset"]) and arrays["text_offset"][-1] <= len(choice["text"])


def test_arrays_are_whole_and_the_same_alone_or_in_a_list(real):
    texts = [text["ids"] for text in TEXTS]
    together = complete(real, texts, **LM_EVAL)
    for ids, choice in zip(texts, together, strict=True):
        check_arrays(choice, len(ids) + 1)
    with ThreadPoolExecutor(8) as pool:
        alone = list(pool.map(lambda ids: complete(real, [ids], **LM_EVAL)[0], texts))
    assert [choice["logprobs"] for choice in alone] == [choice["logprobs"] for choice in together]
    real.wait_idle()


def test_without_a_generated_token_the_prompt_is_told_of_the_same(real):
    texts = [text["ids"] for text in TEXTS[:8]]
    sampled = real.metric("vllm:generation_tokens_total")
    for ids, only, more in zip(texts, complete(real, texts, **NOTHING_MORE), complete(real, texts, **LM_EVAL), strict=True):
        check_arrays(only, len(ids))
        assert only["finish_reason"] == "length"
        for name, values in only["logprobs"].items():
            assert more["logprobs"][name][:-1] == values, name
    assert real.metric("vllm:generation_tokens_total") - sampled == len(texts), "of max_tokens 1 alone"
    real.wait_idle()


def test_a_greedy_answer_scores_as_it_was_generated(real):
    """The same bits from a step that decodes one token and from a prompt in one piece."""
    prompts = [text["ids"][:text["n_prompt"]] for text in TEXTS[:12]]
    generated = complete(real, prompts, max_tokens=16, temperature=0, logprobs=1, ignore_eos=True, return_token_ids=True)
    scored = complete(real, [prompt + choice["token_ids"] for prompt, choice in zip(prompts, generated)], **LM_EVAL)
    for prompt, answer, choice in zip(prompts, generated, scored, strict=True):
        assert choice["logprobs"]["token_logprobs"][len(prompt):-1] == answer["logprobs"]["token_logprobs"]
        likelihood, greedy = log_likelihood(choice, len(prompt))
        assert greedy and likelihood == pytest.approx(sum(answer["logprobs"]["token_logprobs"]))
    worse = [prompt + answer["token_ids"][::-1] for prompt, answer in zip(prompts, generated)]
    for prompt, choice, right in zip(prompts, complete(real, worse, **LM_EVAL), scored, strict=True):
        assert log_likelihood(choice, len(prompt))[0] < log_likelihood(right, len(prompt))[0]
        assert not log_likelihood(choice, len(prompt))[1]


def deviations(server) -> list[float]:
    """|difference to the reference| of every token's log-probability, after the ranks were found to agree about as well."""
    found = []
    choices = complete(server, [text["ids"] for text in TEXTS], max_tokens=0, echo=True, prompt_logprobs=0)
    for text, choice in zip(TEXTS, choices, strict=True):
        assert choice["prompt_logprobs"][0] is None
        for token, told, (logprob, rank) in zip(text["ids"][1:], choice["prompt_logprobs"][1:], text["scores"], strict=True):
            (own,) = told.values()
            assert list(told) == [str(token)]
            found.append(abs(own["logprob"] - logprob))
            if found[-1] < 1e-3:
                assert abs(own["rank"] - rank) <= 2 + rank // 20, (text["name"], own, rank)
    return found


def test_native_stays_near_the_reference(real):
    found = deviations(real)
    assert len(found) == sum(len(text["ids"]) - 1 for text in TEXTS)
    # 8-bit activations over 4-bit weights; telling of a neighbouring position instead would be off by several nats
    assert sum(found) / len(found) < 0.15
    assert max(found) < 2


def test_torch_in_fp32_equals_the_reference(reference):
    assert max(deviations(reference)) < 2e-3


def test_chat_tells_of_the_rendered_prompt(real):
    body = {"messages": [{"role": "user", "content": "Name a colour."}], "max_tokens": 4, "temperature": 0, "return_token_ids": True}
    plain = real.post("/v1/chat/completions", body).json
    told = real.post("/v1/chat/completions", body | {"prompt_logprobs": 3}).json
    assert told["choices"] == plain["choices"]
    listed = told["prompt_logprobs"]
    assert len(listed) == told["usage"]["prompt_tokens"] and listed[0] is None
    for token, position in zip(told["prompt_token_ids"][1:], listed[1:], strict=True):
        assert list(position)[0] == str(token) and 3 <= len(position) <= 4
        assert {1, 2, 3} <= {one["rank"] for one in position.values()}
        best = sorted(position.values(), key=lambda one: one["rank"])
        assert [one["logprob"] for one in best] == sorted((one["logprob"] for one in best), reverse=True)


def test_streams_carry_the_prompt_in_their_first_chunk(real):
    from server_process import chunks

    body = {"prompt": TEXTS[3]["ids"][:TEXTS[3]["n_prompt"]], "max_tokens": 6, "temperature": 0, "echo": True, "logprobs": 2}
    whole = real.post("/v1/completions", body).json["choices"][0]
    streamed = [chunk["choices"][0] for chunk in chunks(real.post("/v1/completions", body | {"stream": True}).body)]
    assert "".join(choice["text"] for choice in streamed) == whole["text"]
    assert len(streamed[0]["logprobs"]["tokens"]) >= len(body["prompt"])
    for name, values in whole["logprobs"].items():
        assert [value for choice in streamed if choice["logprobs"] for value in choice["logprobs"][name]] == values, name
