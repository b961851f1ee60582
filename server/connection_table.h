// Every open connection: how many there are, how many from each address, and which of them wait for a request, so that a
// drain can close those. Owned by main; outlives every session. Thread-safe.
#pragma once

#include "server/connection.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace mie {

enum class ConnectionState {
  kFresh,  // no request has come yet
  kBusy,   // a request is being answered: it must not be asked to leave
  kIdle,   // between requests
};

class ConnectionTable {
 public:
  struct Limits {
    int all = 0;
    int per_address = 0;
  };
  explicit ConnectionTable(Limits limits) : limits_(limits) {}

  // A place in the table for the life of one connection.
  class Seat {
   public:
    ~Seat();
    Seat(Seat&&) noexcept;
    Seat& operator=(Seat&&) = delete;
    void set(ConnectionState state);

   private:
    friend class ConnectionTable;
    Seat(ConnectionTable& table, std::shared_ptr<Connection> connection, std::string address);
    ConnectionTable* table_;
    std::shared_ptr<Connection> connection_;
    std::string address_;
  };

  // `address` empty: not counted by address (unix sockets). Null: over a limit.
  std::unique_ptr<Seat> enter(std::shared_ptr<Connection> connection, const std::string& address);

  // From now on idle connections are closed, those that become idle later too. Fresh ones are still owed an answer.
  void close_idle();
  // The same for fresh ones.
  void close_waiting();

 private:
  void leave(const std::shared_ptr<Connection>& connection, const std::string& address);
  void mark(const std::shared_ptr<Connection>& connection, ConnectionState state);
  void close(ConnectionState state);

  const Limits limits_;
  std::mutex mutex_;
  int n_open_ = 0;
  std::set<ConnectionState> closing_;
  std::map<std::string, int> by_address_;
  std::map<std::shared_ptr<Connection>, ConnectionState> waiting_;
};

}  // namespace mie
