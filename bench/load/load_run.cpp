#include "bench/load/load_run.h"

#include "bench/load/answer_parse.h"
#include "bench/load/clock_pair.h"
#include "bench/load/load_loop.h"
#include "bench/load/request_bytes.h"
#include "bench/load/sent_record.h"

#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

namespace mie::bench {
namespace {

constexpr int kOwnDescriptors = 64;  // of the process, besides connections
// Bytes of an answer: its head and ends, each token's event, an id of the prompt where the answer repeats it.
constexpr std::size_t kBytesOfAnswer = 2048, kBytesOfToken = 448, kBytesOfLogprob = 128, kBytesOfId = 8;
constexpr std::size_t kLeastArena = std::size_t{4} << 20, kMostArena = std::size_t{1} << 30;

std::size_t bytes_expected(const LoadSettings& settings, const std::vector<PlannedRequest>& requests) {
  if (settings.receive_bytes > 0) return settings.receive_bytes;
  std::size_t sum = 0;
  const std::size_t of_token = kBytesOfToken + kBytesOfLogprob * static_cast<std::size_t>(settings.sampling.logprobs);
  for (const PlannedRequest& one : requests)
    sum += kBytesOfAnswer + of_token * static_cast<std::size_t>(one.output_tokens) + kBytesOfId * one.prompt.size();
  return std::clamp(sum + sum / 4, kLeastArena, kMostArena);
}

// Reads of a slow reader are small: a hundred bytes are taken as the least that is usual.
std::size_t chunks_expected(std::size_t n_bytes) { return n_bytes / 96 + 1024; }

int connections_allowed(const LoadSettings& settings, std::size_t n_requests) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto descriptors = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, rlim_t{1} << 20)) - kOwnDescriptors;
  const int wanted = settings.connections > 0 ? settings.connections : kMostConnections;
  const int useful = static_cast<int>(std::min<std::size_t>(n_requests, kMostConnections));
  return std::max(1, std::min({descriptors, wanted, useful}));
}

// The reads of each request, in their order, as pieces of its answer.
std::vector<std::vector<AnswerPiece>> by_request(const ReceiveArena& arena, std::size_t n_requests, std::int64_t began_ns) {
  std::vector<std::vector<AnswerPiece>> out(n_requests);
  for (const ReceivedChunk& chunk : arena.chunks())
    out[static_cast<std::size_t>(chunk.request)].push_back({chunk.at_ns - began_ns, arena.bytes_of(chunk)});
  return out;
}

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

}  // namespace

struct LoadRun::Parts {
  LoadSettings settings;
  std::vector<PlannedRequest> requests;
  ServerAddress server;
  std::vector<std::string> bytes{};
  std::unique_ptr<EventReader> live{};
  std::unique_ptr<ReceiveArena> arena{};
  std::unique_ptr<LoadLoop> loop{};
  ClockPair began{}, ended{};
};

LoadRun::LoadRun(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LoadRun::~LoadRun() = default;

Result<std::unique_ptr<LoadRun>> LoadRun::prepare(LoadSettings settings, std::vector<PlannedRequest> requests) {
  auto server = resolve(settings.url);
  if (server.has_error()) return server.error();
  auto parts = std::make_unique<Parts>(
      Parts{.settings = std::move(settings), .requests = std::move(requests), .server = std::move(*server)});
  for (const PlannedRequest& one : parts->requests) parts->bytes.push_back(request_bytes(one, parts->settings, parts->server));
  const bool live = std::any_of(parts->requests.begin(), parts->requests.end(),
                                [](const PlannedRequest& one) { return one.cancel.after_tokens.has_value(); });
  if (live) parts->live = std::make_unique<EventReader>();
  const std::size_t n_bytes = bytes_expected(parts->settings, parts->requests);
  try {
    parts->arena = std::make_unique<ReceiveArena>(n_bytes, chunks_expected(n_bytes));
  } catch (const std::bad_alloc&) {
    return bad("no memory for " + std::to_string(n_bytes) + " bytes of answers");
  }
  parts->loop =
      std::make_unique<LoadLoop>(LoadParts{.settings = parts->settings,
                                           .requests = parts->requests,
                                           .bytes = parts->bytes,
                                           .server = parts->server,
                                           .n_connections = connections_allowed(parts->settings, parts->requests.size()),
                                           .live = parts->live.get(),
                                           .arena = *parts->arena});
  if (!parts->loop->open()) return bad("no descriptors for a load client");
  return std::unique_ptr<LoadRun>(new LoadRun(std::move(parts)));
}

void LoadRun::drive() {
  parts_->began = read_clocks();
  parts_->loop->drive();
  parts_->ended = read_clocks();
}
void LoadRun::stop() { parts_->loop->stop(); }
const LoadProgress& LoadRun::progress() const { return parts_->loop->schedule().progress(); }

LoadResult LoadRun::result() const {
  const LoadLoop& loop = *parts_->loop;
  const SendSchedule& schedule = loop.schedule();
  LoadResult out;
  out.began_ns = schedule.began_ns();
  out.length_ns = loop.ended_ns() - schedule.began_ns();
  out.parse = parts_->live == nullptr ? ParseMode::kLate : ParseMode::kLive;
  if (schedule.broken_off() != nullptr) out.broken_off = schedule.broken_off();

  EventReader reader;
  const AnswerRules rules = {.streamed = parts_->settings.stream.enabled, .exact = parts_->settings.exact};
  const double rate = stamp_rate(parts_->began, parts_->ended);
  const auto pieces = by_request(*parts_->arena, parts_->requests.size(), out.began_ns);
  out.records.reserve(parts_->requests.size());
  for (std::size_t i = 0; i < parts_->requests.size(); ++i) {
    const Exchange& exchange = schedule.exchanges()[i];
    RequestRecord& record =
        out.records.emplace_back(sent_record(parts_->requests[i], exchange, parts_->settings, out.began_ns));
    parse_answer(record, pieces[i], exchange.ending, rules, reader);
    if (record.server) record.server->place(out.began_ns, rate);
    out.bytes_in += exchange.bytes_in;
    out.bytes_out += exchange.bytes_out;
  }
  out.client = client_figures(loop.use(), schedule.exchanges(), out.records);
  out.client.connections = loop.n_opened();
  out.client.out_of_sockets = loop.out_of_sockets();
  return out;
}

Result<LoadResult> run_load(LoadSettings settings, std::vector<PlannedRequest> requests) {
  auto run = LoadRun::prepare(std::move(settings), std::move(requests));
  if (run.has_error()) return run.error();
  (*run)->drive();
  return (*run)->result();
}

}  // namespace mie::bench
