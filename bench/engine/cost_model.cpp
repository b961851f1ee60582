#include "bench/engine/cost_model.h"

#include "bench/metrics/step_counts.h"

#include <simdjson.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace mie::bench {
namespace {

constexpr std::string_view kSchema = "mie.cost_model/1";

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

}  // namespace

StepWork work_of(const StepBatch& batch, std::span<const SamplingRow> rows) {
  StepWork work;
  std::size_t next = 0;  // of the logits rows, which ascend
  for (std::size_t seq = 0; seq + 1 < batch.row_starts.size(); ++seq) {
    const std::int32_t begin = batch.row_starts[seq], end = batch.row_starts[seq + 1];
    const std::int64_t first = batch.positions[static_cast<std::size_t>(begin)];
    bool decodes = false;
    for (; next < rows.size() && batch.logits_rows[next] < end; ++next)
      decodes = !rows[next].score && first >= std::ssize(rows[next].prompt);
    (decodes ? work.n_decode : work.n_prefill) += end - begin;
    work.context += context_of(first, end - begin);
  }
  return work;
}

std::chrono::nanoseconds CostModel::of(const StepWork& work) const {
  const double seconds = a + b * static_cast<double>(work.n_prefill) + c * static_cast<double>(work.n_decode) +
                         d * static_cast<double>(work.context);
  return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

Result<CostModel> parse_cost_model(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (const auto failed = parser.parse(json).get(root); failed != simdjson::SUCCESS)
    return bad(simdjson::error_message(failed));
  std::string_view schema;
  if (root["schema"].get(schema) != simdjson::SUCCESS || schema != kSchema) return bad("schema is not " + std::string(kSchema));
  CostModel model;
  const std::array<std::pair<const char*, double*>, 4> wanted = {
      {{"a", &model.a}, {"b", &model.b}, {"c", &model.c}, {"d", &model.d}}};
  for (const auto& [name, value] : wanted) {
    if (root[name].get(*value) != simdjson::SUCCESS || !std::isfinite(*value) || *value < 0)
      return bad(std::string(name) + " must be seconds, from 0 on");
  }
  if (model.a + model.b + model.c + model.d <= 0) return bad("a step must cost something");
  model.json = simdjson::minify(root);
  return model;
}

Result<CostModel> read_cost_model(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad(path + ": cannot be read");
  auto model = parse_cost_model(std::string(std::istreambuf_iterator<char>(in), {}));
  if (model.has_error()) return bad(path + ": " + model.error().message);
  return model;
}

}  // namespace mie::bench
