// From `--model` to everything that serves it: tokenizer, template, runner, KV geometry. Runs on the loading thread;
// whoever called it owns the result.
#pragma once

#include "core/base/clock.h"
#include "models/layer_tap.h"
#include "models/model_runner.h"
#include "server/api/served_model.h"
#include "server/config.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mie {

struct LoadedModel {
  api::ServedModel served;
  std::unique_ptr<ModelRunner> runner;
  int n_blocks = 0;
  int block_size = 0;                    // tokens
  std::chrono::nanoseconds row_time{0};  // of a step of many rows, as the self-check measured it
};

// A phase ("open", "pack", "kv", "self_check") took so many seconds.
using LoadPhases = std::function<void(std::string_view phase, double seconds)>;

// `tap`: sees every tensor of every step of the runner, those of the self-check too, and must outlive it. A fake model has
// none to show.
// Errors: kModelFormat, kConfig; one line that names the file or the flag.
Result<LoadedModel> load_model(const Config& config, const Clock& clock, const LoadPhases& phase, LayerTap* tap = nullptr);

}  // namespace mie
