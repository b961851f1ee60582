#include "server/self_check.h"

#include "core/base/log.h"
#include "models/native/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace mie {
namespace {

constexpr int kManyRows = 64;

Error failed(const std::string& what) { return {Errc::kModelFormat, "self-check failed: " + what, ""}; }

bool tokenizer_round_trips(const Tokenizer& tokenizer) {
  constexpr std::string_view kText = "Hello, world 42\n";
  std::string back;
  for (const TokenId id : tokenizer.encode(kText)) back += tokenizer.token_bytes(id);
  return back == kText;
}

// The token at positions 0 … n - 1 of a sequence in the first blocks.
StepBatch step_of(std::int32_t token, int n, int block_size) {
  StepBatch batch;
  for (int position = 0; position < n; ++position) {
    batch.tokens.push_back(token);
    batch.positions.push_back(position);
  }
  for (int block = 0; block * block_size < n; ++block) batch.block_tables.push_back(block);
  batch.max_blocks = static_cast<std::int32_t>(batch.block_tables.size());
  batch.row_starts = {0, n};
  batch.logits_rows = {n - 1};
  return batch;
}

// Time of a step that samples after so many rows. Throws ModelStepError when the answer is not finite.
Clock::duration timed_step(LoadedModel& model, const Clock& clock, TokenId token, int n_rows) {
  SamplingRow row;
  row.temperature = 0;
  row.n_top_logprobs = 0;
  row.position = n_rows;
  const StepBatch batch = step_of(token.value(), n_rows, model.block_size);
  Sampled sampled;
  const auto began = clock.now();
  model.runner->run(batch, {&row, 1}, {&sampled, 1});
  if (!std::isfinite(sampled.logprob)) throw ModelStepError("a log-probability is not finite");
  return clock.now() - began;
}

}  // namespace

std::optional<Error> self_check(LoadedModel& model, const Config& config, const Clock& clock) {
  const Tokenizer& tokenizer = *model.served.tokenizer;
  if (!tokenizer_round_trips(tokenizer)) return failed("the tokenizer does not give a text back");
  const TokenId token = tokenizer.encode("a").front();
  const int n_rows = std::min({kManyRows, config.max_num_batched_tokens, model.served.max_model_len});
  const native::KeptAffinity unpinned_after;  // a step pins its thread, which is not the engine's here
  try {
    timed_step(model, clock, token, 1);  // the first touches memory; its time says nothing
    const Clock::duration one = timed_step(model, clock, token, 1);
    const Clock::duration many = timed_step(model, clock, token, n_rows);
    model.row_time = many / n_rows;
    const auto ms = [](Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); };
    logger("model")->info("self_check step_ms={:.2f} rows={} rows_ms={:.2f}", ms(one), n_rows, ms(many));
  } catch (const std::exception& error) {
    return failed(error.what());
  }
  return {};
}

}  // namespace mie
