#!/usr/bin/env python3
"""Writes tokenizer/classes.txt: ranges of code points by the class that the reference pre-tokenizer `smollm` gives them,
one "class first last" a line (hexadecimal); what no line names is "other".

Usage: make_character_classes.py     (pip install tokenizers==0.23.3)
"""

import pathlib

from tokenizers import Regex, pre_tokenizers

SEPARATOR = "\x01"  # of none of the classes
CLASSES = {
    "letter": pre_tokenizers.Split(Regex(r"\p{L}"), "isolated"),
    "number": pre_tokenizers.Digits(individual_digits=True),
    "space": pre_tokenizers.Split(Regex(r"\s"), "isolated"),
}


def members(splitter):
    for first in range(0, 0x110000, 0x800):
        if first == 0xD800:  # surrogates
            continue
        text = SEPARATOR + SEPARATOR.join(map(chr, range(first, first + 0x800))) + SEPARATOR
        yield from (ord(piece) for piece, _ in splitter.pre_tokenize_str(text) if len(piece) == 1 and piece != SEPARATOR)


def ranges(code_points):
    first = last = None
    for code_point in code_points:
        if last is not None and code_point == last + 1:
            last = code_point
            continue
        if first is not None:
            yield first, last
        first = last = code_point
    yield first, last


out = pathlib.Path(__file__).parent / "tokenizer" / "classes.txt"
with out.open("w") as file:
    for name, splitter in CLASSES.items():
        for first, last in ranges(members(splitter)):
            file.write(f"{name} {first:X} {last:X}\n")
