#include "bench/diff/command.h"

#include "bench/diff/dump_file.h"
#include "bench/diff/report.h"
#include "core/text/tokenizer.h"
#include "models/weights/gguf.h"
#include "server/exit_codes.h"
#include "server/model/gguf_tokenizer.h"
#include "server/model_loader.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace mie {
namespace {

constexpr int kExitDiverged = 1;

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

// As a completion reads the text: its own "<|im_end|>" is no control token, and the model's BOS comes first.
Result<std::vector<TokenId>> tokens_of(const std::string& text, const std::string& model) {
  const auto file = GgufFile::open(model);
  if (file.has_error()) return file.error();
  auto config = tokenizer_config(**file);
  if (config.has_error()) return config.error();
  const auto tokenizer = make_tokenizer(std::move(*config));
  if (tokenizer.has_error()) return tokenizer.error();
  const std::array all = {ByteRange{0, text.size()}};
  std::vector<TokenId> tokens = (*tokenizer)->encode(text, all);
  const TokenizerConfig& said = (*tokenizer)->config();
  if (said.add_bos && !said.bos_id.empty()) tokens.insert(tokens.begin(), said.bos_id.front());
  return tokens;
}

// One sequence of the script's length, logits of every row of a step, and no thread bound to a core.
Config for_script(Config config, const diff::Script& script, const diff::Arrangement& arrangement) {
  config.max_model_len = script.n_total;
  config.max_num_seqs = config.max_num_batched_tokens = diff::rows_needed(script, arrangement);
  config.pin = "off";
  return config;
}

std::string named(const api::ServedModel& served) {
  std::string name = served.backend + ' ' + served.numerics;
  if (!served.isa.empty()) name += ' ' + served.isa;
  return name + ", KV " + served.kv_dtype;
}

diff::Numerics numerics_of(const api::ServedModel& served) {
  if (served.backend != "native") {
    const bool rounds = served.numerics == "bf16" || served.kv_dtype == "bf16";
    return {rounds ? diff::Arithmetic::kBf16 : diff::Arithmetic::kFp32, ""};
  }
  return {served.numerics == "w4a8" ? diff::Arithmetic::kW4A8 : diff::Arithmetic::kBf16, named(served)};
}

Result<diff::Record> record_of(const diff::Mode& mode, const diff::Script& script) {
  diff::Recorder recorder;
  auto model =
      load_model(for_script(mode.config, script, mode.arrangement), SystemClock(), [](std::string_view, double) {}, &recorder);
  if (model.has_error()) return model.error();
  diff::Arrangement arrangement = mode.arrangement;
  arrangement.block_size = model->block_size;
  if (model->n_blocks < diff::blocks_needed(script, arrangement))
    return bad("the KV cache is too small for the tokens: see --kv-cache-memory");
  for (const TokenId token : script.tokens) {
    if (token.value() < 0 || token.value() >= model->served.n_vocab)
      return bad(fmt::format("no token has id {}", token.value()));
  }
  diff::Record record = diff::drive(*model->runner, recorder, script, arrangement);
  record.numerics = numerics_of(model->served);
  record.made_by = fmt::format("{}, blocks of {}{}{}", named(model->served), model->block_size,
                               arrangement.cached ? fmt::format(", chunks of {}", arrangement.chunk) : ", nothing cached",
                               arrangement.batch > 1 ? fmt::format(", {} together", arrangement.batch) : "");
  return record;
}

Result<diff::Record> side(const diff::Mode& mode, const diff::Script& script) {
  return mode.dump.empty() ? record_of(mode, script) : diff::read_dump(mode.dump);
}

// What both sides read: a dump's tokens where a side is one, else the prompt and what side A makes of it. `prompt`: empty
// where a dump has one.
Result<diff::Script> script_of(const diff::Mode& a, const diff::Mode& b, std::vector<TokenId> prompt, int n_tokens) {
  const std::string& dump = a.dump.empty() ? b.dump : a.dump;
  if (dump.empty()) {
    if (prompt.empty()) return bad("--prompt, --prompt-file or --ids is required, and not empty");
    const auto n_prompt = static_cast<int>(prompt.size());
    return diff::Script{.tokens = std::move(prompt), .n_prompt = n_prompt, .n_total = n_prompt + n_tokens};
  }
  auto record = diff::read_dump(dump);
  if (record.has_error()) return record.error();
  const auto n_total = static_cast<int>(record->tokens.size());
  diff::Script script{.tokens = std::move(record->tokens), .n_prompt = record->n_prompt, .n_total = n_total};
  if (prompt.empty()) return script;
  const auto n_prompt = static_cast<int>(prompt.size());  // the dump's own reading of the text is what is compared
  return diff::Script{.tokens = std::move(prompt), .n_prompt = n_prompt, .n_total = n_prompt};
}

}  // namespace

DiffCommand::DiffCommand(CLI::App& command) : flags_(command, ConfigOption::Scope::kModel) {
  command.add_option("--a", a_, std::string("side A: ") + diff::kModeHelp + " [native]")->type_name("MODE");
  command.add_option("--b", b_, "side B, spelled likewise; reads side A's tokens")->type_name("MODE")->required();
  command.add_option("--prompt", prompt_, "text to read (about 1 MB of memory a token)")->type_name("TEXT");
  command.add_option("--prompt-file", prompt_file_, "file of the text to read")->type_name("FILE");
  command.add_option("--ids", ids_, "token ids to read, a comma list")->delimiter(',')->type_name("IDS");
  command.add_option("--tokens", n_tokens_, "tokens to decode after the prompt, side A's greedy choice [8]")
      ->check(CLI::Range(0, 100'000));
  command.add_option("--save-a", save_a_, "write what side A computed to this file, for dump:FILE")->type_name("FILE");
  command.footer("Exit code 0: no difference beyond expectation; 1: the sides diverge; 2: wrong flags or files.");
  command.add_flag("--tensors", all_tensors_, "a line for each tensor of each layer");
}

Result<std::vector<TokenId>> DiffCommand::prompt(const Config& config) const {
  const int n_given = int{!prompt_.empty()} + int{!prompt_file_.empty()} + int{!ids_.empty()};
  if (n_given > 1) return bad("one of --prompt, --prompt-file and --ids");
  if (!ids_.empty()) {
    std::vector<TokenId> tokens;
    tokens.reserve(ids_.size());
    for (const int id : ids_) tokens.emplace_back(id);
    return tokens;
  }
  std::string text = prompt_;
  if (!prompt_file_.empty()) {
    std::ifstream in(prompt_file_, std::ios::binary);
    if (!in) return bad("--prompt-file: cannot read " + prompt_file_);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  return text.empty() ? Result<std::vector<TokenId>>(std::vector<TokenId>()) : tokens_of(text, config.model);
}

Result<int> DiffCommand::compare_sides(const Config& config) const {
  const auto mode_a = diff::parse_mode(a_, config), mode_b = diff::parse_mode(b_, config);
  if (mode_a.has_error()) return mode_a.error();
  if (mode_b.has_error()) return mode_b.error();
  if (config.model.empty() && (mode_a->dump.empty() || mode_b->dump.empty())) return bad("--model is required");
  if (config.model.starts_with("fake:")) return bad("a fake model has no tensors to compare");
  auto ids = prompt(config);
  if (ids.has_error()) return ids.error();
  auto script = script_of(*mode_a, *mode_b, std::move(*ids), n_tokens_);
  if (script.has_error()) return script.error();
  const auto a = side(*mode_a, *script);
  if (a.has_error()) return a.error();
  if (!save_a_.empty()) {
    if (const auto saved = diff::write_dump(*a, save_a_); saved.has_error()) return saved.error();
  }
  if (mode_a->dump.empty()) script->tokens = a->tokens;
  const auto b = side(*mode_b, *script);
  if (b.has_error()) return b.error();
  const auto comparison = diff::compare(*a, *b);
  if (comparison.has_error()) return comparison.error();
  const auto detail = all_tensors_ ? diff::Detail::kTensors : diff::Detail::kLayers;
  std::fputs(diff::as_text(*a, *b, *comparison, detail).c_str(), stdout);
  return diff::diverged(*a, *b, *comparison) ? kExitDiverged : kExitClean;
}

Result<int> DiffCommand::run() {
  auto sources = flags_.sources();
  sources.flags.try_emplace("log-level", "warn");  // a terminal is for the table
  const auto config = configure(sources);
  if (config.has_error()) return config.error();
  return compare_sides(*config);
}

}  // namespace mie
