// A decoder in plain loops and double precision behind ModelRunner, with a paged cache and a tap, in which a test plants one
// bug of the kinds that cached decoding has. Shares no code with the backends. Greedy. Test code.
#pragma once

#include "models/layer_tap.h"
#include "models/model_runner.h"
#include "tests/fakes/decoder_formulas.h"
#include "tests/fakes/synthetic_model.h"

#include <vector>

namespace mie::test {

// What goes wrong for the row at one position, in one layer where the layer matters.
enum class Fault {
  kNone,
  kWrongToken,     // the row gets the token after its own in the vocabulary
  kPosition,       // Q and K turned for the position after it
  kRopePairs,      // every row: neighbouring dimensions turned, not those half a head apart
  kKeyLost,        // K never written
  kKeyMisplaced,   // K written to the slot after its own
  kValueStale,     // V of the position before it written again
  kBlocksSwapped,  // the first two blocks read in each other's place
  kPageTaken,      // another sequence writes its V to the first block before the row reads it
  kMaskWide,       // sees the position after its own
  kMaskNarrow,     // does not see itself
  kLogits,         // each logit given to the id after its own
  kSecondBest,     // the second best token taken
};

struct Planted {
  Fault fault = Fault::kNone;
  int layer = 0;
  int position = 0;
};

class FaultyDecoder final : public ModelRunner {
 public:
  FaultyDecoder(const SyntheticModel& model, int n_blocks, int block_size, LayerTap* tap, Planted planted = {});
  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override;

 private:
  struct Cached {
    Vector k, v;
  };
  // Of the step that runs.
  struct RowPlace {
    int position;
    const std::int32_t* table;
  };

  void run_layer(int layer, std::vector<Vector>& xs);
  void write(int layer, const RowPlace& row, Cached cached);
  [[nodiscard]] Vector read(int layer, const RowPlace& row, const Vector& q);
  [[nodiscard]] Vector feed_forward(int layer, const Vector& x) const;
  void show(TapPoint point, int layer, std::span<const Vector> rows, std::span<const std::int32_t> row_numbers);
  void show_all(TapPoint point, int layer, std::span<const Vector> rows);
  [[nodiscard]] Cached& slot(int layer, const std::int32_t* table, int position);
  [[nodiscard]] bool here(Fault fault, int layer, int position) const;

  const SyntheticModel& model_;
  int block_size_;
  LayerTap* tap_;
  Planted planted_;
  std::vector<std::vector<Cached>> slots_;  // [layers][n_blocks * block_size]
  std::vector<RowPlace> places_;
};

}  // namespace mie::test
