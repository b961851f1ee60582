#include "bench/quality/command.h"

#include "bench/quality/report.h"
#include "bench/quality/text.h"
#include "core/base/file_digest.h"
#include "core/base/log.h"
#include "server/exit_codes.h"
#include "server/model_loader.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace mie {
namespace {

constexpr int kRowsAStep = 32;

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

Result<std::string> whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad("--text: cannot read " + path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// A model under one backend, and what it said about the positions so far.
struct Reader {
  LoadedModel model;
  std::vector<quality::PositionFigures> positions{};

  [[nodiscard]] quality::Variant variant() const {
    return {.backend = model.served.backend,
            .numerics = model.served.numerics,
            .isa = model.served.isa,
            .kv_dtype = model.served.kv_dtype};
  }
  std::vector<quality::ScoredRow> rows(const quality::ScoringStep& step) {
    return quality::score(*model.runner, step, model.block_size, model.served.n_vocab);
  }
};

Result<Reader> open(const Config& config) {
  auto model = load_model(config, SystemClock(), [](std::string_view, double) {});
  if (model.has_error()) return model.error();
  return Reader{.model = std::move(*model)};
}

// One sequence of one chunk, and no thread bound to a core that another backend needs as well.
Config for_scoring(Config config, int chunk) {
  config.max_model_len = chunk;
  config.max_num_seqs = config.max_num_batched_tokens = kRowsAStep;
  config.pin = "off";
  return config;
}

Config for_reference(Config config, const std::string& backend) {
  config.backend = backend;
  config.dtype = config.kv_dtype = "fp32";
  return config;
}

// What --compute says, or every mode that the backend has.
std::vector<Config> variants_of(const Config& config, const FlagTexts& given) {
  if (config.backend != "native" || given.contains("compute")) return {config};
  std::vector<Config> modes;
  for (const char* mode : {"w4a8", "w4a16"}) modes.emplace_back(config).compute = mode;
  return modes;
}

Result<std::vector<quality::ScoringStep>> cut(const Tokenizer& tokenizer, const std::string& text, quality::TextCut how) {
  const TokenizerConfig& config = tokenizer.config();
  if (config.add_bos && !config.bos_id.empty()) how.bos = config.bos_id.front();
  const std::array all = {ByteRange{0, text.size()}};  // the text's own "<|im_end|>" is no control token
  return quality::cut_text(tokenizer.encode(text, all), how);
}

void read(Reader& reference, std::vector<Reader>& readers, std::span<const quality::ScoringStep> steps) {
  for (const quality::ScoringStep& step : steps) {
    const auto expected = reference.rows(step);
    for (Reader& reader : readers) {
      const auto rows = reader.rows(step);
      for (std::size_t i = 0; i < rows.size(); ++i)
        reader.positions.push_back(quality::compare(expected[i], rows[i], step.next[i]));
    }
  }
}

std::string digest_of(std::span<const quality::ScoringStep> steps) {
  std::vector<std::int32_t> ids;
  for (const quality::ScoringStep& step : steps) ids.insert(ids.end(), step.tokens.begin(), step.tokens.end());
  return sha256_of(std::as_bytes(std::span(ids)));
}

}  // namespace

QualityBench::QualityBench(CLI::App& command) : flags_(command, ConfigOption::Scope::kModel) {
  command.add_option("--text", text_file_, "text to read, UTF-8")->type_name("FILE")->required();
  command.add_option("--positions", n_positions_, "positions to score [2000]")->check(CLI::Range(1, 10'000'000));
  command.add_option("--chunk", chunk_, "tokens of a chunk; its second half is scored [512]")->check(CLI::Range(4, 1 << 20));
  command.add_option("--reference", reference_, "backend of the reference, in fp32 [torch]")->type_name("TEXT");
  command.add_option("--json", json_file_, "write the figures to this file, - for stdout")->type_name("FILE");
}

Result<quality::QualityReport> QualityBench::measure(const Config& config, const FlagTexts& given) const {
  auto text = whole_file(text_file_);
  if (text.has_error()) return text.error();
  auto digest = sha256_of_file(config.model);
  if (digest.has_error()) return digest.error();
  const Config scoring = for_scoring(config, chunk_);
  auto reference = open(for_reference(scoring, reference_));
  if (reference.has_error()) return reference.error();
  const api::ServedModel& served = reference->model.served;
  const auto steps = cut(*served.tokenizer, *text, {.chunk = chunk_, .n_positions = n_positions_, .rows_a_step = kRowsAStep});
  if (steps.has_error()) return steps.error();

  std::vector<Reader> readers;
  for (const Config& variant : variants_of(scoring, given)) {
    auto reader = open(variant);
    if (reader.has_error()) return reader.error();
    readers.push_back(std::move(*reader));
  }
  read(*reference, readers, *steps);

  quality::QualityReport report{.text_file = text_file_,
                                .text_sha256 = sha256_of(std::as_bytes(std::span(*text))),
                                .tokens_sha256 = digest_of(*steps),
                                .chunk = chunk_,
                                .model_file = config.model,
                                .model_sha256 = std::move(*digest),
                                .architecture = served.architecture,
                                .weight_format = served.weight_format,
                                .reference = reference->variant(),
                                .rows = {}};
  for (const Reader& reader : readers) report.rows.push_back({reader.variant(), quality::summarise(reader.positions)});
  return report;
}

Result<int> QualityBench::run() {
  auto sources = flags_.sources();
  sources.flags.try_emplace("log-level", "warn");  // a terminal is for the table
  const auto config = configure(sources);
  if (config.has_error()) return config.error();
  if (config->model.empty()) return bad("--model is required");
  const auto report = measure(*config, sources.flags);
  if (report.has_error()) return report.error();
  if (json_file_ != "-") std::fputs(quality::as_table(*report).c_str(), stdout);
  if (json_file_ == "-") std::printf("%s\n", quality::as_json(*report).c_str());
  if (!json_file_.empty() && json_file_ != "-") {
    std::ofstream out(json_file_, std::ios::binary);
    out << quality::as_json(*report) << '\n';
    if (!out.flush()) return bad("--json: cannot write " + json_file_);
  }
  return kExitClean;
}

}  // namespace mie
