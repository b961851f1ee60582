// What is in a prompt, piece by piece: token ids, or words where prompts are text. A piece is named by a kind and a number, and
// equal names give equal beginnings. Immutable; any thread.
#pragma once

#include "bench/workload/draw/random_stream.h"
#include "bench/workload/expand/inputs.h"

namespace mie::bench {

enum class PieceKind : std::uint8_t { kOwn, kPrefix, kBlock, kAnswer, kGroup };  // group: which prefix, no content

struct Piece {
  PieceKind kind = PieceKind::kOwn;
  std::uint64_t index = 0;
};

class Content {
 public:
  Content(const WorkloadSpec& spec, const Inputs& inputs);  // the inputs outlive it

  // n more ids at the end. For text an id stands for a word.
  void append(std::vector<int>& ids, Piece piece, int n) const;

  // Overwrites the first ids with digits of the request's number, so that no two prompts begin alike (as long as the prompt
  // holds the digits).
  void salt(std::vector<int>& ids, std::uint32_t number) const;

  [[nodiscard]] std::string text(const std::vector<int>& ids) const;

 private:
  void append_corpus(std::vector<int>& ids, Piece piece, int n) const;

  ContentSpec spec_;
  PromptForm form_;
  RandomStream random_;
  const std::vector<std::string>& corpus_;
  std::vector<int> corpus_ids_;
};

}  // namespace mie::bench
