#!/usr/bin/env python3
"""Writes dequant.txt: stored bytes and the numbers they mean, by the reference Python package of the GGUF format.

    pip install gguf numpy && python3 make_dequant_golden.py > dequant.txt

A line is: format, bytes in hex, fp32 values in hex (little-endian), 32 of them. Inputs are seeded random blocks, and
blocks whose fp16 fields are zero, subnormal, the smallest normal and the largest, of both signs. No infinities: what
0 * inf gives is up to the machine.
"""
import numpy as np
from gguf import GGMLQuantizationType, dequantize

EDGE_HALVES = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x7BFF, 0xFBFF]
N_SCALES = {"Q4_0": 1, "Q4_1": 2, "Q8_0": 1}  # fp16 fields at the start of a block
BLOCK_BYTES = {"Q4_0": 18, "Q4_1": 20, "Q8_0": 34, "F32": 128, "F16": 64, "BF16": 64}
N_RANDOM = 6


def finite_halves(rng, n):
    halves = rng.integers(0, 1 << 16, size=n, dtype=np.uint16)
    return np.where((halves & 0x7C00) == 0x7C00, halves & 0xBFFF, halves).astype(np.uint16)


def blocks(name, rng):
    for i in range(N_RANDOM + len(EDGE_HALVES)):
        block = rng.integers(0, 256, size=BLOCK_BYTES[name], dtype=np.uint8)
        n_scales = N_SCALES.get(name, 0)
        if n_scales:
            scales = finite_halves(rng, n_scales)
            if i >= N_RANDOM:
                edge = i - N_RANDOM
                scales = np.array([EDGE_HALVES[edge], EDGE_HALVES[-1 - edge]][:n_scales], dtype=np.uint16)
            block[: 2 * n_scales] = scales.view(np.uint8)
        elif name == "F32":
            words = block.view(np.uint32)
            words[(words & 0x7F800000) == 0x7F800000] &= 0xBFFFFFFF
        else:
            block[:] = finite_halves(rng, 32).view(np.uint8)
            if name == "BF16":
                halves = block.view(np.uint16)
                halves[(halves & 0x7F80) == 0x7F80] &= 0xBFFF
            if i == N_RANDOM:
                block.view(np.uint16)[: len(EDGE_HALVES)] = EDGE_HALVES
        yield block


for name in BLOCK_BYTES:
    for block in blocks(name, np.random.default_rng(20240607)):
        values = dequantize(block, GGMLQuantizationType[name]).astype(np.float32)
        assert values.size == 32 and np.isfinite(values).all()
        print(name, block.tobytes().hex(), values.astype("<f4").tobytes().hex())
