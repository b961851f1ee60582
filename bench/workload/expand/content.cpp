#include "bench/workload/expand/content.h"

#include <array>
#include <charconv>
#include <numeric>
#include <string_view>

namespace mie::bench {
namespace {

// Words that most vocabularies hold whole, so that a text has about as many tokens as words.
constexpr std::array<std::string_view, 64> kWords = {
    "time",  "year",   "people", "way",  "day",   "man",    "thing",  "world",   "life",   "hand",  "part",  "child", "eye",
    "place", "work",   "week",   "case", "point", "home",   "water",  "room",    "area",   "money", "story", "fact",  "month",
    "lot",   "right",  "study",  "book", "job",   "word",   "side",   "kind",    "head",   "house", "hour",  "game",  "line",
    "end",   "member", "law",    "car",  "city",  "name",   "team",   "minute",  "idea",   "body",  "back",  "face",  "level",
    "door",  "health", "art",    "war",  "party", "result", "change", "morning", "reason", "girl",  "guy",   "food"};

std::uint32_t lane_of(PieceKind kind) { return static_cast<std::uint32_t>(kind); }

std::uint64_t vocabulary_size(const ContentSpec& spec) {
  return static_cast<std::uint64_t>(std::int64_t{spec.vocab_max} - spec.vocab_min) + 1;
}

int number_of(const std::string& digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

}  // namespace

Content::Content(const WorkloadSpec& spec, const Inputs& inputs)
    : spec_(spec.prompt.content), form_(spec.prompt.form), random_("content", spec.seed), corpus_(inputs.corpus_words) {
  if (form_ == PromptForm::kText) {
    corpus_ids_.resize(corpus_.size());
    std::iota(corpus_ids_.begin(), corpus_ids_.end(), 0);
    return;
  }
  for (const std::string& word : corpus_) corpus_ids_.push_back(number_of(word));
}

void Content::append_corpus(std::vector<int>& ids, Piece piece, int n) const {
  const auto size = corpus_ids_.size();
  auto at = static_cast<std::size_t>(random_.uniform(piece.index, lane_of(piece.kind)) * static_cast<double>(size));
  for (int i = 0; i < n; ++i, ++at) ids.push_back(corpus_ids_[at % size]);
}

void Content::append(std::vector<int>& ids, Piece piece, int n) const {
  if (spec_.kind == ContentKind::kRepeatId) {
    ids.insert(ids.end(), static_cast<std::size_t>(n), spec_.id);
    return;
  }
  if (spec_.kind == ContentKind::kCorpus) return append_corpus(ids, piece, n);
  const std::uint64_t n_ids = vocabulary_size(spec_);
  PhiloxCounter drawn{};
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    if (at % 4 == 0) drawn = random_.words(piece.index, lane_of(piece.kind), at / 4);
    ids.push_back(spec_.vocab_min + static_cast<int>((drawn[at % 4] * n_ids) >> 32U));
  }
}

void Content::salt(std::vector<int>& ids, std::uint32_t number) const {
  const std::uint64_t base = vocabulary_size(spec_);
  std::uint64_t left = number;
  std::uint64_t span = 1;
  for (std::size_t i = 0; i < ids.size() && span <= UINT32_MAX; ++i, span *= base, left /= base)
    ids[i] = spec_.vocab_min + static_cast<int>(left % base);
}

std::string Content::text(const std::vector<int>& ids) const {
  std::string text;
  for (const int id : ids) {
    if (!text.empty()) text += ' ';
    const auto at = static_cast<std::size_t>(id);
    text += spec_.kind == ContentKind::kCorpus ? std::string_view(corpus_[at]) : kWords[at % kWords.size()];
  }
  return text;
}

}  // namespace mie::bench
