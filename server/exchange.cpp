#include "server/exchange.h"

#include "core/base/build_info.h"
#include "core/base/ensure.h"
#include "server/api/error_body.h"
#include "server/cors.h"
#include "server/http_text.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

namespace mie {
namespace {

constexpr auto kRateGrace = std::chrono::seconds(5);
constexpr double kMinBytesPerSecond = 1024;

bool valid_request_id(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), plain);
}

std::int64_t raw_monotonic_ns() {
  timespec now{};
  // Past the seam because clients on this machine compare this stamp with their own of the same clock.
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double random_fraction() {
  std::uint32_t bits = 0;
  ENSURE(::getrandom(&bits, sizeof bits, 0) == sizeof bits, "getrandom");
  return bits / 4294967296.0;
}

int retry_after_seconds(Service& service) {
  const Loaded* loaded = service.loaded();
  if (loaded == nullptr) return service.retry().seconds(1, 1, random_fraction());
  const EngineHealth health = loaded->engine->health();
  return service.retry().seconds(health.n_waiting, loaded->engine->options().limits.max_seqs, random_fraction());
}

}  // namespace

std::string random_hex_id() {
  std::array<unsigned char, 16> bytes{};
  ENSURE(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "getrandom");
  static constexpr char kHex[] = "0123456789abcdef";
  std::string id;
  for (const unsigned char byte : bytes) (id += kHex[byte >> 4U]) += kHex[byte & 0xFU];
  return id;
}

Exchange::Exchange(std::shared_ptr<Connection> connection, Service& service, RequestHead head, std::string_view head_bytes)
    : connection_(std::move(connection)),
      service_(service),
      head_(std::move(head)),
      body_reader_(head_bytes, service.options().max_body_bytes),
      arrival_(service.clock().now()),
      arrival_raw_ns_(raw_monotonic_ns()),
      keep_alive_(!head_.wants_close()) {
  const auto* sent = head_.find("X-Request-Id");
  request_id_ = sent != nullptr && valid_request_id(*sent) ? *sent : random_hex_id();
}

Exchange::~Exchange() {
  service_.body_memory() -= n_body_counted_;
  service_.metrics().body_bytes(-static_cast<double>(n_body_counted_));
}

bool Exchange::waits_for_continue() const {
  return head_.minor_version == 1 && head_.find("Expect") != nullptr && head_.has_body() && !continue_sent_;
}

bool Exchange::count_body_memory() {
  const std::size_t n_new = body_reader_.n_bytes() - n_body_counted_;
  n_body_counted_ += n_new;
  service_.metrics().body_bytes(static_cast<double>(n_new));
  return (service_.body_memory() += n_new) <= service_.options().max_body_memory_bytes;
}

net::awaitable<BodyOutcome> Exchange::read_body() {
  if (waits_for_continue()) {
    continue_sent_ = true;
    const auto end = co_await connection_->write("HTTP/1.1 100 Continue\r\n\r\n", service_.options().write_timeout);
    if (end != Connection::WriteEnd::kAll) co_return BodyOutcome{};
  }
  co_return co_await receive_body();
}

net::awaitable<BodyOutcome> Exchange::receive_body() {
  const auto start = service_.clock().now();
  const auto total = start + service_.options().body_timeout;
  for (;;) {
    const auto step = body_reader_.put(connection_->unread());
    connection_->consume(step.n_consumed);
    if (step.fault) {
      service_.metrics().bad_request(step.fault->rule);
      co_return BodyOutcome{{}, step.fault->error};
    }
    if (!count_body_memory()) co_return BodyOutcome{{}, Error{Errc::kBodyMemoryFull, "too many request bytes are held", ""}};
    if (body_reader_.done()) co_return BodyOutcome{body_reader_.take(), {}};
    // The instant at which the mean rate falls below the least allowed.
    const auto earned = std::chrono::duration<double>(static_cast<double>(body_reader_.n_bytes()) / kMinBytesPerSecond);
    const auto too_slow = start + kRateGrace + std::chrono::duration_cast<Clock::duration>(earned);
    const auto end = co_await connection_->read_more(std::min(total, too_slow));
    if (end == Connection::ReadEnd::kTimeout) {
      co_return BodyOutcome{{}, Error{Errc::kRequestTimeout, "the request body came too late or too slowly", ""}};
    }
    if (end != Connection::ReadEnd::kSome) co_return BodyOutcome{};
  }
}

std::string Exchange::answer_head(int status, const Fields& fields) const {
  std::string head = head_.minor_version == 0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  head += std::to_string(status) + ' ' + std::string(reason_phrase(status)) + "\r\n";
  const auto add = [&head](std::string_view name, std::string_view value) { (((head += name) += ": ") += value) += "\r\n"; };
  for (const auto& [name, value] : fields) add(name, value);
  add("X-Request-Id", request_id_);
  add("X-Content-Type-Options", "nosniff");
  add("Date", http_date(service_.clock().unix_seconds()));
  add("Server", "mie/" + std::string(build_info().version));
  if (!keep_alive_)
    add("Connection", "close");
  else if (head_.minor_version == 0)
    add("Connection", "keep-alive");
  for (const auto& [name, value] : cors_fields(service_.options(), head_)) add(name, value);
  return head + "\r\n";
}

net::awaitable<bool> Exchange::answer(Answer answer) {
  ENSURE(status_ == 0, "answered twice");
  status_ = answer.status;
  if (head_.minor_version == 0 || service_.phase() == Phase::kDraining) keep_alive_ = false;
  if (waits_for_continue()) keep_alive_ = false;  // the body stays unread
  if (!answer.content_type.empty()) {
    answer.fields.emplace_back("Content-Type", answer.content_type);
    answer.fields.emplace_back("Content-Length", std::to_string(answer.body.size()));
    answer.fields.emplace_back("Cache-Control", "no-store");
  }
  std::string bytes = answer_head(answer.status, answer.fields);
  if (head_.method != "HEAD") bytes += answer.body;
  co_return co_await write(bytes) == Connection::WriteEnd::kAll;
}

net::awaitable<bool> Exchange::refuse(Error error) {
  const api::ErrorRow& row = api::error_row(error.code);
  Answer answer;
  answer.status = row.status;
  answer.body = api::error_body(error);
  if (row.retry_after) answer.fields.emplace_back("Retry-After", std::to_string(retry_after_seconds(service_)));
  if (row.retry != api::Retry::kUnsaid)
    answer.fields.emplace_back("x-should-retry", row.retry == api::Retry::kYes ? "true" : "false");
  if (row.closes) keep_alive_ = false;
  co_return co_await this->answer(std::move(answer));
}

net::awaitable<Connection::WriteEnd> Exchange::begin_stream(std::string_view frames) {
  ENSURE(status_ == 0, "answered twice");
  status_ = 200;
  Fields fields = {{"Content-Type", "text/event-stream; charset=utf-8"},
                   {"Cache-Control", "no-cache, no-store, no-transform"},
                   {"X-Accel-Buffering", "no"}};
  if (framing() == StreamFraming::kChunked)
    fields.emplace_back("Transfer-Encoding", "chunked");
  else
    keep_alive_ = false;
  if (service_.phase() == Phase::kDraining) keep_alive_ = false;
  const std::string bytes = answer_head(200, fields).append(frames);
  co_return co_await write(bytes);
}

net::awaitable<Connection::WriteEnd> Exchange::write(std::string_view bytes) {
  const auto n_bytes = static_cast<double>(bytes.size());
  service_.metrics().output_bytes(n_bytes);
  const auto end = co_await connection_->write(bytes, service_.options().write_timeout);
  service_.metrics().output_bytes(-n_bytes);
  if (end != Connection::WriteEnd::kAll) keep_alive_ = false;
  co_return end;
}

net::awaitable<bool> Exchange::finish() {
  if (!keep_alive_) co_return false;
  if (body_reader_.done()) co_return true;
  const BodyOutcome dropped = co_await receive_body();
  co_return dropped.body.has_value();
}

}  // namespace mie
