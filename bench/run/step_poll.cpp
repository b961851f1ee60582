#include "bench/run/step_poll.h"

#include "bench/load/stamp_clock.h"
#include "core/base/clock.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <utility>

namespace mie::bench {
namespace {

using simdjson::dom::element;

constexpr std::chrono::milliseconds kEvery{500};
constexpr int kMore = 64;  // steps asked for beyond those that are known to be new

std::int64_t number_of(element object, std::string_view name) {
  std::int64_t value = 0;
  return object[name].get(value) == simdjson::SUCCESS ? value : 0;  // what is not the case is not written
}

int count_of(element object, std::string_view name) { return static_cast<int>(number_of(object, name)); }

void add_sequences(element step, StepLine& line) {
  simdjson::dom::array sequences;
  if (step["sequences"].get(sequences) != simdjson::SUCCESS) return;
  for (const element one : sequences) {
    const std::int64_t n = number_of(one, "n");
    const std::int64_t rejected = number_of(one, "drafts") - number_of(one, "accepted");
    line.n_decoding += n - rejected - number_of(one, "prefill") - number_of(one, "recompute") > 0 ? 1 : 0;
    line.context += context_of(number_of(one, "first"), n);
  }
}

StepLine line_of(element step, std::int64_t shift_ns) {
  StepLine line;
  line.number = number_of(step, "step");
  line.begin_ns = number_of(step, "begin_ns") + shift_ns;
  line.plan_ns = number_of(step, "plan_ns");
  line.run_ns = number_of(step, "run_ns");
  line.commit_ns = number_of(step, "commit_ns");
  line.n_rows = count_of(step, "rows");
  line.n_seqs = count_of(step, "seqs");
  line.n_prefill = count_of(step, "prefill");
  line.n_recompute = count_of(step, "recompute");
  line.n_decode = count_of(step, "decode");
  line.n_rejected = count_of(step, "drafts_rejected");
  line.n_blocks_taken = count_of(step, "blocks_taken");
  line.n_blocks_used = count_of(step, "blocks_used");
  line.n_blocks_free = count_of(step, "blocks_free");
  line.n_evicted = count_of(step, "evicted");
  add_sequences(step, line);
  return line;
}

// Of the last step that was committed; nothing: no such answer.
std::optional<std::int64_t> newest(const std::string& json) {
  simdjson::dom::parser parser;
  element root;
  simdjson::dom::array data;
  if (parser.parse(json).get(root) != simdjson::SUCCESS || root["data"].get(data) != simdjson::SUCCESS) return {};
  std::int64_t number = 0;
  for (const element step : data) number = std::max(number, number_of(step, "step"));
  return number;
}

}  // namespace

bool add_steps(const std::string& json, std::int64_t shift_ns, std::int64_t& seen, LoadSteps& steps) {
  simdjson::dom::parser parser;
  element root;
  simdjson::dom::array data;
  if (parser.parse(json).get(root) != simdjson::SUCCESS || root["data"].get(data) != simdjson::SUCCESS) return false;
  for (const element step : data) {
    const StepLine line = line_of(step, shift_ns);
    if (line.number <= seen) continue;
    steps.n_lost += line.number - seen - 1;
    seen = line.number;
    steps.add(line);
  }
  return true;
}

StepPoll::StepPoll(const ServerAddress& server, HeaderFields fields, std::int64_t zero_ns)
    : server_(server),
      fields_(std::move(fields)),
      shift_ns_(stamp_ns() - SystemClock().now().time_since_epoch().count() - zero_ns) {
  const auto answer = fetch(server_, boost::beast::http::verb::get, "/debug/steps?last=1", fields_);
  const auto last = answer.has_value() && answer->status == 200 ? newest(answer->body) : std::nullopt;
  tells_ = last.has_value();
  if (!tells_) return;
  seen_ = *last;
  thread_ = std::jthread([this](const std::stop_token& stop) { poll(stop); });
}

std::optional<LoadSteps> StepPoll::end() {
  if (!tells_) return {};
  thread_.request_stop();
  thread_.join();
  if (!look()) return {};
  return std::move(steps_);
}

void StepPoll::poll(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any ended;
  while (!stop.stop_requested()) {
    std::unique_lock held(mutex);
    if (ended.wait_for(held, stop, kEvery, [] { return false; }) || stop.stop_requested()) return;
    held.unlock();
    look();
  }
}

// How many are new is asked first, so that a slow server is not made to write its whole ring.
bool StepPoll::look() {
  const auto ask = [this](std::int64_t n) {
    const auto answer = fetch(server_, boost::beast::http::verb::get, fmt::format("/debug/steps?last={}", n), fields_);
    return answer.has_value() && answer->status == 200 ? answer->body : std::string();
  };
  const auto last = newest(ask(1));
  if (!last) return false;
  return *last <= seen_ || add_steps(ask(*last - seen_ + kMore), shift_ns_, seen_, steps_);
}

}  // namespace mie::bench
