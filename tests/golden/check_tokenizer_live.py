#!/usr/bin/env python3
"""Compares our tokenizer with the reference on random texts. Exits with 1 at the first difference, which it prints.

Usage: check_tokenizer_live.py MODEL.gguf path/to/tokenize_cli [--seed N] [--texts N]
       (pip install tokenizers==0.23.3 gguf==0.19.0)
"""

import argparse
import base64
import random
import subprocess
import sys

from reference_tokenizer import ReferenceTokenizer

# First and last code point of what a text is drawn from; short ranges near each other make interesting neighbours.
BLOCKS = [
    (0x20, 0x7E), (0x61, 0x7A), (0x30, 0x39), (0x00, 0x1F), (0x80, 0xFF), (0x100, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5FF),
    (0x600, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x1680, 0x1C8F), (0x2000, 0x206F), (0x2070, 0x218F), (0x2200, 0x27BF), (0x3000, 0x30FF),
    (0x4E00, 0x9FFF), (0xA640, 0xA7FF), (0xAC00, 0xD7A3), (0xE000, 0xE0FF), (0xFB00, 0xFDFF), (0xFE00, 0xFFFF), (0x10000, 0x10FFF), (0x11000, 0x11FFF),
    (0x13000, 0x143FF), (0x16000, 0x16FFF), (0x1B000, 0x1B2FF), (0x1CC00, 0x1DFFF), (0x1E000, 0x1E9FF), (0x1F000, 0x1FAFF), (0x20000, 0x323AF), (0xE0000, 0xE01EF), (0x10000, 0x10FFFF),
]
PIECES = [" ", "  ", "    ", "\n", "\r\n", "\t", "'s", "'t", "'re", "'ve", "'LL", "'d", "the", " and", "ing", "1", "42", "...", "<|im_start|>", "<|im_end|>", "<|endoftext|>",
          "<|im_", "end|>", "<file_sep>", "\u200d", "\ufe0f", "\u00a0", "()", "{}", "==", "def ", "return", "a" * 40, " " * 33]


def random_text(rng: random.Random) -> bytes:
    parts = []
    blocks = rng.sample(BLOCKS, rng.randint(1, 4))
    for _ in range(rng.randint(0, 40)):
        kind = rng.random()
        if kind < 0.25:
            parts.append(rng.choice(PIECES).encode())
        elif kind < 0.30:
            parts.append(bytes([rng.randrange(256)]))
        else:
            first, last = rng.choice(blocks)
            code_points = (rng.randint(first, last) for _ in range(rng.randint(1, 8)))
            parts.append("".join(chr(c) for c in code_points if not 0xD800 <= c < 0xE000).encode())
    return b"".join(parts)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("model")
    arguments.add_argument("tokenize_cli")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--texts", type=int, default=5000)
    options = arguments.parse_args()
    rng = random.Random(options.seed)
    texts = [random_text(rng) for _ in range(options.texts)]
    lines = b"".join(base64.b64encode(text) + b"\n" for text in texts)
    ours = subprocess.run([options.tokenize_cli, options.model], input=lines, stdout=subprocess.PIPE, check=True, timeout=300).stdout
    reference = ReferenceTokenizer(options.model)
    answers = ours.decode().split("\n")[:-1]
    assert len(answers) == len(texts), f"{len(answers)} answers to {len(texts)} texts"
    for text, answer in zip(texts, answers):
        expected = reference.encode(text)
        if [int(i) for i in answer.split()] != expected:
            sys.exit(f"text     {text!r}\nours     {answer}\nexpected {' '.join(map(str, expected))}")
    print(f"{len(texts)} texts, seed {options.seed}: equal")


if __name__ == "__main__":
    main()
