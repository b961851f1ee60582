#include "server/self_check.h"

#include "core/base/log.h"

#include <chrono>
#include <cmath>

namespace mie {
namespace {

Error failed(const std::string& what) { return {Errc::kModelFormat, "self-check failed: " + what, ""}; }

bool tokenizer_round_trips(const Tokenizer& tokenizer) {
  constexpr std::string_view kText = "Hello, world 42\n";
  std::string back;
  for (const TokenId id : tokenizer.encode(kText)) back += tokenizer.token_bytes(id);
  return back == kText;
}

StepBatch one_token_step(std::int32_t token) {
  StepBatch batch;
  batch.tokens = {token};
  batch.positions = {0};
  batch.row_starts = {0, 1};
  batch.block_tables = {0};
  batch.max_blocks = 1;
  batch.logits_rows = {0};
  return batch;
}

}  // namespace

std::optional<Error> self_check(LoadedModel& model, const Clock& clock) {
  const Tokenizer& tokenizer = *model.served.tokenizer;
  if (!tokenizer_round_trips(tokenizer)) return failed("the tokenizer does not give a text back");
  SamplingRow row;
  row.temperature = 0;
  row.n_top_logprobs = 0;
  row.position = 1;
  const auto first = tokenizer.encode("a");
  const auto began = clock.now();
  try {
    Sampled sampled;
    model.runner->run(one_token_step(first.front().value()), {&row, 1}, {&sampled, 1});
    if (!std::isfinite(sampled.logprob)) return failed("a log-probability is not finite");
  } catch (const std::exception& error) {
    return failed(error.what());
  }
  const std::chrono::duration<double, std::milli> took = clock.now() - began;
  logger("model")->info("self_check step_ms={:.2f}", took.count());
  return {};
}

}  // namespace mie
