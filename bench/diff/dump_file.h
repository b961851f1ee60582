// A record as a file, written by `mie diff --save-a` or by another program (tests/golden/model/dump_layers.py does it with
// transformers). Pure functions but for the file; any thread.
//
// Lines of text, each ended by \n, then numbers:
//   mie-layers 1
//   by TEXT                        who made it, for people
//   arithmetic fp32|bf16|w4a8      the coarsest that was used
//   bits TEXT                      optional: sides with the same text give equal bits
//   prompt N                       tokens of the prompt
//   tokens ID ID …                 n of them, by position
//   next ID ID …                   optional: what was chosen after each position, n of them
//   tensor LAYER NAME WIDTH        a line a tensor; LAYER -1: not of a layer; NAME as in models/layer_tap.h
//   end
//   float32, little-endian: [n, WIDTH] of each tensor, in the order of the lines; nothing after them
#pragma once

#include "bench/diff/record.h"
#include "core/base/error.h"

#include <string>

namespace mie::diff {

// Error kConfig: the file cannot be written, or the record lacks a row.
[[nodiscard]] Result<void> write_dump(const Record& record, const std::string& path);

// Error kConfig: not such a file, or damaged: one line with its name and what is wrong.
[[nodiscard]] Result<Record> read_dump(const std::string& path);

}  // namespace mie::diff
