#include "bench/workload/expand/expand.h"

#include "bench/workload/expand/lengths.h"
#include "bench/workload/expand/outline.h"
#include "bench/workload/expand/prompts.h"

#include <fmt/format.h>

#include <algorithm>

namespace mie::bench {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 28U;  // of all prompts: 1 GiB

enum Lane : std::uint32_t { kCancels, kReadsSlowly };  // of the stream "cancel"

class Expansion {
 public:
  Expansion(const WorkloadSpec& spec, const Inputs& inputs)
      : spec_(spec), cancel_("cancel", spec.seed), prompts_(spec, inputs) {}

  void add_warmup(std::size_t number, const Lengths& lengths) {
    PlannedRequest request;
    request.warmup = true;
    request.session = -1;
    request.turn = static_cast<int>(number);
    add(std::move(request), Phase::kWarmup, number, lengths);
  }

  void add_load(const Slot& slot, std::size_t number, const Lengths& lengths) {
    PlannedRequest request;
    request.warmup = slot.warmup;
    request.session = slot.session;
    request.turn = slot.turn;
    request.intended = slot.intended;
    request.think = slot.think;
    behave(request, number);
    add(std::move(request), Phase::kLoad, number, lengths);
  }

  bool too_large() const { return n_tokens_ > kMostTokens; }
  std::vector<PlannedRequest> take() { return std::move(requests_); }

 private:
  void add(PlannedRequest request, Phase phase, std::size_t number, const Lengths& lengths) {
    request.index = static_cast<int>(requests_.size());
    request.seed = static_cast<std::uint64_t>(spec_.seed) + (spec_.sampling.seed_per_request ? number : 0);
    prompts_.fill(request, phase, number, lengths);
    n_tokens_ += std::ssize(request.prompt) + std::ssize(request.text) / 4;
    requests_.push_back(std::move(request));
  }

  // The shares of clients that go away, and that read slowly.
  void behave(PlannedRequest& request, std::size_t number) const {
    const auto& cancel = spec_.clients.cancel;
    if (cancel && cancel_.uniform(number, kCancels) < cancel->share) {
      if (cancel->after_ms) request.cancel.after = std::chrono::milliseconds(*cancel->after_ms);
      request.cancel.after_tokens = cancel->after_tokens;
    }
    const auto& slow = spec_.clients.slow_reader;
    if (slow && cancel_.uniform(number, kReadsSlowly) < slow->share) request.read_bytes_per_s = slow->bytes_per_s;
  }

  const WorkloadSpec& spec_;
  RandomStream cancel_;
  Prompts prompts_;
  std::vector<PlannedRequest> requests_;
  std::int64_t n_tokens_ = 0;
};

Error too_large() { return {Errc::kConfig, fmt::format("the prompts have more than {} tokens", kMostTokens), ""}; }

}  // namespace

std::span<const PlannedRequest> ExpandedWorkload::before_load() const {
  return std::span(requests).first(requests.size() - load().size());
}

std::span<const PlannedRequest> ExpandedWorkload::load() const {
  const auto first = std::ranges::find_if(requests, [](const PlannedRequest& request) { return request.session >= 0; });
  return std::span(requests).subspan(static_cast<std::size_t>(first - requests.begin()));
}

Result<ExpandedWorkload> expand(const WorkloadSpec& spec, const std::filesystem::path& folder) {
  auto inputs = read_inputs(spec, folder);
  if (inputs.has_error()) return inputs.error();
  const auto slots = outline_of(spec, *inputs);
  if (slots.has_error()) return slots.error();
  const auto n_warmup = static_cast<std::size_t>(spec.warmup.requests);
  const auto warmup_lengths = draw_lengths(spec, *inputs, Phase::kWarmup, n_warmup);
  const auto load_lengths = draw_lengths(spec, *inputs, Phase::kLoad, slots->size());

  Expansion expansion(spec, *inputs);
  for (std::size_t i = 0; i < n_warmup && !expansion.too_large(); ++i) expansion.add_warmup(i, warmup_lengths[i]);
  for (std::size_t i = 0; i < slots->size() && !expansion.too_large(); ++i) expansion.add_load((*slots)[i], i, load_lengths[i]);
  if (expansion.too_large()) return too_large();
  return ExpandedWorkload{.requests = expansion.take(), .files = std::move(inputs->files)};
}

}  // namespace mie::bench
