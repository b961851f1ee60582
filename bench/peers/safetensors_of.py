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
model.hf_quantizer = None  # dense from here on, though transformers would not save it as long as it remembers the file
model.to(torch.bfloat16).save_pretrained(folder)
AutoTokenizer.from_pretrained(**where).save_pretrained(folder)
