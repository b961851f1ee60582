#include "tests/models/torch/golden.h"

#include "models/registry.h"

#include <simdjson.h>

#include <cstdlib>
#include <stdexcept>

namespace mie::test {
namespace {

TokenId token(simdjson::dom::element number) { return TokenId(static_cast<std::int32_t>(std::int64_t{number})); }

GoldenPrompt read_prompt(simdjson::dom::element entry) {
  GoldenPrompt prompt;
  prompt.name = std::string(std::string_view(entry["name"]));
  for (const auto id : entry["ids"].get_array()) prompt.ids.push_back(token(id));
  for (const auto id : entry["tokens"].get_array()) prompt.tokens.push_back(token(id));
  for (const auto gap : entry["gaps"].get_array()) prompt.gaps.push_back(gap.get_double());
  simdjson::dom::array best;
  if (entry["top_logprobs"].get(best) != simdjson::SUCCESS) return prompt;
  for (const auto pair : best) {
    prompt.top_logprobs.push_back({token(pair.at(0)), static_cast<float>(pair.at(1).get_double())});
  }
  return prompt;
}

}  // namespace

std::vector<GoldenPrompt> golden_prompts() {
  simdjson::dom::parser parser;
  const simdjson::dom::element file = parser.load(MIE_TEST_DATA "/golden/model/smollm2_greedy.json");
  std::vector<GoldenPrompt> prompts;
  for (const auto entry : file["prompts"].get_array()) prompts.push_back(read_prompt(entry));
  return prompts;
}

std::vector<GoldenText> golden_texts() {
  simdjson::dom::parser parser;
  const simdjson::dom::element file = parser.load(MIE_TEST_DATA "/golden/model/smollm2_prompt_logprobs.json");
  std::vector<GoldenText> texts;
  for (const auto entry : file["texts"].get_array()) {
    GoldenText& text = texts.emplace_back();
    text.name = std::string(std::string_view(entry["name"]));
    for (const auto id : entry["ids"].get_array()) text.ids.push_back(token(id));
    for (const auto pair : entry["scores"].get_array()) {
      text.logprobs.push_back(pair.at(0).get_double());
      text.ranks.push_back(static_cast<int>(std::int64_t{pair.at(1)}));
    }
  }
  return texts;
}

std::unique_ptr<GgufFile> open_test_model() {
  const char* path = std::getenv("MIE_TEST_MODEL");  // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  if (path == nullptr) throw std::runtime_error("set MIE_TEST_MODEL to the path of SmolLM2-135M-Instruct.Q4_1.gguf");
  auto file = GgufFile::open(path);
  if (!file) throw std::runtime_error(file.error().message);
  return std::move(*file);
}

std::unique_ptr<ModelRunner> open_runner(const GgufFile& file, const TorchOptions& options) {
  const auto plan = plan_model(file);
  if (!plan) throw std::runtime_error(plan.error().message);
  auto runner = open_torch_runner({}, *plan, file, options, {});
  if (!runner) throw std::runtime_error(runner.error().message);
  return std::move(*runner);
}

}  // namespace mie::test
