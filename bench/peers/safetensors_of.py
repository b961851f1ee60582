"""GGUF file -> folder with its dequantised weights as BF16 safetensors, configuration and tokenizer, as transformers reads it.

    python safetensors_of.py MODEL.gguf FOLDER      in the venv of vLLM
"""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

source, folder = Path(sys.argv[1]), sys.argv[2]
where = {"pretrained_model_name_or_path": str(source.parent), "gguf_file": source.name}
model = AutoModelForCausalLM.from_pretrained(**where, quantization_config=GgufConfig(dequantize=True), dtype=torch.float32)
# Dense from here on: what is left of the quantised file would keep it from being saved, and vLLM from reading it.
model.hf_quantizer = None
del model.config.quantization_config
model.to(torch.bfloat16).save_pretrained(folder)
AutoTokenizer.from_pretrained(**where).save_pretrained(folder)
