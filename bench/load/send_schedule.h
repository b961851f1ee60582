// When the requests of a load are sent, and how far it is: what is due, held back or dropped, in flight, ended; a stop. How a
// request travels is its SendClient's matter. From begin() on it takes no memory. Owned by a load; its loop's thread, but for
// stop() and progress().
#pragma once

#include "bench/load/exchange.h"
#include "bench/load/load_settings.h"
#include "bench/load/progress.h"
#include "bench/load/send_order.h"
#include "bench/load/timers.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mie::bench {

class SendClient {
 public:
  [[nodiscard]] virtual std::int64_t now_ns() const = 0;
  [[nodiscard]] virtual bool has_room() = 0;  // for one more, the load's own limit aside
  virtual void start(int request) = 0;        // it is in flight; sent() and ended() are to follow, or ended() alone
  virtual void cut_off() = 0;                 // ends all that are in flight as kStopped

 protected:
  ~SendClient() = default;
};

class SendSchedule {
 public:
  // All outlive it.
  SendSchedule(const LoadSettings& settings, std::span<const PlannedRequest> requests, SendClient& client);

  void order();  // ahead of the clock: finds what is due without any answer
  void begin();  // REQUIRES: order(), once. The clock starts.
  [[nodiscard]] bool over() const;

  // Once: nothing more is sent, what is in flight ends. Twice: that is cut off too. obey() sees it.
  void stop() { stops_.fetch_add(1); }
  void obey();
  void give_up(const char* why);  // a text of the program's

  void fire();  // starts what is due, holds it back or drops it; so many at a time that answers are not kept waiting
  void pump();  // starts what was held back, as far as there is room
  [[nodiscard]] std::int64_t next_ns() const { return sends_.next_ns(); }  // of the next send; Timers::kNever: none is planned

  void sent(int request, std::int64_t at_ns);  // its first byte
  void ended(int request, Ending ending, std::int64_t at_ns, int tokens, RequestStatus apparent);

  [[nodiscard]] Exchange& of(int request) { return exchanges_[static_cast<std::size_t>(request)]; }
  [[nodiscard]] const Exchange& of(int request) const { return exchanges_[static_cast<std::size_t>(request)]; }
  [[nodiscard]] bool in_flight(int request) const { return of(request).phase == Exchange::Phase::kInFlight; }
  [[nodiscard]] std::span<const Exchange> exchanges() const { return exchanges_; }
  [[nodiscard]] LoadProgress& progress() { return progress_; }
  [[nodiscard]] const LoadProgress& progress() const { return progress_; }
  [[nodiscard]] std::int64_t began_ns() const { return began_ns_; }
  [[nodiscard]] const char* broken_off() const { return broken_off_; }  // why the run is partial; null: it is whole

 private:
  void due(int request, std::int64_t at_ns);
  [[nodiscard]] bool may_start();
  void start(int request);

  const LoadSettings& settings_;
  SendClient& client_;
  SendOrder order_;
  LoadProgress progress_;
  std::vector<Exchange> exchanges_;
  Timers<int> sends_;
  std::vector<Due> first_;    // what is due without any answer
  std::vector<int> waiting_;  // due and held back; from n_admitted_ on
  std::size_t n_admitted_ = 0;
  int in_flight_ = 0;
  bool draining_ = false;
  const char* broken_off_ = nullptr;
  std::int64_t began_ns_ = 0;
  std::atomic<int> stops_{0};
};

}  // namespace mie::bench
