#include "models/fake_runner.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <utility>

namespace mie {
namespace {

constexpr std::uint64_t kSeed = 0x6d69652066616b65;  // start of every history's hash
constexpr float kForced = 100;                       // a bias from here on decides, and from minus this on forbids

// The finaliser of MurmurHash3 over a running state: every bit of the history reaches every bit of the hash.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

std::uint64_t mix(std::uint64_t hash, std::int32_t token) { return mix(hash, static_cast<std::uint64_t>(std::int64_t{token})); }

bool allowed(const FakeOptions& options, const SamplingRow& row, TokenId token) {
  if (std::find(row.banned.begin(), row.banned.end(), token) != row.banned.end()) return false;
  if (options.eos == token) return false;  // has its own draw
  return std::none_of(row.logit_bias.begin(), row.logit_bias.end(),
                      [&](const LogitBias& entry) { return entry.token == token && entry.bias <= -kForced; });
}

std::optional<TokenId> forced(const SamplingRow& row) {
  for (const LogitBias& entry : row.logit_bias) {
    const bool banned = std::find(row.banned.begin(), row.banned.end(), entry.token) != row.banned.end();
    if (entry.bias >= kForced && !banned) return entry.token;
  }
  return {};
}

bool draws_eos(const FakeOptions& options, const SamplingRow& row, std::uint64_t hash) {
  if (!options.eos || std::find(row.banned.begin(), row.banned.end(), *options.eos) != row.banned.end()) return false;
  const bool forbidden = std::any_of(row.logit_bias.begin(), row.logit_bias.end(), [&](const LogitBias& entry) {
    return entry.token == *options.eos && entry.bias <= -kForced;
  });
  return !forbidden && mix(hash, std::uint64_t{1}) % 1000 < static_cast<std::uint64_t>(options.eos_per_mille);
}

// The k-th allowed token from where the hash points, wrapping around.
TokenId candidate(const FakeOptions& options, const SamplingRow& row, std::uint64_t hash, int k) {
  const auto n_vocab = static_cast<std::uint64_t>(options.n_vocab);
  const std::uint64_t start = hash % n_vocab;
  for (std::uint64_t i = 0; i < n_vocab; ++i) {
    const TokenId token(static_cast<std::int32_t>((start + i) % n_vocab));
    if (allowed(options, row, token) && k-- == 0) return token;
  }
  throw ModelStepError("no token is left to sample");
}

// Of the sampling parameters it knows banned, biases of ±100 and, with a temperature, (seed, position).
Sampled sample(const FakeOptions& options, const SamplingRow& row, std::uint64_t history) {
  std::uint64_t hash = history;
  if (row.temperature > 0) hash = mix(mix(hash, row.seed), static_cast<std::uint64_t>(row.position));
  Sampled sampled;
  if (const auto token = forced(row)) {
    sampled.token = *token;
  } else if (draws_eos(options, row, hash)) {
    sampled.token = *options.eos;
  } else {
    sampled.token = candidate(options, row, hash, 0);
  }
  if (row.n_top_logprobs >= 0) sampled.logprob = -0.5F;
  for (int k = 0; k < row.n_top_logprobs; ++k) {
    const TokenId token = k == 0 ? sampled.token : candidate(options, row, hash, k);
    sampled.top.push_back({.token = token, .logprob = -0.5F - static_cast<float>(k)});
  }
  return sampled;
}

// The distribution behind a known token: one from where the hash points has -0.5, each further one 1 less, EOS nothing at all.
Sampled score(const FakeOptions& options, const SamplingRow& row, std::uint64_t history) {
  const auto n_vocab = static_cast<std::uint64_t>(options.n_vocab);
  const std::uint64_t start = history % n_vocab;
  const auto place = [&](TokenId token) { return (static_cast<std::uint64_t>(token.value()) + n_vocab - start) % n_vocab; };
  Sampled sampled{.token = *row.score, .logprob = -std::numeric_limits<float>::infinity(), .top = {}, .rank = options.n_vocab};
  if (options.eos != *row.score) {
    const bool after_eos = options.eos && place(*row.score) > place(*options.eos);
    const auto n_better = static_cast<std::int32_t>(place(*row.score)) - (after_eos ? 1 : 0);
    sampled.logprob = -0.5F - static_cast<float>(n_better);
    sampled.rank = 1 + n_better;
  }
  for (int k = 0; k < row.n_top_logprobs; ++k)
    sampled.top.push_back({.token = candidate(options, {}, history, k), .logprob = -0.5F - static_cast<float>(k)});
  return sampled;
}

Error bad_spec(std::string_view spec, const std::string& why) {
  return {Errc::kConfig, "model " + std::string(spec.substr(0, 128)) + ": " + why, "model"};
}

struct SpecKey {
  std::string_view name;
  int least, most;
  void (*set)(FakeOptions&, int);
};

constexpr int kMillion = 1'000'000;
constexpr SpecKey kSpecKeys[] = {
    {"vocab", 2, 10 * kMillion, [](FakeOptions& to, int value) { to.n_vocab = value; }},
    {"eos", 0, 10 * kMillion, [](FakeOptions& to, int value) { to.eos = TokenId(value); }},
    {"eos_per_mille", 0, 1000, [](FakeOptions& to, int value) { to.eos_per_mille = value; }},
    {"step_us", 0, 60 * kMillion, [](FakeOptions& to, int value) { to.step_time = std::chrono::microseconds(value); }},
    {"token_us", 0, kMillion, [](FakeOptions& to, int value) { to.token_time = std::chrono::microseconds(value); }},
    {"context_ns", 0, kMillion, [](FakeOptions& to, int value) { to.context_time = std::chrono::nanoseconds(value); }},
};

}  // namespace

Result<FakeOptions> parse_fake_spec(std::string_view spec) {
  constexpr std::string_view kPrefix = "fake:";
  if (!spec.starts_with(kPrefix)) return bad_spec(spec, "does not begin with fake:");
  FakeOptions options;
  std::vector<std::string_view> seen;
  std::string_view rest = spec.substr(kPrefix.size());
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::string_view name = item.substr(0, item.find('='));
    const std::string key(name);
    const auto* known = std::find_if(std::begin(kSpecKeys), std::end(kSpecKeys),
                                     [&](const SpecKey& candidate) { return candidate.name == name; });
    if (known == std::end(kSpecKeys)) return bad_spec(spec, "unknown key " + key);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) return bad_spec(spec, key + " is given twice");
    seen.push_back(name);
    const std::string_view digits = item.substr(std::min(item.size(), name.size() + 1));
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < known->least || value > known->most)
      return bad_spec(
          spec, key + " must be an integer between " + std::to_string(known->least) + " and " + std::to_string(known->most));
    known->set(options, value);
  }
  if (options.eos && options.eos->value() >= options.n_vocab) return bad_spec(spec, "eos is outside the vocabulary");
  return options;
}

FakeRunner::FakeRunner(FakeOptions options, int n_blocks, int block_size)
    : options_(std::move(options)),
      n_blocks_(n_blocks),
      block_size_(block_size),
      cache_(static_cast<std::size_t>(n_blocks) * static_cast<std::size_t>(block_size), -1) {}

void FakeRunner::run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) {
  const Clock::time_point began = SystemClock().now();
  const int step = n_steps_++;
  if (before_step_) before_step_(step, batch);
  if (fault(step, FakeFault::Kind::kModelStep)) throw ModelStepError("scripted failure of step " + std::to_string(step));
  if (fault(step, FakeFault::Kind::kDevice)) throw DeviceFailure("scripted loss at step " + std::to_string(step));
  if (fault(step, FakeFault::Kind::kBadAlloc)) throw std::bad_alloc();
  check(batch, rows);
  ENSURE(sampled.size() == rows.size(), "a place for every answer");
  write(batch);
  if (fault(step, FakeFault::Kind::kNonFinite)) throw ModelStepError("logits are not finite");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t row = batch.logits_rows[i];
    const auto after = std::upper_bound(batch.row_starts.begin(), batch.row_starts.end(), row);
    const int seq = static_cast<int>(after - batch.row_starts.begin()) - 1;
    const int n_tokens = batch.positions[static_cast<std::size_t>(row)] + 1;
    const std::uint64_t history = hash_history(batch, seq, n_tokens);
    sampled[i] = rows[i].score ? score(options_, rows[i], history) : sample(options_, rows[i], history);
  }
  spend_time(batch, began);
}

void FakeRunner::check(const StepBatch& batch, std::span<const SamplingRow> rows) const {
  const auto n = batch.tokens.size();
  ENSURE(batch.positions.size() == n, "a position for every token");
  ENSURE(!batch.row_starts.empty() && batch.row_starts.front() == 0, "row_starts begins with 0");
  ENSURE(std::cmp_equal(batch.row_starts.back(), n), "row_starts ends with the number of rows");
  ENSURE(std::is_sorted(batch.row_starts.begin(), batch.row_starts.end()), "row_starts ascends");
  ENSURE(batch.block_tables.size() == static_cast<std::size_t>(batch.n_seqs()) * static_cast<std::size_t>(batch.max_blocks),
         "a block table for every sequence");
  ENSURE(rows.size() == batch.logits_rows.size(), "a sampling row for every logits row");
  for (const std::int32_t row : batch.logits_rows) ENSURE(row >= 0 && std::cmp_less(row, n), "logits rows are rows");
}

void FakeRunner::write(const StepBatch& batch) {
  for (const BlockCopy& copy : batch.copies) {
    ENSURE(std::min(copy.from, copy.to) >= 0 && std::max(copy.from, copy.to) < n_blocks_, "a copy within the cache");
    std::copy_n(cache_.begin() + std::ptrdiff_t{copy.from} * block_size_, block_size_,
                cache_.begin() + std::ptrdiff_t{copy.to} * block_size_);
  }
  for (int seq = 0; seq < batch.n_seqs(); ++seq) {
    const auto s = static_cast<std::size_t>(seq);
    for (auto row = static_cast<std::size_t>(batch.row_starts[s]); std::cmp_less(row, batch.row_starts[s + 1]); ++row)
      cache_[slot(batch, seq, batch.positions[row])] = batch.tokens[row];
  }
}

// A few ns a token.
std::uint64_t FakeRunner::hash_history(const StepBatch& batch, int seq, int n_tokens) const {
  std::uint64_t hash = kSeed;
  for (int first = 0; first < n_tokens; first += block_size_) {
    const auto block = std::span(cache_).subspan(slot(batch, seq, first));
    for (const std::int32_t token : block.first(static_cast<std::size_t>(std::min(block_size_, n_tokens - first))))
      hash = mix(hash, token);
  }
  return hash;
}

std::size_t FakeRunner::slot(const StepBatch& batch, int seq, int position) const {
  const int entry = position / block_size_;
  ENSURE(position >= 0 && entry < batch.max_blocks, "position " + std::to_string(position) + " is beyond the block table");
  const auto index =
      static_cast<std::size_t>(seq) * static_cast<std::size_t>(batch.max_blocks) + static_cast<std::size_t>(entry);
  const std::int32_t block = batch.block_tables[index];
  ENSURE(block >= 0 && block < n_blocks_, "block " + std::to_string(block) + " is not in the pool");
  return static_cast<std::size_t>(block) * static_cast<std::size_t>(block_size_) +
         static_cast<std::size_t>(position % block_size_);
}

void FakeRunner::spend_time(const StepBatch& batch, Clock::time_point began) const {
  std::int64_t n_context = 0;
  for (std::size_t seq = 1; seq < batch.row_starts.size(); ++seq)
    n_context += batch.positions[static_cast<std::size_t>(batch.row_starts[seq]) - 1];
  const auto cost = options_.step_time + options_.token_time * batch.n_tokens() + options_.context_time * n_context;
  if (cost <= std::chrono::nanoseconds{0}) return;
  if (options_.spend) {
    options_.spend(cost);
  } else {
    std::this_thread::sleep_until(began + cost);
  }
}

bool FakeRunner::fault(int step, FakeFault::Kind kind) const {
  return std::any_of(faults_.begin(), faults_.end(),
                     [&](const FakeFault& fault) { return fault.step == step && fault.kind == kind; });
}

std::vector<Sampled> FakeRunner::expected_scores(const FakeOptions& options, std::span<const TokenId> prompt, int n_top) {
  std::uint64_t hash = kSeed;
  std::vector<Sampled> scores;
  for (std::size_t i = 0; i + 1 < prompt.size(); ++i) {
    hash = mix(hash, prompt[i].value());
    scores.push_back(score(options, {.n_top_logprobs = n_top, .score = prompt[i + 1]}, hash));
  }
  return scores;
}

std::vector<TokenId> FakeRunner::expected_tokens(const FakeOptions& options, std::span<const TokenId> prompt, int n,
                                                 const SamplingRow& sampling, std::span<const TokenId> stop_ids,
                                                 int min_tokens) {
  std::uint64_t hash = kSeed;
  for (const TokenId token : prompt) hash = mix(hash, token.value());
  std::vector<TokenId> tokens;
  for (int i = 0; i < n; ++i) {
    SamplingRow row = sampling;
    row.position = static_cast<std::int64_t>(prompt.size()) + i;
    if (i < min_tokens) row.banned = stop_ids;
    const TokenId token = sample(options, row, hash).token;
    tokens.push_back(token);
    hash = mix(hash, token.value());
    if (i >= min_tokens && std::find(stop_ids.begin(), stop_ids.end(), token) != stop_ids.end()) break;
  }
  return tokens;
}

}  // namespace mie
