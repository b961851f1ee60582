// The openai Node client, unmodified, and fetch with a ReadableStream. MIE_BASE_URL names a running server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';

const base = process.env.MIE_BASE_URL;
assert.ok(base, 'MIE_BASE_URL must name a running server');
const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: 'unused', maxRetries: 0, timeout: 120_000 });
const messages = [{ role: 'user', content: 'Say hello in French.' }];
const model = (await client.models.list()).data[0].id;

test('chat stream joins to the whole answer', async () => {
  const asked = { model, messages, max_tokens: 24, temperature: 0 };
  const whole = await client.chat.completions.create(asked);
  let text = '';
  let finish = null;
  let usage = null;
  for await (const part of await client.chat.completions.create({ ...asked, stream: true, stream_options: { include_usage: true } })) {
    text += part.choices[0]?.delta?.content ?? '';
    finish ??= part.choices[0]?.finish_reason ?? null;
    usage = part.usage ?? usage;
  }
  assert.equal(text, whole.choices[0].message.content);
  assert.equal(finish, whole.choices[0].finish_reason);
  assert.equal(usage.prompt_tokens, whole.usage.prompt_tokens);
  assert.equal(usage.completion_tokens, whole.usage.completion_tokens);
  // The first request left every full block of 32 that ends before the last prompt token.
  assert.equal(usage.prompt_tokens_details.cached_tokens, Math.floor((usage.prompt_tokens - 1) / 32) * 32);
});

test('the stream helper collects the same message', async () => {
  const stream = client.chat.completions.stream({ model, messages, max_tokens: 16, temperature: 0 });
  const final = await stream.finalChatCompletion();
  assert.equal(final.choices[0].message.role, 'assistant');
  assert.ok(final.choices[0].message.content.length > 0);
});

test('completions', async () => {
  const answer = await client.completions.create({ model, prompt: 'The capital of France is', max_tokens: 8, temperature: 0 });
  assert.match(answer.choices[0].text, /Paris/);
});

test('a stream can be aborted', async () => {
  const stream = await client.chat.completions.create({ model, messages, max_tokens: 400, stream: true });
  let seen = 0;
  for await (const part of stream) {
    seen += part.choices.length;
    if (seen > 3) stream.controller.abort();
  }
  assert.ok(seen < 100);
});

test('errors have type, param and code', async () => {
  await assert.rejects(client.chat.completions.create({ model, messages, temperature: 9 }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.equal(error.param, 'temperature');
    assert.equal(error.code, 'invalid_value');
    return true;
  });
});

test('fetch reads frames as they come', async () => {
  const response = await fetch(`${base}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'Once upon a time', max_tokens: 12, temperature: 0, ignore_eos: true, stream: true }),
  });
  assert.equal(response.status, 200);
  let reads = 0;
  let body = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    reads += 1;
    body += piece;
  }
  assert.ok(reads >= 4, `${reads} reads`);
  assert.ok(body.endsWith('data: [DONE]\n\n'));
});
