#!/usr/bin/env python3
"""Fails when an innermost loop of a hot kernel keeps vector registers on the stack.

    spill_check.py OBJDUMP OBJECT... [--planted]

OBJECT: the compiled kernel units. A spill there costs up to half of the speed and no other test would see it. A loop is a
backward jump within a function; it is innermost when it holds no other. A broadcast of four bytes from the stack is data,
not a spill, and does not count. --planted: succeeds only when every object has a spill, to show that this check finds one.
"""
import argparse
import re
import subprocess
import sys

HOT = re.compile(r"\b(tile_\w+|attend_rows|attend_\w+_amx)\b")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
JUMP_TARGET = re.compile(r"^0x([0-9a-f]+)")
SPILL = re.compile(r"[yz]mmword ptr \[(rsp|rbp)\b")


def functions(objdump, path):
    """Yields (name, [(address, mnemonic, operands)])."""
    command = [objdump, "-d", "-C", "--no-show-raw-insn", "--x86-asm-syntax=intel", path]
    name, body = None, []
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        if found := FUNCTION.match(line):
            if name:
                yield name, body
            name, body = found[1], []
        elif found := INSTRUCTION.match(line):
            body.append((int(found[1], 16), found[2], found[3]))
    if name:
        yield name, body


def innermost_loops(body):
    first = body[0][0]
    loops = set()
    for address, mnemonic, operands in body:
        target = JUMP_TARGET.match(operands) if mnemonic.startswith("j") else None
        if target and first <= int(target[1], 16) <= address:
            loops.add((int(target[1], 16), address))
    return [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]


def spills(body):
    loops = innermost_loops(body)
    return [
        f"{address:x}: {mnemonic} {operands}"
        for address, mnemonic, operands in body
        if SPILL.search(operands) and any(begin <= address <= end for begin, end in loops)
    ], len(loops)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("objdump")
    parser.add_argument("objects", nargs="+")
    parser.add_argument("--planted", action="store_true")
    arguments = parser.parse_args()
    failed = False
    for path in arguments.objects:
        n_hot, n_bad = 0, 0
        for name, body in functions(arguments.objdump, path):
            if not HOT.search(name):
                continue
            found, n_loops = spills(body)
            n_hot += n_loops > 0
            if found:
                n_bad += 1
                print(f"{path}: {name.split('(std::')[0].split('(mie')[0]}: {len(found)} in an inner loop, first {found[0]}")
        if n_hot == 0:
            sys.exit(f"{path}: no hot kernel with a loop was found")
        print(f"{path}: {n_hot} kernels with loops, {n_bad} with spills")
        failed = failed or (n_bad > 0) != arguments.planted
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
