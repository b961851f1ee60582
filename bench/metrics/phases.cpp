#include "bench/metrics/phases.h"

#include "bench/load/server_times.h"

#include <fmt/format.h>

#include <vector>

namespace mie::bench {
namespace {

constexpr double kSeconds = 1e-9;
constexpr std::int64_t kRounding = 1000;  // ns

struct Named {
  std::string_view name;
  std::optional<std::int64_t> at_ns;
};

// What must ascend, apart from what happens between the first token and the last.
std::vector<std::vector<Named>> chains_of(const RequestRecord& record, const ServerTimes& server) {
  std::vector<Named> first = {{"send", record.send_ns}, {"accepted", server.accepted_ns}};
  for (std::size_t i = 0; i <= static_cast<std::size_t>(ServerStamp::kFirstWrite); ++i)
    first.push_back({kServerStamps[i], server.stamps[i]});
  first.push_back({"first event", record.first_event_ns});
  return {std::move(first),
          {{"first_token", server.at(ServerStamp::kFirstToken)},
           {"last_token", server.at(ServerStamp::kLastToken)},
           {"finished", server.at(ServerStamp::kFinished)},
           {"end", record.end_ns}}};
}

}  // namespace

std::optional<PhaseTimes> phases_of(const RequestRecord& record) {
  if (!record.server || !record.send_ns || !record.end_ns) return {};
  const ServerTimes& server = *record.server;
  const std::array<std::optional<std::int64_t>, kPhases.size() + 1> borders = {record.send_ns,
                                                                               server.accepted_ns,
                                                                               server.at(ServerStamp::kParsed),
                                                                               server.at(ServerStamp::kTokenized),
                                                                               server.at(ServerStamp::kAdmitted),
                                                                               server.at(ServerStamp::kPrefillEnd),
                                                                               server.at(ServerStamp::kFirstToken),
                                                                               server.at(ServerStamp::kLastToken),
                                                                               server.at(ServerStamp::kFinished),
                                                                               record.end_ns};
  PhaseTimes out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!borders[i] || !borders[i + 1]) return {};
    out[i] = static_cast<double>(*borders[i + 1] - *borders[i]) * kSeconds;
  }
  return out;
}

std::optional<double> transport_of(const RequestRecord& record) {
  if (!record.server || !record.send_ns || record.events.empty()) return {};
  const auto& written = record.server->at(ServerStamp::kFirstWrite);
  if (!written) return {};
  const std::int64_t client = record.events.front().at_ns - *record.send_ns;
  return static_cast<double>(client - (*written - record.server->accepted_ns)) * kSeconds;
}

std::string disorder_of(const RequestRecord& record) {
  if (!record.server) return {};
  for (const auto& chain : chains_of(record, *record.server)) {
    const Named* last = nullptr;
    for (const Named& one : chain) {
      if (!one.at_ns) continue;
      if (last != nullptr && *one.at_ns < *last->at_ns - kRounding)
        return fmt::format("{} is {:.1f} µs before {}", one.name, static_cast<double>(*last->at_ns - *one.at_ns) * 1e-3,
                           last->name);
      last = &one;
    }
  }
  return {};
}

}  // namespace mie::bench
