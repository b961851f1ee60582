#!/usr/bin/env python3
"""Writes tokenizer/smollm2.jsonl: one {"group", "text" (base64), "ids"} a line, ids by the reference tokenizer.

Usage: make_tokenizer_golden.py MODEL.gguf     (pip install tokenizers==0.23.3 gguf==0.19.0)
"""

import base64
import json
import pathlib
import sys

from reference_tokenizer import ReferenceTokenizer
from tokenizer.texts import GROUPS

reference = ReferenceTokenizer(sys.argv[1])
out = pathlib.Path(__file__).parent / "tokenizer" / "smollm2.jsonl"
with out.open("w") as file:
    for group, texts in GROUPS.items():
        for text in texts:
            raw = text if isinstance(text, bytes) else text.encode()
            row = {"group": group, "text": base64.b64encode(raw).decode(), "ids": reference.encode(raw)}
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
