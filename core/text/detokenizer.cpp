#include "core/text/detokenizer.h"

#include "core/text/utf8.h"

namespace mie {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string Detokenizer::push(std::string_view token_bytes) {
  tail_ += token_bytes;
  std::string out;
  out.reserve(tail_.size());
  std::string_view rest = tail_;
  while (!rest.empty()) {
    const Utf8Step step = next_utf8(rest);
    if (step.kind == Utf8Kind::kPartial) break;
    out += step.kind == Utf8Kind::kWhole ? rest.substr(0, step.n_bytes) : kReplacement;
    rest.remove_prefix(step.n_bytes);
  }
  tail_.erase(0, tail_.size() - rest.size());
  return out;
}

std::string Detokenizer::finish() {
  const bool cut = !tail_.empty();
  tail_.clear();
  return cut ? std::string(kReplacement) : std::string();
}

}  // namespace mie
