// The loop of the known-answer server: one epoll set, one heap of writes to come. Owned by a KnownAnswerServer; its thread, but
// for stop().
#pragma once

#include "bench/load/timers.h"
#include "bench/selftest/answer_text.h"
#include "bench/selftest/known_answer_server.h"

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace mie::bench {

class KnownAnswerServer::Loop {
 public:
  Loop(KnownAnswerOptions options, Figures& figures);
  ~Loop();
  void run();
  void stop() const;  // any thread
  [[nodiscard]] int port() const { return port_; }

 private:
  struct Client {
    int fd = -1;
    std::uint32_t life = 0;  // how many connections have had this slot
    std::string in{}, out{};
    std::optional<AnswerText> answer{};  // that is being written
    AnswerFault fault = AnswerFault::kNone;
  };
  struct Write {
    std::uint32_t slot = 0, life = 0;
  };

  void watch(int fd, std::uint32_t slot, std::uint32_t events) const;
  void stall();
  void fire();
  bool wait();  // false: stopped
  void accept_all();
  void on_event(std::uint32_t slot, std::uint32_t events);
  void read(std::uint32_t slot);
  void take_request(std::uint32_t slot);
  void begin(std::uint32_t slot, AskedRequest asked);
  void answer_at_once(Client& client, const AskedRequest& asked);
  void go_on(std::uint32_t slot);
  void end(std::uint32_t slot);
  void flush(Client& client);
  void drop(std::uint32_t slot, bool reset);
  [[nodiscard]] std::string metrics() const;

  KnownAnswerOptions options_;
  Figures& figures_;
  int listener_, wake_, epoll_, port_ = 0;
  std::vector<Client> clients_;
  std::vector<std::uint32_t> free_;
  Timers<Write> writes_{1 << 16};
  simdjson::dom::parser parser_;
  std::map<std::tuple<int, int, bool, bool>, std::string> canned_;  // null answers by what they depend on
  std::optional<std::int64_t> first_request_ns_;
};

}  // namespace mie::bench
