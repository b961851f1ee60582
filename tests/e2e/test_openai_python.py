"""The openai Python client, unmodified, against the real model."""

import hashlib
from pathlib import Path

import openai
import pytest
from server_process import real_model

CHAT = [{"role": "user", "content": "Name three colours of the rainbow."}]


@pytest.fixture(scope="module")
def client(real):
    with openai.OpenAI(base_url=real.base_url + "/v1", api_key="unused", max_retries=0, timeout=120) as made:
        yield made


@pytest.fixture(scope="module")
def model(client):
    return client.models.list().data[0].id


def test_chat_stream_joins_to_the_whole_answer(client, model):
    asked = dict(model=model, messages=CHAT, max_tokens=40, temperature=0)
    whole = client.chat.completions.create(**asked)
    assert whole.object == "chat.completion" and whole.choices[0].message.role == "assistant"
    assert whole.choices[0].message.content

    parts = list(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
    text = "".join(p.choices[0].delta.content or "" for p in parts if p.choices)
    finishes = [p.choices[0].finish_reason for p in parts if p.choices and p.choices[0].finish_reason]
    assert text == whole.choices[0].message.content
    assert finishes == [whole.choices[0].finish_reason]
    assert parts[0].choices[0].delta.role == "assistant"
    usage = parts[-1].usage
    assert parts[-1].choices == []
    assert (usage.prompt_tokens, usage.completion_tokens) == (whole.usage.prompt_tokens, whole.usage.completion_tokens)
    assert usage.prompt_tokens_details.cached_tokens == (usage.prompt_tokens - 1) // 32 * 32  # the first request left them
    assert all(p.usage is None for p in parts[:-1])
    assert {p.id for p in parts} == {parts[0].id} and parts[0].id.startswith("chatcmpl-")
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens
    # one event a token: role and first text share a write but are two chunks; the finish and usage chunks come on top
    assert len([p for p in parts if p.choices and p.choices[0].delta.content]) >= 0.8 * whole.usage.completion_tokens


def test_completion_stream_joins_to_the_whole_answer(client, model):
    asked = dict(model=model, prompt="The capital of France is", max_tokens=12, temperature=0)
    whole = client.completions.create(**asked)
    assert whole.usage.completion_tokens <= 12 and "Paris" in whole.choices[0].text
    streamed = "".join(p.choices[0].text for p in client.completions.create(**asked, stream=True))
    assert streamed == whole.choices[0].text


def test_list_of_prompts_is_answered_in_order_as_alone(client, model):
    prompts = ["One, two, three,", "def add(a, b):", "Bonjour, je m'appelle"]
    together = client.completions.create(model=model, prompt=prompts, max_tokens=8, temperature=0)
    assert [c.index for c in together.choices] == [0, 1, 2]
    for prompt, choice in zip(prompts, together.choices):
        alone = client.completions.create(model=model, prompt=prompt, max_tokens=8, temperature=0)
        assert alone.choices[0].text == choice.text


def test_seed_repeats_and_differs(client, model):
    def draw(seed):
        answer = client.chat.completions.create(model=model, messages=CHAT, max_tokens=24, temperature=1.2, seed=seed)
        return answer.choices[0].message.content
    assert draw(7) == draw(7)
    assert len({draw(seed) for seed in range(4)}) > 1


def test_logprobs_are_typed_and_cover_every_token(client, model):
    answer = client.chat.completions.create(
        model=model, messages=CHAT, max_tokens=10, temperature=0, logprobs=True, top_logprobs=3)
    entries = answer.choices[0].logprobs.content
    assert len(entries) == answer.usage.completion_tokens
    for entry in entries:
        assert len(entry.top_logprobs) == 3 and entry.logprob <= 0
        assert entry.token == entry.top_logprobs[0].token  # greedy takes the best
        ordered = [top.logprob for top in entry.top_logprobs]
        assert ordered == sorted(ordered, reverse=True)
    joined = bytes(byte for entry in entries for byte in entry.bytes or [])
    assert joined.decode() == answer.choices[0].message.content


def test_stop_string_is_cut_in_both_modes(client, model):
    asked = dict(model=model, prompt="1, 2, 3, 4, 5, 6, 7,", max_tokens=40, temperature=0)
    free = client.completions.create(**asked).choices[0].text
    stop = free[len(free) // 2:][:3]
    whole = client.completions.create(**asked, stop=[stop])
    assert whole.choices[0].finish_reason == "stop" and whole.choices[0].text == free[:free.index(stop)]
    parts = list(client.completions.create(**asked, stop=stop, stream=True))
    assert "".join(p.choices[0].text for p in parts) == whole.choices[0].text


def test_errors_reach_the_clients_exception_types(client, model):
    with pytest.raises(openai.BadRequestError) as bad:
        client.chat.completions.create(model=model, messages=CHAT, temperature=3)
    assert bad.value.param == "temperature" and bad.value.code == "invalid_value"
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="no-such-model", messages=CHAT)
    assert missing.value.code == "model_not_found" and missing.value.param == "model"
    with pytest.raises(openai.BadRequestError) as tools:
        client.chat.completions.create(model=model, messages=CHAT, tools=[{"type": "function", "function": {"name": "f"}}])
    assert tools.value.code == "unsupported_parameter" and tools.value.param == "tools"
    with pytest.raises(openai.BadRequestError) as long:
        client.chat.completions.create(model=model, messages=CHAT, max_tokens=10**9)
    assert long.value.code == "context_length_exceeded"


async def collect(client, model, prompt):
    answer = await client.completions.create(model=model, prompt=prompt, max_tokens=16, temperature=0, stream=True)
    return "".join([part.choices[0].text async for part in answer])


def test_concurrent_streams_equal_their_solo_text(real, client, model):
    import asyncio

    prompts = [f"Item {i}: a short note about the number {i}." for i in range(12)]
    alone = [client.completions.create(model=model, prompt=p, max_tokens=16, temperature=0).choices[0].text for p in prompts]

    async def together():
        async with openai.AsyncOpenAI(base_url=real.base_url + "/v1", api_key="unused", max_retries=0) as made:
            return await asyncio.gather(*(collect(made, model, p) for p in prompts))

    assert asyncio.run(together()) == alone


def test_a_model_is_named_by_the_bytes_of_its_file(real, client, model):
    meta = client.models.retrieve(model).meta
    assert meta["weights_sha256"] == hashlib.sha256(Path(real_model()).read_bytes()).hexdigest()
    assert len(meta["tokenizer_sha256"]) == 64 and meta["tokenizer_sha256"] != meta["weights_sha256"]
