#include "server/connection_table.h"

#include <boost/asio/post.hpp>

namespace mie {
namespace {

void cancel_on_its_strand(const std::shared_ptr<Connection>& connection) {
  net::post(connection->executor(), [connection] { connection->cancel(); });
}

}  // namespace

ConnectionTable::Seat::Seat(ConnectionTable& table, std::shared_ptr<Connection> connection, std::string address)
    : table_(&table), connection_(std::move(connection)), address_(std::move(address)) {}

ConnectionTable::Seat::Seat(Seat&& other) noexcept
    : table_(std::exchange(other.table_, nullptr)),
      connection_(std::move(other.connection_)),
      address_(std::move(other.address_)) {}

ConnectionTable::Seat::~Seat() {
  if (table_ != nullptr) table_->leave(connection_, address_);
}

void ConnectionTable::Seat::set(ConnectionState state) { table_->mark(connection_, state); }

std::unique_ptr<ConnectionTable::Seat> ConnectionTable::enter(std::shared_ptr<Connection> connection,
                                                              const std::string& address) {
  const std::lock_guard held(mutex_);
  if (n_open_ >= limits_.all) return nullptr;
  if (!address.empty()) {
    int& n = by_address_[address];
    if (n >= limits_.per_address) return nullptr;
    ++n;
  }
  ++n_open_;
  return std::unique_ptr<Seat>(new Seat(*this, std::move(connection), address));
}

void ConnectionTable::leave(const std::shared_ptr<Connection>& connection, const std::string& address) {
  const std::lock_guard held(mutex_);
  --n_open_;
  waiting_.erase(connection);
  if (address.empty()) return;
  if (const auto at = by_address_.find(address); --at->second == 0) by_address_.erase(at);
}

void ConnectionTable::mark(const std::shared_ptr<Connection>& connection, ConnectionState state) {
  const std::lock_guard held(mutex_);
  waiting_.erase(connection);
  if (state == ConnectionState::kBusy) return;
  if (closing_.contains(state)) return cancel_on_its_strand(connection);
  waiting_[connection] = state;
}

void ConnectionTable::close(ConnectionState state) {
  const std::lock_guard held(mutex_);
  closing_.insert(state);
  std::erase_if(waiting_, [state](const auto& entry) {
    if (entry.second == state) cancel_on_its_strand(entry.first);
    return entry.second == state;
  });
}

void ConnectionTable::close_idle() { close(ConnectionState::kIdle); }

void ConnectionTable::close_waiting() {
  close(ConnectionState::kIdle);
  close(ConnectionState::kFresh);
}

}  // namespace mie
