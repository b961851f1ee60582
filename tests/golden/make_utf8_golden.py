#!/usr/bin/env python3
"""Writes utf8/replace.txt: "input output" in hexadecimal a line ("-" for nothing); the output is what Python's decoder makes
of the input with errors="replace": one U+FFFD for each maximal subpart of a broken sequence."""

import itertools
import pathlib
import random

# Ends of the ranges in the table of well-formed UTF-8 byte sequences (Unicode, table 3-7).
EDGES = bytes.fromhex("00 41 7F 80 8F 90 9F A0 BF C0 C1 C2 DF E0 E1 EC ED EE EF F0 F1 F3 F4 F5 FF")
VALID = [c.encode() for c in ("z", "é", "\u07ff", "\u0800", "€", "\ud7ff", "\ue000", "\uffff", "\U00010000", "😀", "\U0010ffff")]


def inputs():
    yield from (bytes([b]) for b in range(256))
    yield from map(bytes, itertools.product(EDGES, repeat=2))
    rng = random.Random(3)
    for _ in range(600):
        yield bytes(rng.choice(EDGES) for _ in range(rng.randint(3, 12)))
    for _ in range(600):  # whole characters, some cut
        parts = (rng.choice(VALID) for _ in range(rng.randint(2, 6)))
        yield b"".join(part[rng.randint(0, 1) * rng.randint(0, 3) :] if rng.random() < 0.3 else part[: rng.choice([4, 4, 3, 2, 1])] for part in parts)


out = pathlib.Path(__file__).parent / "utf8" / "replace.txt"
out.parent.mkdir(exist_ok=True)
with out.open("w") as file:
    for raw in inputs():
        file.write(f"{raw.hex() or '-'} {raw.decode('utf-8', 'replace').encode().hex() or '-'}\n")
