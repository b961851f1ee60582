#include "bench/workload/trace/captured_trace.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace mie::bench {
namespace {

// Numbers for blocks, in the order in which they are first seen.
class Blocks {
 public:
  explicit Blocks(int size) : size_(static_cast<std::size_t>(size)) {}

  std::vector<std::int64_t> of(std::span<const TokenId> prompt) {
    std::vector<std::int64_t> out;
    out.reserve(prompt.size() / size_);
    std::int64_t before = -1;
    for (; prompt.size() >= size_; prompt = prompt.subspan(size_)) {
      const auto tokens = prompt.first(size_);
      const auto next = static_cast<std::int64_t>(numbers_.size());
      before = numbers_.try_emplace({before, {tokens.begin(), tokens.end()}}, next).first->second;
      out.push_back(before);
    }
    return out;
  }

 private:
  std::size_t size_;
  std::map<std::pair<std::int64_t, std::vector<TokenId>>, std::int64_t> numbers_;
};

std::unordered_map<RequestId, int> answer_lengths(const Record& record) {
  std::unordered_map<RequestId, int> lengths;
  for (const RecordEvent& event : record.events)
    if (event.kind == RecordEvent::Kind::kEnded) lengths[event.id] = static_cast<int>(event.tokens.size());
  return lengths;
}

}  // namespace

Trace captured_trace(const Record& record, int block) {
  const auto lengths = answer_lengths(record);
  std::vector<std::pair<std::int64_t, const RecordEvent*>> taken;
  for (const RecordEvent& event : record.events) {
    const auto length = lengths.find(event.id);
    if (event.kind != RecordEvent::Kind::kTaken || length == lengths.end() || length->second == 0) continue;
    taken.emplace_back(event.request->arrival.time_since_epoch().count(), &event);
  }
  std::ranges::sort(taken);  // of one instant by their place in the recording
  Blocks blocks(block);
  Trace trace;
  trace.rows.reserve(taken.size());
  for (const auto& [at_ns, event] : taken)
    trace.rows.push_back({.t_ns = at_ns - taken.front().first,
                          .prompt_tokens = static_cast<int>(event->request->prompt.size()),
                          .output_tokens = lengths.at(event->id),
                          .prefix_hash = blocks.of(event->request->prompt),
                          .session = {}});
  return trace;
}

}  // namespace mie::bench
