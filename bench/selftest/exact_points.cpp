#include "bench/compat/python_random.h"
#include "bench/kv/capacity.h"
#include "bench/kv/oracles.h"
#include "bench/selftest/points.h"
#include "bench/steps/six_requests.h"
#include "bench/workload/expand/expand.h"
#include "bench/workload/spec/workload_spec.h"
#include "core/base/file_digest.h"
#include "models/fake_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>
#include <string_view>

namespace mie::bench {
namespace {

constexpr int kPoint = 12;
constexpr int kFakeVocab = 1000;

// conf/workloads/mixed.toml as far as it decides the lengths.
constexpr const char* kMixed = R"(
schema = "mie.workload/1"
name = "mixed"
seed = 2026
compat = "python"
requests = { count = 32 }
arrival = { law = "burst" }
[prompt]
length = { dist = "empirical", values = [32, 64, 128, 256, 512] }
[output]
length = { dist = "empirical", values = [32, 64, 128, 256] }
)";

constexpr std::string_view kMixedSha256 = "96845f1eaf18018d061679e6e8b5dc418b333dceeb917ce37bece0381af34b3a";

SelfTestPoint equal(std::string check, std::string figure, std::string wanted) {
  const bool same = figure == wanted;
  return {.number = kPoint, .check = std::move(check), .figure = std::move(figure), .limit = std::move(wanted), .passed = same};
}

SelfTestPoint words_of_the_generator() {
  PythonRandom random(2026);
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = random.word();
  const bool right = words == std::array<std::uint32_t, 4>{511616025, 1372175472, 2158288730, 4085985276};
  return equal("compat generator, seed 2026: first four words",
               right ? "as published" : fmt::format("{}", fmt::join(words, " ")), "as published");
}

SelfTestPoints mixed_lengths() {
  const auto document = parse_document(kMixed, "mixed");
  const auto spec = document.has_error() ? Result<WorkloadSpec>(document.error()) : read_spec(*document);
  const auto list = spec.has_error() ? Result<ExpandedWorkload>(spec.error()) : expand(*spec, {});
  if (list.has_error()) return {equal("compat list mixed", list.error().message, "a list")};
  std::size_t prompt = 0;
  std::int64_t output = 0;
  std::string pairs;
  for (const PlannedRequest& request : list->requests) {
    prompt += request.prompt.size();
    output += request.output_tokens;
    fmt::format_to(std::back_inserter(pairs), "{}{}:{}", pairs.empty() ? "" : ",", request.prompt.size(),
                   request.output_tokens);
  }
  const std::string sha256 = sha256_of(std::as_bytes(std::span(pairs)));
  return {equal("compat list mixed: prompt and output tokens", fmt::format("{} {}", prompt, output), "8000 4576"),
          equal("compat list mixed: SHA-256 of its pairs", sha256 == kMixedSha256 ? "as published" : sha256, "as published")};
}

SelfTestPoints kv_figures() {
  const auto lists = kv_length_lists(kKvSeed);
  int n_lists = 0, n_rows = 0, n_wanted = 0;
  for (const LengthList& list : lists) {
    n_lists += list_exact(list) ? 1 : 0;
    for (const int block_size : kKvBlockSizes) {
      const auto row = capacity_row(list, block_size, ResidentMode::kOff);
      n_rows += row.has_value() && capacity_exact(*row) && row->ways_agree() ? 1 : 0;
      ++n_wanted;
    }
  }
  return {equal("compat lists of KV lengths: sums and SHA-256", fmt::format("{} of {}", n_lists, lists.size()), "3 of 3"),
          equal("KV capacity and waste by block size, all columns, on the live pool too",
                fmt::format("{} of {} rows", n_rows, n_wanted), "33 of 33 rows")};
}

SelfTestPoint step_counts() {
  FakeRunner runner({.n_vocab = kFakeVocab}, kSixBlocks, kSixBlockSize);
  const auto wrong = wrong_six_request_counts(runner, kFakeVocab, {false, true});
  return equal("six requests: forwards, rows and steps of each policy and cap",
               wrong.empty() ? "as published" : fmt::format("{} wrong; {}", wrong.size(), wrong.front()), "as published");
}

}  // namespace

SelfTestPoints check_exact_figures() {
  SelfTestPoints out = {words_of_the_generator()};
  for (const SelfTestPoints& some : {mixed_lengths(), kv_figures(), SelfTestPoints{step_counts()}})
    out.insert(out.end(), some.begin(), some.end());
  return out;
}

}  // namespace mie::bench
