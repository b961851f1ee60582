// Where everything that arrives lies until the run is over: one block of memory, taken and touched before the clock starts, and
// one entry for each read. Bounded: when it is full the owner is told and has to stop. Owned by a run; its loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mie::bench {

struct ReceivedChunk {
  std::int64_t at_ns = 0;  // when recv() returned
  std::size_t offset = 0;
  std::uint32_t size = 0;
  int request = 0;
};

class ReceiveArena {
 public:
  ReceiveArena(std::size_t n_bytes, std::size_t n_chunks);
  ~ReceiveArena();
  ReceiveArena(const ReceiveArena&) = delete;
  ReceiveArena& operator=(const ReceiveArena&) = delete;

  // Where the next read may write, `most` bytes or fewer; empty: full.
  [[nodiscard]] std::span<char> tail(std::size_t most);
  // The first `size` bytes of the tail are what a read gave to `request`.
  void keep(int request, std::int64_t at_ns, std::size_t size);

  [[nodiscard]] std::span<const ReceivedChunk> chunks() const { return chunks_; }
  [[nodiscard]] std::string_view bytes_of(const ReceivedChunk& chunk) const { return {memory_ + chunk.offset, chunk.size}; }

 private:
  char* memory_ = nullptr;
  std::size_t n_bytes_;
  std::size_t used_ = 0;
  std::vector<ReceivedChunk> chunks_;  // never beyond its first capacity
};

}  // namespace mie::bench
