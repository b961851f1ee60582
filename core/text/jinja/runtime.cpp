#include "core/text/jinja/runtime.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/try.h"

#include <string>

namespace mie::jinja {
namespace {

constexpr std::int64_t kStepsPerClock = 256;  // reading the clock costs about as much as a step

}  // namespace

Runtime::Runtime(const RenderLimits& limits, const Clock& clock, std::int64_t now_unix_seconds)
    : limits_(limits),
      clock_(clock),
      now_unix_seconds_(now_unix_seconds),
      deadline_(clock.now() + limits.time),
      n_steps_left_(limits.n_steps),
      n_until_clock_(kStepsPerClock) {}

Result<void> Runtime::look_at_budget() {
  if (n_steps_left_ < 0)
    return limit_exceeded("the chat template takes more than " + std::to_string(limits_.n_steps) + " steps");
  n_until_clock_ = kStepsPerClock;
  if (clock_.now() < deadline_) return {};
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limits_.time).count();
  return limit_exceeded("the chat template takes longer than " + std::to_string(ms) + " ms");
}

Result<void> Runtime::check_nesting() const {
  if (n_calls_deep_ <= limits_.n_calls_deep && n_nodes_deep_ <= limits_.n_nodes_deep) return {};
  return limit_exceeded("the chat template nests calls more than " + std::to_string(limits_.n_calls_deep) + " deep");
}

Result<void> Runtime::text(std::size_t n_bytes, std::size_t n_already) {
  if (n_bytes > limits_.output_bytes || n_already > limits_.output_bytes - n_bytes)
    return limit_exceeded("the chat template makes a text of more than " + std::to_string(limits_.output_bytes) + " bytes");
  n_text_bytes_ += n_bytes;
  if (n_text_bytes_ > limits_.text_bytes)
    return limit_exceeded("the chat template makes more than " + std::to_string(limits_.text_bytes) + " bytes of text");
  return scan(n_bytes);
}

Result<Value> Runtime::container(Value made) const {
  // Data from a request may already be as deep as JSON may be; what the template puts around it comes on top.
  constexpr int kTimes = 2;
  if (made.depth() > kTimes * limits_.n_calls_deep) return limit_exceeded("the chat template nests containers too deeply");
  return made;
}

}  // namespace mie::jinja
