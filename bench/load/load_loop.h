// The loop that drives a load: one thread, one epoll set, timers. It sends prepared bytes when the schedule says and keeps what
// arrives, with a stamp for each read; what answers say is read afterwards. Between the first send and the last end it takes no
// memory. Owned by a LoadRun; drive() on one thread, stop() from any thread or signal handler.
#pragma once

#include "bench/load/client_meter.h"
#include "bench/load/connections.h"
#include "bench/load/exchange.h"
#include "bench/load/load_settings.h"
#include "bench/load/progress.h"
#include "bench/load/receive_arena.h"
#include "bench/load/send_schedule.h"
#include "bench/load/timers.h"

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

class LoadLoop final : private SendClient {
 public:
  explicit LoadLoop(const LoadParts& parts);
  ~LoadLoop();
  LoadLoop(const LoadLoop&) = delete;
  LoadLoop& operator=(const LoadLoop&) = delete;

  // Orders the sends and opens connections, ahead of the clock. False: the system gives no epoll set.
  [[nodiscard]] bool open();
  // Until all requests have ended. REQUIRES: open(), once.
  void drive();
  void stop();  // as SendSchedule::stop

  [[nodiscard]] const SendSchedule& schedule() const { return schedule_; }
  [[nodiscard]] const ClientUse& use() const { return meter_.use(); }
  [[nodiscard]] std::int64_t ended_ns() const { return ended_ns_; }
  [[nodiscard]] int n_opened() const { return connections_.n_opened(); }
  [[nodiscard]] bool out_of_sockets() const { return out_of_sockets_; }

 private:
  enum class Alarm : std::uint8_t { kTimeout, kCancel, kSlowRead };
  struct Timed {
    Alarm alarm{};
    int request = 0;
    std::uint32_t slot = 0;
  };

  [[nodiscard]] Exchange& of(int request) { return schedule_.of(request); }
  [[nodiscard]] const PlannedRequest& planned(int request) const { return parts_.requests[static_cast<std::size_t>(request)]; }

  // load_loop.cpp: when
  [[nodiscard]] std::int64_t now_ns() const override;
  [[nodiscard]] bool has_room() override { return connections_.has_idle() || !connections_.full(); }
  void cut_off() override;
  void ring();
  void alarm(const Timed& timed, std::int64_t now_ns);
  void wait();

  // load_exchange.cpp: how
  void start(int request) override;
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
  SendSchedule schedule_;
  Connections connections_;
  ClientMeter meter_;
  Timers<Timed> alarms_;
  bool out_of_sockets_ = false;
  std::int64_t ended_ns_ = 0;
  int wake_ = -1;
};

}  // namespace mie::bench
