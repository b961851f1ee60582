#include "core/text/stop_matcher.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <utility>

namespace mie {
namespace {

// borders[k]: how much of `text` may still be matched after its first k + 1 bytes matched and the next one did not.
// E.g. "abab" → 0 0 1 2.
std::vector<std::uint32_t> borders_of(std::string_view text) {
  std::vector<std::uint32_t> borders(text.size(), 0);
  std::uint32_t border = 0;
  for (std::size_t k = 1; k < text.size(); ++k) {
    while (border > 0 && text[k] != text[border]) border = borders[border - 1];
    if (text[k] == text[border]) ++border;
    borders[k] = border;
  }
  return borders;
}

}  // namespace

StopMatcher::StopMatcher(std::vector<std::string> stops, bool include) : include_(include) {
  stops_.reserve(stops.size());
  for (std::string& stop : stops) {
    ENSURE(!stop.empty(), "an empty stop string");
    std::vector<std::uint32_t> borders = borders_of(stop);
    stops_.push_back({.text = std::move(stop), .borders = std::move(borders)});
  }
}

// REQUIRES: stop.matched < stop.text.size(); a full match ends the output, so there is no step after it.
void StopMatcher::advance(Stop& stop, char byte) {
  while (stop.matched > 0 && stop.text[stop.matched] != byte) stop.matched = stop.borders[stop.matched - 1];
  if (stop.text[stop.matched] == byte) ++stop.matched;
}

const StopMatcher::Stop* StopMatcher::advance_all(char byte) {
  const Stop* ended = nullptr;
  for (Stop& stop : stops_) {
    advance(stop, byte);
    const bool whole = stop.matched == stop.text.size();
    if (whole && (ended == nullptr || stop.text.size() > ended->text.size())) ended = &stop;
  }
  return ended;
}

StopMatcher::Step StopMatcher::push(std::string_view text) {
  ENSURE(!ended_, "text pushed after a stop string ended the output");
  const std::size_t n_before = held_.size();
  held_ += text;
  for (std::size_t i = n_before; i < held_.size(); ++i) {
    const Stop* stop = advance_all(held_[i]);
    if (stop == nullptr) continue;
    ended_ = true;
    held_.resize(include_ ? i + 1 : i + 1 - stop->text.size());
    return {.text = std::exchange(held_, {}), .match = stop->text};
  }
  std::size_t n_kept = 0;
  for (const Stop& stop : stops_) n_kept = std::max(n_kept, stop.matched);
  Step step{.text = held_.substr(0, held_.size() - n_kept), .match = std::nullopt};
  held_.erase(0, step.text.size());
  return step;
}

std::string StopMatcher::finish() { return std::exchange(held_, {}); }

}  // namespace mie
