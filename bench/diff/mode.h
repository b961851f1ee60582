// A side of a comparison as the command line spells it:
//
//   MODE     = BACKEND ["," KEY "=" VALUE]… | "dump:" FILE
//   BACKEND  = native | torch
//   KEY      = a setting of mie serve: isa, kernels, attn, compute, dtype, kv-dtype, threads, block-size
//            | kv=paged|contiguous|none   (none: no cache, every step computes the whole sequence)
//            | chunk=N                    (prompt tokens in a step)
//            | batch=N                    (sequences in a step)
//
// Values; any thread.
#pragma once

#include "bench/diff/drive.h"
#include "core/base/error.h"
#include "server/config.h"

#include <string>

namespace mie::diff {

inline constexpr const char* kModeHelp =
    "native or torch, then ,KEY=VALUE for what differs from the defaults: isa, kernels, attn, compute, dtype, kv-dtype, "
    "threads, block-size as in mie serve; kv=paged|contiguous|none; chunk=N prompt tokens in a step; batch=N sequences in a "
    "step. Or dump:FILE";

struct Mode {
  std::string dump{};         // file; not empty: the rest says nothing
  Config config{};            // settings of `base`, changed by the keys
  Arrangement arrangement{};  // its block size is known once the model is loaded
};

// Error kConfig: what is wrong, with the mode.
[[nodiscard]] Result<Mode> parse_mode(const std::string& text, const Config& base);

}  // namespace mie::diff
