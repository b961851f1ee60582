// The sockets of a run: opened, kept while idle, closed, and watched by one epoll set. Memory for all of them is taken in the
// constructor. Owned by a loop; its thread.
#pragma once

#include "bench/load/live_answer.h"
#include "bench/load/server_address.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

struct Connection {
  enum class State : std::uint8_t { kFree, kConnecting, kIdle, kBusy };

  State state = State::kFree;
  bool slow = false;  // reads at its own pace, serves one request
  int fd = -1;
  int slot = 0;
  int id = 0;  // from 1, in the order of opening
  int request = -1;
  std::size_t sent = 0;  // bytes of it
  std::string pending{};
  std::optional<LiveTokens> tokens{};
  std::optional<LiveAnswer> answer{};
};

class Connections {
 public:
  // `live`: counts tokens while they arrive, unless null.
  Connections(const ServerAddress& server, int n_at_most, EventReader* live);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // False: the system gives no epoll set. `wake_fd` is watched too, as slot kWake.
  [[nodiscard]] bool open(int wake_fd);
  static constexpr std::uint32_t kWake = ~std::uint32_t{0};

  [[nodiscard]] Connection* take_idle();  // the one used last; null: none
  // Connecting, or null with the error in `error`; 0 there: all slots are taken.
  [[nodiscard]] Connection* connect(bool slow, int& error);
  void keep(Connection& connection);  // idle from now on
  void close(Connection& connection);

  [[nodiscard]] bool has_idle() const { return !idle_.empty(); }
  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] std::span<Connection> all() { return connections_; }
  [[nodiscard]] Connection& at(std::uint32_t slot) { return connections_[slot]; }
  [[nodiscard]] int epoll() const { return epoll_; }
  [[nodiscard]] int n_opened() const { return n_opened_; }

 private:
  const ServerAddress& server_;
  std::vector<Connection> connections_;
  std::vector<int> free_, idle_;  // slots; the last is next
  int epoll_ = -1;
  int n_opened_ = 0;
};

}  // namespace mie::bench
