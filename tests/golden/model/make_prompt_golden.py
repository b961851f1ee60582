"""Makes smollm2_prompt_logprobs.json: what transformers (eager, fp32) tells of each token of the texts in smollm2_greedy.json.

    pip install torch==2.13.0 transformers gguf accelerate
    python make_prompt_golden.py SmolLM2-135M-Instruct.Q4_1.gguf smollm2_prompt_logprobs.json

A text is a prompt and the first N_ANSWER tokens of its answer, since a prompt may be a single token. Per text the file holds
its ids and, for each token after the first, log-probability and rank (1 for the best).
"""

import json
import sys
from pathlib import Path

import torch
import transformers

N_ANSWER = 16


@torch.inference_mode()
def record(model, prompt):
    ids = torch.tensor(prompt["ids"] + prompt["tokens"][:N_ANSWER])
    logprobs = model(input_ids=ids[None]).logits[0, :-1].double().log_softmax(-1)
    own = logprobs.gather(1, ids[1:, None])
    ranks = 1 + (logprobs > own).sum(-1)
    pairs = [[round(float(p), 6), int(r)] for p, r in zip(own[:, 0], ranks)]
    return {"name": prompt["name"], "n_prompt": len(prompt["ids"]), "ids": ids.tolist(), "scores": pairs}


def main(model_file, out_file):
    path = Path(model_file).resolve()
    golden = json.loads((Path(__file__).parent / "smollm2_greedy.json").read_text())
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager").eval()
    head = {key: golden[key] for key in ("model", "model_sha256", "dtype", "attention")}
    head |= {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    lines = ",\n".join(json.dumps(record(model, prompt), separators=(",", ":")) for prompt in golden["prompts"])
    Path(out_file).write_text(json.dumps(head)[:-1] + ', "texts": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
