#include "bench/run/checks.h"

#include "bench/metrics/counter_check.h"
#include "bench/metrics/percentiles.h"
#include "bench/metrics/phases.h"
#include "bench/metrics/request_metrics.h"
#include "bench/metrics/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace mie::bench {
namespace {

constexpr std::size_t kSamples = 5;
constexpr double kMostLost = 1e-4, kMostTransport = 1e-3;  // s

void fail(Check& check, std::string text) {
  ++check.n_failed;
  if (check.failed.size() < kSamples) check.failed.push_back(std::move(text));
}

std::string named(const RequestRecord& record) {
  std::string name = fmt::format("req-{:05} of repetition {}", record.index, record.repetition);
  return record.arm.empty() ? name : name + " of " + record.arm;
}

// `wrong`: what is wrong with a successful request; empty: nothing.
Check each(const RunResult& result, std::string name, const std::function<std::string(const RequestRecord&)>& wrong) {
  Check check{.name = std::move(name)};
  for (const RequestRecord& record : result.records) {
    if (!succeeded(record)) continue;
    ++check.n_checked;
    if (const std::string text = wrong(record); !text.empty()) fail(check, named(record) + ": " + text);
  }
  return check;
}

std::string wrong_finish(const WorkloadSpec& spec, const RequestRecord& record) {
  if (!spec.output.ignore_eos || !spec.output.exact || record.finish_reason == "length") return {};
  return "finish_reason is " + (record.finish_reason.empty() ? "none" : record.finish_reason) + ", the answer was to be full";
}

std::string wrong_usage(const RequestRecord& record) {
  int stamped = 0;
  for (const TokenEvent& event : record.events) stamped += event.tokens;
  if (record.output_tokens == stamped || record.events.empty()) return {};
  return fmt::format("{} tokens in events, {} of usage", stamped, record.output_tokens);
}

std::string wrong_stamps(const RequestRecord& record) {
  std::int64_t last = record.intended_ns;
  for (const auto& stamp : {record.send_ns, record.sent_ns, record.status_ns, record.first_event_ns}) {
    if (stamp && *stamp < last) return "its stamps do not ascend";
    last = stamp.value_or(last);
  }
  for (const TokenEvent& event : record.events) {
    if (event.at_ns < last) return "its token stamps do not ascend";
    last = event.at_ns;
  }
  return record.end_ns.value_or(last) < last ? "it ends before its last token" : std::string();
}

// Greedy and seeded answers do not depend on when and beside whom they are computed: each has the same tokens in every load.
Check self_consistency(const RunResult& result) {
  Check check{.name = "self_consistency"};
  std::map<int, const RequestRecord*> first;
  for (const RequestRecord& record : result.records) {
    if (!succeeded(record) || record.tokens.empty()) continue;
    const auto [known, is_new] = first.emplace(record.index, &record);
    if (is_new) continue;
    ++check.n_checked;
    if (known->second->tokens != record.tokens) fail(check, named(record) + ": other tokens than " + named(*known->second));
  }
  return check;
}

// What judge_answers found.
Check expected_tokens(const RunResult& result) {
  Check check{.name = "expected_tokens"};
  for (const RequestRecord& record : result.records) {
    const bool wrong = record.status == RequestStatus::wrong_answer;
    check.n_checked += wrong || succeeded(record) ? 1 : 0;
    if (wrong) fail(check, named(record) + ": " + record.error);
  }
  return check;
}

Check counters_agree(const RunResult& result) {
  Check check{.name = "counters"};
  for (const Repetition& repetition : result.repetitions) {
    const CounterDeltas deltas = deltas_of(repetition.before, repetition.after);
    if (!deltas.prompt_tokens && !deltas.generation_tokens) continue;
    ++check.n_checked;
    for (const std::string& text : counter_mismatches(records_of(result, repetition), deltas))
      fail(check, title_of(repetition) + ": " + text);
  }
  return check;
}

// The client's stamps around the server's, on one clock.
Check server_stamps(const RunResult& result) { return each(result, "server_stamps", disorder_of); }

Check phases_sum(const RunResult& result) {
  return each(result, "phases_sum", [](const RequestRecord& record) -> std::string {
    const auto phases = phases_of(record);
    if (!phases) return "the server's stamps are missing";
    const double sum = std::accumulate(phases->begin(), phases->end(), 0.0);
    const double e2el = metrics_of(record).e2el.value_or(0);
    if (std::abs(sum - e2el) <= kMostLost) return {};
    return fmt::format("its phases sum up to {:.3f} ms of {:.3f}", sum * 1e3, e2el * 1e3);
  });
}

// Of few requests the p99 is the slowest one.
Check transport_share(const RunResult& result) {
  Check check{.name = "transport_share"};
  std::vector<double> shares;
  for (const RequestRecord& record : result.records) {
    if (!succeeded(record)) continue;
    if (const auto share = transport_of(record)) shares.push_back(*share);
  }
  if (shares.empty()) return check;
  check.n_checked = std::ssize(shares);
  std::ranges::sort(shares);
  const double p99 = nearest_rank(shares, 990);
  if (p99 >= kMostTransport)
    fail(check, fmt::format("p99 of client ttft less server ttft is {:.3f} ms, over {:g}", p99 * 1e3, kMostTransport * 1e3));
  return check;
}

}  // namespace

std::vector<Check> check_run(const RunResult& result) {
  const ChecksSpec& wanted = result.spec.checks;
  std::vector<Check> checks;
  if (wanted.finish_reason)
    checks.push_back(each(result, "finish_reason", [&](const RequestRecord& r) { return wrong_finish(result.spec, r); }));
  if (wanted.usage_matches_events) checks.push_back(each(result, "usage_matches_events", wrong_usage));
  if (wanted.monotone_stamps) checks.push_back(each(result, "monotone_stamps", wrong_stamps));
  if (wanted.self_consistency) checks.push_back(self_consistency(result));
  if (!wanted.expected_tokens_file.empty()) checks.push_back(expected_tokens(result));
  checks.push_back(counters_agree(result));
  const bool told = std::ranges::any_of(result.records, [](const RequestRecord& r) { return r.server.has_value(); });
  if (result.spec.stream.timings && told) {
    for (Check (*of)(const RunResult&) : {server_stamps, phases_sum, transport_share}) checks.push_back(of(result));
  }
  return checks;
}

}  // namespace mie::bench
