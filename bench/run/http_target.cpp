#include "bench/run/http_target.h"

#include "bench/load/load_run.h"
#include "bench/load/stamp_clock.h"
#include "bench/run/load_of_spec.h"
#include "bench/run/own_server.h"
#include "bench/run/step_poll.h"

#include <fmt/format.h>

#include <fstream>
#include <thread>
#include <utility>

namespace mie::bench {
namespace {

// VmHWM of /proc: the most that was resident.
std::optional<std::int64_t> peak_resident(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return std::nullopt;
}

class HttpTarget final : public Target {
 public:
  HttpTarget(std::string url, HeaderFields fields, std::unique_ptr<OwnServer> own)
      : own_(std::move(own)), url_(std::move(url)), fields_(std::move(fields)) {}

  // Error: nobody answers.
  std::optional<Error> meet(const std::string& model) {
    auto server = resolve(url_);
    if (server.has_error()) return server.error();
    server_ = std::move(*server);
    auto facts = server_facts(server_, fields_, model);
    if (facts.has_error()) return facts.error();
    facts_ = std::move(*facts);
    return {};
  }

  [[nodiscard]] const ServerFacts& facts() const override { return facts_; }
  [[nodiscard]] LoadSettings settings(const WorkloadSpec& spec) const override {
    return load_settings(spec, url_, facts_, fields_);
  }
  Result<std::unique_ptr<Load>> prepare(LoadSettings settings, const std::vector<PlannedRequest>& requests) override {
    auto load = LoadRun::prepare(std::move(settings), requests);
    if (load.has_error()) return load.error();
    return std::unique_ptr<Load>(std::move(*load));
  }

  [[nodiscard]] MetricSums counters() override { return bench::counters(server_, fields_); }
  bool flush() override { return flush_prefix_cache(server_, fields_); }
  [[nodiscard]] std::optional<std::int64_t> peak_bytes() const override {
    return own_ == nullptr ? std::nullopt : peak_resident(own_->pid());
  }
  void watch_steps(std::int64_t zero_ns) override {
    if (facts_.is_mie) steps_ = std::make_unique<StepPoll>(server_, fields_, zero_ns);
  }
  [[nodiscard]] std::optional<LoadSteps> steps() override {
    return steps_ == nullptr ? std::nullopt : std::exchange(steps_, nullptr)->end();
  }
  [[nodiscard]] std::int64_t now_ns() const override { return stamp_ns(); }
  [[nodiscard]] bool same_clock() const override { return on_loopback(server_); }

 private:
  std::unique_ptr<OwnServer> own_;  // null: one that runs
  std::string url_;
  HeaderFields fields_;
  ServerAddress server_{};
  ServerFacts facts_{};
  std::unique_ptr<StepPoll> steps_;  // while a load is on; null: not our server
};

}  // namespace

HttpTargets::HttpTargets(std::string url, HeaderFields fields, std::filesystem::path folder, std::string model)
    : url_(std::move(url)), fields_(std::move(fields)), folder_(std::move(folder)), model_(std::move(model)) {}

Result<OpenedTarget> HttpTargets::open(const std::vector<std::string>& flags, std::string_view name) {
  std::unique_ptr<OwnServer> own;
  if (url_.empty()) {
    auto started = OwnServer::start(flags, folder_ / fmt::format("server-{}.log", name));
    if (started.has_error()) return started.error();
    own = std::move(*started);
  }
  const std::string url = own ? own->url() : url_;
  auto target = std::make_shared<HttpTarget>(url, fields_, std::move(own));
  if (auto error = target->meet(model_)) return *std::move(error);
  const bool used_before = !url_.empty() && n_opened_++ > 0;
  return OpenedTarget{std::move(target), used_before};
}

void HttpTargets::rest(std::chrono::duration<double> time) { std::this_thread::sleep_for(time); }

}  // namespace mie::bench
