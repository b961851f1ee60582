// What the client's own thread used and waited for while it drove a load. Owned by a loop; its thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mie::bench {

struct ClientUse {
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t spin_ns = 0;          // of it, waiting for an instant without sleeping
  std::int64_t run_queue_ns = 0;     // ready to run, and not running
  std::int64_t longest_loop_ns = 0;  // between two looks at the sockets
  std::int64_t busy_loop_ns = 0;     // sum of those times
  std::int64_t n_loops = 0;
};

class ClientMeter {
 public:
  void begin();
  void end();

  void looks_away(std::int64_t now_ns) { away_since_ns_ = now_ns; }  // begins to work
  void looks(std::int64_t now_ns) {                                  // is about to wait for sockets
    const std::int64_t busy = now_ns - away_since_ns_;
    use_.longest_loop_ns = std::max(use_.longest_loop_ns, busy);
    use_.busy_loop_ns += busy;
    ++use_.n_loops;
  }
  void spun(std::int64_t from_ns, std::int64_t to_ns) { use_.spin_ns += to_ns - from_ns; }

  [[nodiscard]] const ClientUse& use() const { return use_; }

 private:
  ClientUse use_;
  std::int64_t away_since_ns_ = 0, began_ns_ = 0, began_cpu_ns_ = 0, began_queue_ns_ = 0;
};

}  // namespace mie::bench
