"""Dumps every tensor that transformers (eager, no cache) computes for a text, as side B of `mie diff`.

    python dump_layers.py MODEL.gguf OUT.layers --prompt "Once upon a time" --tokens 8
    mie diff --model MODEL.gguf --a native --b dump:OUT.layers

In the venv of ./dev golden. The whole sequence, prompt and greedy continuation, runs in one pass, so nothing of the dump depends
on a KV cache. The format is that of bench/diff/dump_file.h, the names those of models/layer_tap.h. For models whose transformers
class has the layers of Llama (also Mistral and Qwen2).
"""

import argparse
import sys
from pathlib import Path

import torch
import transformers

ARITHMETIC = {"float32": "fp32", "bfloat16": "bf16"}


class Recorder:
    """Hooks on the modules of a model; tensors by (layer, name), each [positions, width]."""

    def __init__(self, model):
        self.tensors = {}
        self.layer = -1
        decoder = model.model
        self.output(decoder.embed_tokens, -1, "embed")
        for i, layer in enumerate(decoder.layers):
            layer.register_forward_pre_hook(lambda module, args, i=i: setattr(self, "layer", i))
            self.output(layer.input_layernorm, i, "attn_norm")
            self.output(layer.self_attn.v_proj, i, "v")
            self.input(layer.self_attn.o_proj, i, "attn_out")
            self.input(layer.post_attention_layernorm, i, "residual_mid")
            self.output(layer.post_attention_layernorm, i, "ffn_norm")
            self.output(layer.mlp, i, "ffn_out")
            self.output(layer, i, "residual")
        self.output(decoder.norm, -1, "final_norm")
        self.output(model.lm_head, -1, "logits")
        self.watch_rotary(sys.modules[type(decoder.layers[0].self_attn).__module__])

    def keep(self, layer, name, tensor):
        self.tensors[layer, name] = tensor.reshape(-1, tensor.shape[-1]).float().clone()

    def output(self, module, layer, name):
        module.register_forward_hook(
            lambda _, args, out: self.keep(layer, name, out[0] if isinstance(out, tuple) else out))

    def input(self, module, layer, name):
        module.register_forward_pre_hook(lambda _, args: self.keep(layer, name, args[0]))

    def watch_rotary(self, code):
        """Q and K as they leave the rotary embedding, [1, heads, positions, head_dim]."""
        rotate = code.apply_rotary_pos_emb

        def watched(*args, **kwargs):
            q, k = rotate(*args, **kwargs)
            for name, heads in (("q", q), ("k", k)):
                self.keep(self.layer, name, heads[0].transpose(0, 1).flatten(1))
            return q, k

        code.apply_rotary_pos_emb = watched


@torch.inference_mode()
def read(model, prompt, n_tokens):
    """The ids of the prompt and of its greedy continuation, and what was chosen after each of them."""
    ids = list(prompt)
    while True:
        chosen = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0].argmax(-1).tolist()
        if len(ids) == len(prompt) + n_tokens:
            return ids, chosen
        ids.append(chosen[-1])


def write(path, header, tensors):
    with open(path, "wb") as out:
        lines = ["mie-layers 1", *header, *(f"tensor {layer} {name} {t.shape[1]}" for (layer, name), t in tensors.items()), "end"]
        out.write("".join(line + "\n" for line in lines).encode())
        for tensor in tensors.values():
            out.write(tensor.contiguous().numpy().astype("<f4").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("out")
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--prompt")
    given.add_argument("--ids", help="comma list")
    parser.add_argument("--tokens", type=int, default=8)
    parser.add_argument("--dtype", choices=ARITHMETIC, default="float32")
    options = parser.parse_args()

    path = options.model.resolve()
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=getattr(torch, options.dtype), attn_implementation="eager").eval()
    if options.ids:
        prompt = [int(i) for i in options.ids.split(",")]
    else:
        tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
        prompt = tokenizer(options.prompt, add_special_tokens=False)["input_ids"]
    recorder = Recorder(model)
    ids, chosen = read(model, prompt, options.tokens)
    write(options.out, [f"by transformers {transformers.__version__}, {options.dtype}, eager", f"arithmetic {ARITHMETIC[options.dtype]}",
                        f"prompt {len(prompt)}", "tokens " + " ".join(map(str, ids)), "next " + " ".join(map(str, chosen))],
          recorder.tensors)


if __name__ == "__main__":
    main()
