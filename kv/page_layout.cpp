#include "kv/page_layout.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace mie {
namespace {

constexpr int kLargestBlock = 256;  // tokens; one block a sequence is `max`
constexpr std::size_t kQuotedCharacters = 64;

bool is_block_size(int n) { return n == 8 || n == 16 || (n >= 32 && n <= kLargestBlock && n % 32 == 0); }

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  ENSURE(a >= 1 && b >= 1 && !__builtin_mul_overflow(a, b, &result), "the page geometry is empty or too large");
  return result;
}

}  // namespace

Result<int> parse_block_size(std::string_view text, int max_model_len) {
  ENSURE(max_model_len >= 1, "max_model_len must be known first");
  if (text == "max") return max_model_len;
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error == std::errc() && end == text.data() + text.size() && is_block_size(n)) return n;
  return Error{Errc::kConfig,
               "block-size must be 8, 16, a multiple of 32 up to 256, or max, got \"" +
                   std::string(text.substr(0, kQuotedCharacters)) + "\"",
               "block-size"};
}

std::int64_t PageLayout::bytes_per_token() const {
  constexpr std::int64_t kKeyAndValue = 2;
  return product(product(kKeyAndValue * n_layers, n_kv_heads), product(head_dim, element_bytes));
}

std::int64_t PageLayout::bytes_per_block() const { return product(bytes_per_token(), block_size); }

int PageLayout::blocks_in(std::int64_t memory_bytes) const {
  ENSURE(memory_bytes >= 0, "a negative memory size");
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(memory_bytes / bytes_per_block(), kMost));
}

}  // namespace mie
