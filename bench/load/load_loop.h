// The loop that drives a load: one thread, one epoll set, timers. It sends prepared bytes at their instants and keeps what
// arrives, with a stamp for each read; what answers say is read afterwards. Between the first send and the last end it takes no
// memory. Owned by a LoadRun; drive() on one thread, stop() from any thread or signal handler.
#pragma once

#include "bench/load/client_meter.h"
#include "bench/load/connections.h"
#include "bench/load/exchange.h"
#include "bench/load/load_settings.h"
#include "bench/load/progress.h"
#include "bench/load/receive_arena.h"
#include "bench/load/send_order.h"
#include "bench/load/timers.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

// All outlive the loop.
struct LoadParts {
  const LoadSettings& settings;
  std::span<const PlannedRequest> requests;
  std::span<const std::string> bytes;  // of each request
  const ServerAddress& server;
  int n_connections = 1;        // at most
  EventReader* live = nullptr;  // counts tokens while they arrive, unless null
  ReceiveArena& arena;
};

class LoadLoop {
 public:
  explicit LoadLoop(const LoadParts& parts);
  ~LoadLoop();
  LoadLoop(const LoadLoop&) = delete;
  LoadLoop& operator=(const LoadLoop&) = delete;

  // Orders the sends and opens connections, ahead of the clock. False: the system gives no epoll set.
  [[nodiscard]] bool open();
  // Until all requests have ended. REQUIRES: open(), once.
  void drive();
  // Once: nothing more is sent, what is in flight ends. Twice: that is cut off too.
  void stop();

  [[nodiscard]] const LoadProgress& progress() const { return progress_; }
  [[nodiscard]] std::span<const Exchange> exchanges() const { return exchanges_; }
  [[nodiscard]] const ClientUse& use() const { return meter_.use(); }
  [[nodiscard]] std::int64_t began_ns() const { return began_ns_; }
  [[nodiscard]] std::int64_t ended_ns() const { return ended_ns_; }
  [[nodiscard]] int n_opened() const { return connections_.n_opened(); }
  [[nodiscard]] bool out_of_sockets() const { return out_of_sockets_; }
  [[nodiscard]] const char* broken_off() const { return broken_off_; }  // why the run is partial; null: it is whole

 private:
  enum class Alarm : std::uint8_t { kTimeout, kCancel, kSlowRead };
  struct Timed {
    Alarm alarm{};
    int request = 0;
    std::uint32_t slot = 0;
  };

  [[nodiscard]] Exchange& of(int request) { return exchanges_[static_cast<std::size_t>(request)]; }
  [[nodiscard]] const PlannedRequest& planned(int request) const { return parts_.requests[static_cast<std::size_t>(request)]; }
  [[nodiscard]] bool over() const;

  // load_loop.cpp: when
  void obey();
  void fire();
  void due(int request, std::int64_t at_ns);
  void alarm(const Timed& timed, std::int64_t now_ns);
  [[nodiscard]] bool may_start() const;
  void pump();
  void wait();
  void cut_off(const char* why);

  // load_exchange.cpp: how
  void start(int request);
  void send_on(Connection& connection);
  void on_event(std::uint32_t slot, std::uint32_t events);
  void on_connected(Connection& connection);
  void receive(Connection& connection, std::uint32_t events);
  enum class Read : std::uint8_t { kAll, kDrained, kOver };
  Read receive_once(Connection& connection, std::size_t most);
  void arrived(Connection& connection, std::string_view bytes, std::int64_t at_ns);
  void at_end_of_input(Connection& connection, int error, std::int64_t at_ns);
  void slow_read(Connection& connection, std::int64_t now_ns);
  void end_on(Connection& connection, Ending ending, std::int64_t at_ns);
  void end(int request, Ending ending, std::int64_t at_ns);
  void preconnect();

  LoadParts parts_;
  SendOrder order_;
  Connections connections_;
  LoadProgress progress_;
  ClientMeter meter_;
  std::vector<Exchange> exchanges_;
  Timers<int> sends_;
  Timers<Timed> alarms_;
  std::vector<Due> first_;    // what is due without any answer
  std::vector<int> waiting_;  // due and held back; from n_admitted_ on
  std::size_t n_admitted_ = 0;
  int in_flight_ = 0;
  bool draining_ = false, out_of_sockets_ = false;
  const char* broken_off_ = nullptr;
  std::int64_t began_ns_ = 0, ended_ns_ = 0;
  int wake_ = -1;
  std::atomic<int> stops_{0};
};

}  // namespace mie::bench
