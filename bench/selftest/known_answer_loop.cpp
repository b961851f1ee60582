#include "bench/selftest/known_answer_loop.h"

#include "bench/load/stamp_clock.h"
#include "bench/selftest/asked_request.h"
#include "core/base/ensure.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace mie::bench {
namespace {

constexpr std::uint32_t kListener = ~std::uint32_t{0}, kWake = kListener - 1;
constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
constexpr int kBacklog = 4096;

}  // namespace

KnownAnswerServer::Loop::Loop(KnownAnswerOptions options, Figures& figures)
    : options_(std::move(options)),
      figures_(figures),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ENSURE(::bind(listener_, generic, size) == 0 && ::listen(listener_, kBacklog) == 0 &&
             ::getsockname(listener_, generic, &size) == 0,
         "a free port of the loopback");
  port_ = ntohs(address.sin_port);
  watch(listener_, kListener, EPOLLIN);
  watch(wake_, kWake, EPOLLIN);
}

KnownAnswerServer::Loop::~Loop() {
  for (const Client& client : clients_)
    if (client.fd >= 0) ::close(client.fd);
  for (const int fd : {listener_, wake_, epoll_}) ::close(fd);
}

void KnownAnswerServer::Loop::watch(int fd, std::uint32_t slot, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.u32 = slot;
  ENSURE(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0, "a descriptor that can be watched");
}

void KnownAnswerServer::Loop::stop() const { ::eventfd_write(wake_, 1); }

void KnownAnswerServer::Loop::run() {
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  do {
    stall();
    fire();
  } while (wait());
}

void KnownAnswerServer::Loop::stall() {
  if (!first_request_ns_ || options_.stalls.empty()) return;
  const Stall next = options_.stalls.front();
  if (stamp_ns() < *first_request_ns_ + next.at.count()) return;
  std::this_thread::sleep_for(next.length);
  options_.stalls.erase(options_.stalls.begin());
}

void KnownAnswerServer::Loop::fire() {
  while (writes_.next_ns() <= stamp_ns()) {
    const Write write = writes_.take().what;
    if (clients_[write.slot].life == write.life) go_on(write.slot);
  }
}

bool KnownAnswerServer::Loop::wait() {
  std::int64_t until = writes_.next_ns();
  if (first_request_ns_ && !options_.stalls.empty())
    until = std::min(until, *first_request_ns_ + options_.stalls.front().at.count());
  const std::int64_t timeout = std::clamp<std::int64_t>(until - stamp_ns(), 0, 1'000'000'000);
  const timespec limit = {.tv_sec = timeout / 1'000'000'000, .tv_nsec = timeout % 1'000'000'000};
  std::array<epoll_event, 256> events;
  const int n = ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &limit, nullptr);
  for (int i = 0; i < n; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.u32 == kWake) return false;
    event.data.u32 == kListener ? accept_all() : on_event(event.data.u32, event.events);
  }
  return true;
}

void KnownAnswerServer::Loop::accept_all() {
  for (int fd = -1; (fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(clients_.size()));
      clients_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    Client& client = clients_[slot];
    client.fd = fd;
    ++client.life;
    client.in.clear();
    client.out.clear();
    figures_.connections.fetch_add(1);
    watch(fd, slot, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  }
}

void KnownAnswerServer::Loop::on_event(std::uint32_t slot, std::uint32_t events) {
  if (clients_[slot].fd >= 0 && (events & EPOLLOUT) != 0) flush(clients_[slot]);
  if (clients_[slot].fd >= 0 && (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) read(slot);
}

void KnownAnswerServer::Loop::read(std::uint32_t slot) {
  for (;;) {
    Client& client = clients_[slot];
    const std::size_t had = client.in.size();
    client.in.resize(had + kReadBytes);
    const auto n = ::recv(client.fd, client.in.data() + had, kReadBytes, 0);
    client.in.resize(had + (n > 0 ? static_cast<std::size_t>(n) : 0));
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return drop(slot, false);
    take_request(slot);
    if (client.fd < 0) return;
  }
}

void KnownAnswerServer::Loop::take_request(std::uint32_t slot) {
  Client& client = clients_[slot];
  if (client.answer) return;  // the next one waits for the end of this answer
  const auto request = whole_request(client.in);
  if (!request) return;
  if (request->target == "/metrics") {
    client.out += metrics();
    client.in.erase(0, request->size);
    return flush(client);
  }
  if (!request->target.ends_with("/completions")) {  // what clients ask a server about itself
    client.out += error_answer(404, "not_found", 0);
    client.in.erase(0, request->size);
    return flush(client);
  }
  AskedRequest asked = asked_of(*request, parser_);
  client.in.erase(0, request->size);
  asked.nth = static_cast<int>(figures_.requests.fetch_add(1));
  if (!first_request_ns_) {
    first_request_ns_ = stamp_ns();
    figures_.prompt_tokens.fetch_add(options_.prompt_counter_error);
  }
  begin(slot, asked);
}

void KnownAnswerServer::Loop::begin(std::uint32_t slot, AskedRequest asked) {
  Client& client = clients_[slot];
  if (!options_.policy) return answer_at_once(client, asked);
  const AnswerPlan plan = options_.policy(asked);
  client.fault = plan.fault;
  if (plan.fault != AnswerFault::kStatus) figures_.prompt_tokens.fetch_add(asked.prompt_tokens);
  const std::int64_t now = figures_.in_flight.fetch_add(1) + 1;
  figures_.most_in_flight.store(std::max(now, figures_.most_in_flight.load()));
  client.answer.emplace(asked, plan);
  if (client.answer->events_left()) {
    writes_.add(stamp_ns() + client.answer->next().gap.count(), {slot, client.life});
  } else {
    end(slot);
  }
}

void KnownAnswerServer::Loop::answer_at_once(Client& client, const AskedRequest& asked) {
  std::string& bytes = canned_[{asked.max_tokens, asked.prompt_tokens, asked.chat, asked.stream}];
  if (bytes.empty()) {
    AnswerText text(asked, paced_answer(asked.max_tokens, std::chrono::nanoseconds(0)));
    while (text.events_left()) text.append_event(bytes);
    text.append_end(bytes);
  }
  figures_.prompt_tokens.fetch_add(asked.prompt_tokens, std::memory_order_relaxed);
  figures_.generation_tokens.fetch_add(asked.max_tokens, std::memory_order_relaxed);
  figures_.succeeded.fetch_add(1, std::memory_order_relaxed);
  client.out += bytes;
  flush(client);
}

void KnownAnswerServer::Loop::go_on(std::uint32_t slot) {
  Client& client = clients_[slot];
  client.answer->append_event(client.out);
  flush(client);
  if (client.answer->events_left()) {
    writes_.add(stamp_ns() + client.answer->next().gap.count(), {slot, client.life});
  } else {
    end(slot);
  }
}

void KnownAnswerServer::Loop::end(std::uint32_t slot) {
  Client& client = clients_[slot];
  figures_.generation_tokens.fetch_add(client.answer->n_tokens());
  if (client.fault == AnswerFault::kReset || client.fault == AnswerFault::kClose)
    return drop(slot, client.fault == AnswerFault::kReset);
  if (client.fault == AnswerFault::kSilence) return;
  client.answer->append_end(client.out);
  client.answer.reset();
  figures_.in_flight.fetch_sub(1);
  if (client.fault != AnswerFault::kStatus) figures_.succeeded.fetch_add(1);
  flush(client);
  take_request(slot);
}

void KnownAnswerServer::Loop::flush(Client& client) {
  while (!client.out.empty()) {
    const auto n = ::send(client.fd, client.out.data(), client.out.size(), MSG_NOSIGNAL);
    if (n <= 0) return;  // there will be another edge: room, or an end
    client.out.erase(0, static_cast<std::size_t>(n));
  }
}

void KnownAnswerServer::Loop::drop(std::uint32_t slot, bool reset) {
  Client& client = clients_[slot];
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  if (reset) ::setsockopt(client.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(client.fd);
  client.fd = -1;
  ++client.life;  // its timers are nobody's
  if (client.answer) {
    figures_.in_flight.fetch_sub(1);
    const bool planned = client.fault == AnswerFault::kReset || client.fault == AnswerFault::kClose;
    if (!planned) figures_.gone.fetch_add(1);
  }
  client.answer.reset();
  free_.push_back(slot);
}

std::string KnownAnswerServer::Loop::metrics() const {
  const auto series = [](std::string_view name, std::int64_t value) {
    return std::string("vllm:") + std::string(name) + "{model_name=\"known\"} " + std::to_string(value) + "\n";
  };
  const std::string body = series("prompt_tokens_total", figures_.prompt_tokens) +
                           series("generation_tokens_total", figures_.generation_tokens) +
                           series("request_success_total", figures_.succeeded);
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

}  // namespace mie::bench
