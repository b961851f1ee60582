#include "bench/steps/six_requests.h"

#include "bench/steps/engine_driver.h"

#include <fmt/format.h>

#include <array>
#include <random>

namespace mie::bench {
namespace {

// What a model is asked to run. A sequence whose first row is not at position 0 decodes: no prompt is cut here.
class StepCounter final : public ModelRunner {
 public:
  explicit StepCounter(ModelRunner& counted) : counted_(counted) {}

  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override {
    int n_decoding = 0;
    for (int seq = 0; seq < batch.n_seqs(); ++seq) {
      const auto first = static_cast<std::size_t>(batch.row_starts[static_cast<std::size_t>(seq)]);
      n_decoding += batch.positions[first] > 0 ? 1 : 0;
    }
    ++n_steps;
    n_decode_forwards += n_decoding > 0 ? 1 : 0;
    n_decode_rows += n_decoding;
    counted_.run(batch, rows, sampled);
  }

  int n_steps = 0, n_decode_forwards = 0, n_decode_rows = 0;

 private:
  ModelRunner& counted_;
};

struct Row {
  SchedulerKind scheduler;
  int cap;
  int decode_forwards;  // -1: not in the tables
  int steps;            // -1: not in the tables
};

constexpr auto kStatic = SchedulerKind::kStatic, kContinuous = SchedulerKind::kContinuous, kChunked = SchedulerKind::kChunked;
constexpr auto kTables = std::to_array<Row>({
    {SchedulerKind::kSerial, 2, 170, 176},
    {kStatic, 1, 170, -1},
    {kStatic, 2, 141, 144},
    {kStatic, 3, 110, -1},
    {kStatic, 4, 110, -1},
    {kStatic, 6, 63, -1},
    {kContinuous, 1, 170, -1},
    {kContinuous, 2, 93, 98},
    {kContinuous, 3, 69, -1},
    {kContinuous, 4, 63, -1},
    {kContinuous, 6, 63, -1},
    {kChunked, 1, -1, 176},
    {kChunked, 2, 95, 96},
    {kChunked, 3, -1, 72},
    {kChunked, 4, -1, 64},
    {kChunked, 6, -1, 64},
});

std::vector<Question> six_requests(int n_vocab) {
  std::mt19937 random(6);
  std::vector<Question> questions;
  for (const int n_new : {8, 32, 64, 16, 48, 8}) {
    Question& question = questions.emplace_back();
    for (int i = 0; i < 32; ++i)
      question.prompt.emplace_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(n_vocab)));
    question.n_new = n_new;
  }
  return questions;
}

}  // namespace

std::vector<std::string> wrong_six_request_counts(ModelRunner& runner, int n_vocab, const std::vector<bool>& prefix_caching) {
  const auto questions = six_requests(n_vocab);
  std::vector<std::string> wrong;
  std::vector<std::vector<TokenId>> first;  // the answers of the first arm
  for (const Row& row : kTables) {
    for (const bool caching : prefix_caching) {
      StepCounter counter(runner);
      DriveSetup setup;
      setup.scheduler = row.scheduler;
      setup.limits = {.max_seqs = row.cap, .max_tokens = 512, .max_prefill_chunk = 256};
      setup.n_blocks = kSixBlocks;
      setup.block_size = kSixBlockSize;
      setup.max_model_len = kSixLongest;
      setup.prefix_caching = caching;
      std::vector<std::vector<TokenId>> answers;
      for (const DrivenAnswer& given : answer(counter, setup, questions)) answers.push_back(given.tokens);
      if (first.empty()) first = answers;
      const auto expect = [&](const char* what, int counted, int right) {
        if (right < 0 || counted == right) return;
        wrong.push_back(fmt::format("{}, cap {}, prefix cache {}: {} {}, must be {}", name_of(row.scheduler), row.cap,
                                    caching ? "on" : "off", counted, what, right));
      };
      expect("decode forwards", counter.n_decode_forwards, row.decode_forwards);
      expect("steps", counter.n_steps, row.steps);
      expect("decode rows", counter.n_decode_rows, 170);
      expect("different answers", answers == first ? 0 : 1, 0);
    }
  }
  return wrong;
}

}  // namespace mie::bench
