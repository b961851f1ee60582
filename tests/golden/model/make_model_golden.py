"""Makes smollm2_greedy.json: what transformers (eager, fp32) generates greedily for prompts.json.

    pip install torch==2.13.0 transformers gguf accelerate
    python make_model_golden.py SmolLM2-135M-Instruct.Q4_1.gguf smollm2_greedy.json

EOS is ignored, so that every prompt yields exactly N_NEW tokens. Per prompt the file holds the token ids of the prompt
(chat prompts are rendered by the model's own template), the generated ids, the distance between the two best logits at
each step (a step with a tiny distance may legitimately go either way elsewhere), and, for the prompts named in
LOGPROBS, the five best (id, log-probability) pairs of the first step.
"""

import hashlib
import json
import sys
from pathlib import Path

import torch
import transformers

N_NEW = 64
LOGPROBS = {"very_short_1", "very_short_4", "short_1", "longer_1", "code_1", "french_1", "arabic_2", "long_paragraph_1"}


def prompt_ids(tokenizer, prompt):
    if not prompt["chat"]:
        return tokenizer(prompt["text"], add_special_tokens=False)["input_ids"]
    messages = [{"role": "user", "content": prompt["text"]}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return tokenizer(text, add_special_tokens=False)["input_ids"]


@torch.inference_mode()
def greedy(model, ids):
    """Yields the logits [n_vocab] of each of N_NEW steps; the choice is the highest."""
    cache, step = None, torch.tensor([ids])
    for _ in range(N_NEW):
        out = model(input_ids=step, cache=cache, use_cache=True, logits_to_keep=1)
        cache, logits = out.cache, out.logits[0, -1]
        step = logits.argmax().reshape(1, 1)
        yield logits


def record(model, tokenizer, prompt):
    ids, tokens, gaps, first = prompt_ids(tokenizer, prompt), [], [], None
    for logits in greedy(model, ids):
        best = logits.topk(2).values
        tokens.append(int(logits.argmax()))
        gaps.append(float(f"{best[0] - best[1]:.3g}"))
        if first is None:
            top = logits.double().log_softmax(-1).topk(5)
            first = [[int(i), round(float(p), 6)] for p, i in zip(top.values, top.indices)]
    entry = {**prompt, "ids": ids, "tokens": tokens, "gaps": gaps}
    if prompt["name"] in LOGPROBS:
        entry["top_logprobs"] = first
    return entry


def main(model_file, out_file):
    path = Path(model_file).resolve()
    prompts = json.loads((Path(__file__).parent / "prompts.json").read_text())
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager").eval()
    entries = [record(model, tokenizer, prompt) for prompt in prompts]
    head = {
        "torch": torch.__version__.split("+")[0], "transformers": transformers.__version__,
        "model": path.name, "model_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "dtype": "float32", "attention": "eager", "n_new": N_NEW,
    }
    lines = ",\n".join(json.dumps(e, ensure_ascii=False, separators=(",", ":")) for e in entries)
    Path(out_file).write_text(json.dumps(head)[:-1] + ', "prompts": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
