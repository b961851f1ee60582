#include "bench/diff/drive.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <utility>

namespace mie::diff {
namespace {

// Positions [first, end) of the sequence are new in a step; with a cache, those before are in it.
struct Span {
  int first, end;
};

std::vector<Span> spans_of(const Script& script, const Arrangement& arrangement) {
  std::vector<Span> spans;
  const int chunk = arrangement.cached ? arrangement.chunk : script.n_prompt;
  for (int first = 0; first < script.n_prompt; first += chunk)
    spans.push_back({first, std::min(first + chunk, script.n_prompt)});
  for (int position = script.n_prompt; position < script.n_total; ++position) spans.push_back({position, position + 1});
  return spans;
}

int blocks_a_sequence(const Script& script, const Arrangement& arrangement) {
  return (script.n_total + arrangement.block_size - 1) / arrangement.block_size;
}

// Packs the sequence and its company. Company i lacks the first tokens of the sequence, a number of its own, and ends where
// the sequence ends, so that no two rows of a step are alike.
class Packer {
 public:
  Packer(const Script& script, const Arrangement& arrangement)
      : arrangement_(arrangement),
        n_blocks_(blocks_a_sequence(script, arrangement)),
        n_prompt_(script.n_prompt),
        watched_(arrangement.batch / 2) {}

  [[nodiscard]] StepBatch pack(const std::vector<TokenId>& tokens, Span span) {
    StepBatch batch;
    batch.row_starts = {0};
    batch.max_blocks = n_blocks_;
    positions_.clear();
    for (int seq = 0; seq < arrangement_.batch; ++seq) add(batch, tokens, span, seq);
    return batch;
  }
  // Of the rows packed last.
  [[nodiscard]] const std::vector<int>& watched_positions() const { return positions_; }

 private:
  void add(StepBatch& batch, const std::vector<TokenId>& tokens, Span span, int seq) {
    const bool watched = seq == watched_;
    const int missing = watched ? 0 : std::min(seq + 1, n_prompt_ - 1);
    const int first = std::max(arrangement_.cached ? span.first : 0, missing);
    if (first >= span.end) return;  // company that has not begun
    for (int at = first; at < span.end; ++at) {
      const bool looked_at = watched && at >= span.first;
      if (looked_at) batch.logits_rows.push_back(batch.n_tokens());
      positions_.push_back(looked_at ? at : -1);
      batch.tokens.push_back(tokens[static_cast<std::size_t>(at)].value());
      batch.positions.push_back(at - missing);
    }
    batch.row_starts.push_back(batch.n_tokens());
    // Dealt like cards, highest first, so that no page is where its number in the sequence says.
    for (int block = 0; block < n_blocks_; ++block)
      batch.block_tables.push_back((n_blocks_ - block) * arrangement_.batch - 1 - seq);
  }

  const Arrangement& arrangement_;
  int n_blocks_, n_prompt_, watched_;
  std::vector<int> positions_;
};

void run_step(ModelRunner& runner, const StepBatch& batch, Record& record, int first) {
  std::vector<SamplingRow> rows(batch.logits_rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].temperature = 0;
    rows[i].position = first + static_cast<int>(i) + 1;
  }
  std::vector<Sampled> sampled(rows.size());
  runner.run(batch, rows, sampled);
  for (const Sampled& one : sampled) record.next.emplace_back(one.token);
}

}  // namespace

int rows_needed(const Script& script, const Arrangement& arrangement) {
  const int rows = arrangement.cached ? std::min(arrangement.chunk, script.n_prompt) : script.n_total;
  return rows * arrangement.batch;
}

int blocks_needed(const Script& script, const Arrangement& arrangement) {
  return blocks_a_sequence(script, arrangement) * arrangement.batch;
}

Record drive(ModelRunner& runner, Recorder& recorder, const Script& script, const Arrangement& arrangement) {
  ENSURE(script.n_prompt >= 1 && script.n_total >= script.n_prompt, "a prompt, and what follows it");
  Record record{.made_by = {}, .numerics = {}, .tokens = script.tokens, .n_prompt = script.n_prompt};
  record.tokens.reserve(static_cast<std::size_t>(script.n_total));
  Packer packer(script, arrangement);
  for (const Span span : spans_of(script, arrangement)) {
    if (static_cast<int>(record.tokens.size()) < span.end) record.tokens.push_back(*record.next.back());
    const StepBatch batch = packer.pack(record.tokens, span);
    recorder.watch(packer.watched_positions());
    try {
      run_step(runner, batch, record, span.first);
    } catch (const ModelStepError& error) {
      record.failure = error.what();
      break;
    }
  }
  recorder.watch({});
  record.tensors = recorder.take();
  return record;
}

}  // namespace mie::diff
