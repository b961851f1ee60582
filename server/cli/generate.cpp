#include "server/cli/generate.h"

#include "core/base/log.h"
#include "server/api/generation_run.h"
#include "server/engine_setup.h"
#include "server/exchange.h"
#include "server/exit_codes.h"
#include "server/json/response_write.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace mie {
namespace {

constexpr auto kNever = Clock::time_point::max();

// One number of the request body that a flag may set; sent as written, checked where the server checks it.
struct NumberFlag {
  const char* flag;
  const char* field;
  const char* help;
  std::optional<double> value{};
};

Result<std::string> read_prompt(const std::string& text, const std::string& path) {
  if (path.empty()) return text;
  if (path == "-") {
    std::string all;
    for (int c = std::getchar(); c != EOF; c = std::getchar()) all += static_cast<char>(c);
    return all;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{Errc::kConfig, "--prompt-file: cannot read " + path, ""};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

int failed(const Error& error) {
  std::fprintf(stderr, "mie: %s\n", error.message.c_str());
  return kExitRequestFailed;
}

struct Printed {
  std::vector<api::TokenEntry> tokens;
  std::string text;
  bool live;  // print as it comes
};

net::awaitable<void> print_answer(std::shared_ptr<api::GenerationRun> run, Printed* printed) {
  api::LiveChoice& choice = *run->choices().front();
  for (bool last = false; !last;) {
    run->look();
    last = run->ended() || run->failure();
    api::TextPiece piece = choice.text.take();
    if (printed->live) {
      std::fwrite(piece.text.data(), 1, piece.text.size(), stdout);
      std::fflush(stdout);
    }
    printed->text += piece.text;
    std::move(piece.tokens.begin(), piece.tokens.end(), std::back_inserter(printed->tokens));
    if (!last) co_await run->wait_for_news(kNever);
  }
  for (auto& entry : choice.text.take_rest()) printed->tokens.push_back(std::move(entry));
  run->release(run->failure() ? Outcome::kError : Outcome::kComplete);
}

std::string json_body(const api::PreparedGeneration& prepared, const ServingModel& model, const api::GenerationRun& run,
                      const api::ChoiceEnd& end, Printed& printed) {
  const bool chat = prepared.kind == api::GenerationKind::kChat;
  api::AnswerFrame frame;
  frame.kind = prepared.kind;
  frame.id = (chat ? "chatcmpl-" : "cmpl-") + random_hex_id();
  frame.model = prepared.model;
  frame.fingerprint = model.model().fingerprint;
  frame.created = SystemClock().unix_seconds();
  frame.n_top_logprobs = prepared.params.sampling.n_top_logprobs;
  frame.tokenizer = model.model().tokenizer.get();
  const api::ChoiceAnswer answer{std::move(printed.text), std::move(printed.tokens), end};
  return api::whole_answer(frame, {&answer, 1}, run.usage(), std::nullopt);
}

void print_figures(const api::GenerationRun& run, const api::LiveChoice& choice, Clock::time_point start) {
  const api::Usage usage = run.usage();
  const RequestTimes& times = choice.finish->times;  // asked for with include_timings
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  std::string figures = fmt::format("{} prompt tokens, {} generated", usage.prompt_tokens, usage.completion_tokens);
  if (times.first_token) figures += fmt::format(", first token {:.1f} ms", ms(*times.first_token - start));
  if (usage.completion_tokens > 1 && times.last_token > times.first_token) {
    figures += fmt::format(", {:.1f} tokens/s", 1000.0 * static_cast<double>(usage.completion_tokens - 1) /
                                                    ms(*times.last_token - *times.first_token));
  }
  std::fprintf(stderr, "[%s, %s]\n", figures.c_str(), std::string(choice.end.finish_reason).c_str());
}

}  // namespace

struct GenerateCommand::Asked {
  std::string prompt, prompt_file, system;
  std::vector<std::string> stops;
  bool chat = false, json = false, ignore_eos = false;
  std::vector<NumberFlag> numbers = {
      {"--max-tokens", "max_tokens", "tokens to generate"},
      {"--min-tokens", "min_tokens", "tokens before an end is allowed"},
      {"--temperature", "temperature", "0 … 2; 0: greedy"},
      {"--top-p", "top_p", "0 … 1"},
      {"--top-k", "top_k", "0: off"},
      {"--min-p", "min_p", "0 … 1"},
      {"--presence-penalty", "presence_penalty", "-2 … 2"},
      {"--frequency-penalty", "frequency_penalty", "-2 … 2"},
      {"--repetition-penalty", "repetition_penalty", "above 0, at most 10"},
  };
};

GenerateCommand::GenerateCommand(CLI::App& command)
    : flags_(command, ConfigOption::Scope::kModel), asked_(std::make_unique<Asked>()) {
  auto* prompt = command.add_option("-p,--prompt", asked_->prompt, "the prompt")->type_name("TEXT");
  command.add_option("--prompt-file", asked_->prompt_file, "file that holds the prompt; - reads stdin")
      ->type_name("FILE")
      ->excludes(prompt);
  command.add_flag("--chat", asked_->chat, "the prompt is a user's message");
  command.add_option("--system", asked_->system, "system message; implies --chat")->type_name("TEXT");
  command.add_option("--stop", asked_->stops, "stop string; may be given again")->type_name("TEXT");
  command.add_flag("--ignore-eos", asked_->ignore_eos, "go on after the end token");
  command.add_flag("--json", asked_->json, "print the body that the server would answer");
  for (NumberFlag& number : asked_->numbers) command.add_option(number.flag, number.value, number.help)->type_name("N");
}

GenerateCommand::~GenerateCommand() = default;

api::GenerationKind GenerateCommand::kind() const {
  return asked_->chat || !asked_->system.empty() ? api::GenerationKind::kChat : api::GenerationKind::kCompletion;
}

std::string GenerateCommand::request_body(const std::string& prompt) const {
  json::JsonWriter out;
  out.begin_object();
  if (kind() == api::GenerationKind::kCompletion) {
    out.member("prompt", std::string_view(prompt));
  } else {
    out.key("messages").begin_array();
    if (!asked_->system.empty()) {
      out.begin_object().member("role", "system").member("content", std::string_view(asked_->system)).end_object();
    }
    out.begin_object().member("role", "user").member("content", std::string_view(prompt)).end_object().end_array();
  }
  for (const NumberFlag& number : asked_->numbers) {
    if (!number.value) continue;
    const auto whole = static_cast<std::int64_t>(*number.value);
    if (static_cast<double>(whole) == *number.value)
      out.member(number.field, whole);
    else
      out.key(number.field).number(*number.value);
  }
  out.key("stop").begin_array();
  for (const std::string& stop : asked_->stops) out.string(stop);
  out.end_array().member("ignore_eos", asked_->ignore_eos).end_object();
  return out.take();
}

int GenerateCommand::generate(const Config& config, LoadedModel loaded, const std::string& prompt) {
  const SystemClock clock;
  MetricsRegistry registry;
  ServingModel serving(std::move(loaded), config, clock, registry,
                       [](const std::string& reason) { logger("engine")->critical("fatal=\"{}\"", reason); });
  auto seeds =
      config.seed.empty() ? std::make_unique<api::SeedSource>() : std::make_unique<api::SeedSource>(std::stoull(config.seed));
  const api::PrepareContext context{serving.model(), serving.loaded().limits, clock, *seeds};
  const auto start = clock.now();
  auto prepared = api::prepare_generation(kind(), request_body(prompt), context);
  if (prepared.has_error()) return failed(prepared.error());
  prepared->params.include_timings = true;  // for the figures
  for (auto& choice : prepared->choices) choice.request.arrival = start;

  TaskGroup tasks;
  net::io_context io(1);
  auto run = api::GenerationRun::submit(serving.model(), *prepared, {serving.engine(), clock, tasks, io.get_executor()});
  if (run.has_error()) return failed(run.error());
  Printed printed{.tokens = {}, .text = {}, .live = !asked_->json};
  net::co_spawn(io, print_answer(*run, &printed), tasks.supervise("generate"));
  io.run();
  serving.engine().stop();
  if (const auto& failure = (*run)->failure()) return failed(*failure);
  const api::LiveChoice& choice = *(*run)->choices().front();
  std::printf("%s\n", asked_->json ? json_body(*prepared, serving, **run, choice.end, printed).c_str() : "");
  std::fflush(stdout);
  print_figures(**run, choice, start);
  return kExitClean;
}

Result<int> GenerateCommand::run() {
  auto sources = flags_.sources();
  const auto& variables = sources.environment;
  const bool chosen =
      std::any_of(variables.begin(), variables.end(), [](const auto& v) { return v.starts_with("MIE_LOG_LEVEL="); });
  if (!chosen) sources.flags.try_emplace("log-level", "warn");  // a terminal is for the text
  const auto config = configure(sources);
  if (config.has_error()) return config.error();
  if (config->model.empty()) return Error{Errc::kConfig, "--model is required", "model"};
  if (asked_->prompt.empty() && asked_->prompt_file.empty())
    return Error{Errc::kConfig, "--prompt or --prompt-file is required", ""};
  const auto prompt = read_prompt(asked_->prompt, asked_->prompt_file);
  if (prompt.has_error()) return prompt.error();
  auto loaded = load_model(*config, SystemClock(), [](std::string_view, double) {});
  if (loaded.has_error()) return loaded.error();
  return generate(*config, std::move(*loaded), *prompt);
}

}  // namespace mie
