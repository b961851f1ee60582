#include "bench/workload/draw/random_stream.h"

#include "core/base/file_digest.h"

#include <fmt/format.h>

#include <span>
#include <string>

namespace mie::bench {
namespace {

// The digest's first eight bytes as two words, the first byte of each being its lowest.
PhiloxKey key_of(const std::string& digest) {
  PhiloxKey key{};
  for (std::size_t i = 0; i < 8; ++i)
    key[i / 4] |= static_cast<std::uint32_t>(std::stoul(digest.substr(2 * i, 2), nullptr, 16)) << (8 * (i % 4));
  return key;
}

}  // namespace

RandomStream::RandomStream(std::string_view purpose, std::int64_t seed) {
  const std::string name = fmt::format("mie.bench.{}.{}", purpose, seed);
  key_ = key_of(sha256_of(std::as_bytes(std::span(name))));
}

PhiloxCounter RandomStream::words(std::uint64_t index, std::uint32_t lane, std::uint32_t block) const {
  return philox4x32_10({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32U), block, lane}, key_);
}

double RandomStream::uniform(std::uint64_t index, std::uint32_t lane) const {
  const PhiloxCounter drawn = words(index, lane, 0);
  const std::uint64_t bits = (std::uint64_t{drawn[1]} << 32U) | drawn[0];
  return (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;
}

}  // namespace mie::bench
