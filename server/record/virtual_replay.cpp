// A replay in virtual time: an EngineCore that is moved by the events of the recording. What ended between two steps, whatever
// the cause was, is let go of between the same two steps, so that no clock decides anything; the time that a step took in the
// model is the recorded one, because the step budget reads it.
#include "core/base/ensure.h"
#include "core/engine/engine_core.h"
#include "core/engine/token_stream.h"
#include "server/record/recording_observer.h"
#include "server/record/replay.h"

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace mie {
namespace {

using Kind = RecordEvent::Kind;

// Answers from the recording. A row is known by where its prompt lies, which is in the recorded request.
class AnswersAsRecorded final : public ModelRunner {
 public:
  explicit AnswersAsRecorded(const Record& record) {
    const RecordedAnswers answers = answers_of(record);
    for (const RecordEvent& event : record.events) {
      const auto answer = answers.find(event.id);
      if (event.kind == Kind::kTaken && answer != answers.end())
        by_prompt_.emplace(event.request->prompt.data(), answer->second.tokens);
    }
  }

  void run(const StepBatch& /*batch*/, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sampled[i] = {.token = rows[i].score.value_or(TokenId(0)), .top = {}};
      if (rows[i].score) continue;  // a prompt token
      const auto found = by_prompt_.find(rows[i].prompt.data());
      const auto at = static_cast<std::size_t>(rows[i].position) - rows[i].prompt.size();
      const bool known = found != by_prompt_.end() && at < found->second.size();
      if (known) sampled[i].token = found->second[at];
    }
  }

 private:
  std::unordered_map<const TokenId*, std::vector<TokenId>> by_prompt_;
};

// The model of one step after the other: takes the recorded time, fails where it failed.
class TimedRunner final : public ModelRunner {
 public:
  TimedRunner(ModelRunner& inner, ManualClock& clock) : inner_(inner), clock_(clock) {}

  // Unset: the recorded step did not come to its commit.
  void next(std::optional<Clock::duration> run) { next_ = run; }

  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override {
    if (!next_) throw ModelStepError("as recorded");
    inner_.run(batch, rows, sampled);
    clock_.advance(*next_);
  }

 private:
  ModelRunner& inner_;
  ManualClock& clock_;
  std::optional<Clock::duration> next_;
};

class VirtualReplay final : public RecordingObserver {
 public:
  VirtualReplay(const Record& record, EngineOptions options, const Scheduler& scheduler, ModelRunner& runner)
      : record_(record),
        answers_(answers_of(record)),
        options_(with_observer(std::move(options), *this)),
        runner_(runner, clock_),
        metrics_(registry_, options_),
        core_(options_, {scheduler, runner_, clock_}, metrics_) {
    for (const RecordEvent& event : record.events) {
      if (event.kind == Kind::kCommitted) run_times_[event.step] = event.run;
    }
  }

  ReplayOutcome run() {
    for (const RecordEvent& event : record_.events) {
      apply(event);
      if (diverged_) break;
    }
    return std::move(outcome_);
  }

 private:
  struct Answer {
    std::vector<TokenId> tokens;
    FinishReason reason{};
  };

  static EngineOptions with_observer(EngineOptions options, EngineObserver& observer) {
    options.observer = &observer;
    return options;
  }

  // From the core.
  void add(RecordEvent event) override {
    if (event.kind == Kind::kPlanned) plan_ = event.digest;
    if (event.kind == Kind::kEnded) ended_[event.id] = {std::move(event.tokens), event.reason};
  }
  void lost() noexcept override { lost_ = true; }

  void apply(const RecordEvent& event) {
    ENSURE(!lost_, "a replay has no memory for an event");
    switch (event.kind) {
      case Kind::kTaken:
        return take(event);
      case Kind::kReleased:
        return release(event.id, {.outcome = event.outcome, .n_delivered = event.n_delivered, .at = clock_.now()});
      case Kind::kEnded:
        return end(event);
      case Kind::kPlanned:
        return step(event);
      case Kind::kFlushed:
        core_.flush_prefixes();
        return;
      case Kind::kFailed:
        core_.end_failed_step();
        return;
      case Kind::kCommitted:
        return;  // known before its step
    }
  }

  void take(const RecordEvent& event) {
    {
      const auto held = metrics_.lock();
      metrics_.accepted(1, std::ssize(event.request->prompt));
    }
    Mail mail;
    mail.submitted.push_back({event.request, std::make_shared<TokenStream>(event.id, io_.get_executor()),
                              Clock::time_point(event.at)});  // its place in line
    core_.take(std::move(mail));
    owed_.insert(event.id);
  }

  void release(RequestId id, const Release& release) {
    if (owed_.erase(id) == 0) return;
    Mail mail;
    mail.released[id] = release;
    core_.take(std::move(mail));
  }

  void end(const RecordEvent& event) {
    const bool by_itself = ended_.contains(event.id);
    if (!by_itself) release(event.id, {.outcome = Outcome::kAborted, .at = clock_.now()});
    const auto answer = ended_.find(event.id);
    if (answer == ended_.end()) return outcome_.differ(fmt::format("request {}: was never taken", event.id.value()));
    compare_answer(event.id, answers_.at(event.id), answer->second.tokens,
                   by_itself ? std::optional(answer->second.reason) : std::nullopt, outcome_);
    ended_.erase(answer);
  }

  void step(const RecordEvent& event) {
    if (core_.idle()) return diverge(event, "has nothing to run");
    const auto run_time = run_times_.find(event.step);
    runner_.next(run_time == run_times_.end() ? std::nullopt : std::optional(run_time->second));
    clock_.advance(std::max(Clock::duration::zero(), event.at - clock_.now().time_since_epoch()));  // deadlines are read
    plan_.reset();
    try {
      core_.step();
    } catch (const ModelStepError&) {
      if (run_time != run_times_.end()) throw;  // its own fault
    }
    ++outcome_.n_steps;
    if (plan_ != event.digest) return diverge(event, "has another plan");
    io_.restart();
    io_.poll();  // what was pushed to the streams, which nobody reads
  }

  void diverge(const RecordEvent& event, std::string_view how) {
    outcome_.differ(fmt::format("step {} {}", event.step, how));
    diverged_ = true;  // from here on everything would differ
  }

  const Record& record_;
  const RecordedAnswers answers_;
  std::unordered_map<std::int64_t, Clock::duration> run_times_;  // by step; none: it failed
  net::io_context io_;
  ManualClock clock_{Clock::duration::zero()};  // since the start, as the times of the recording
  MetricsRegistry registry_;
  EngineOptions options_;
  TimedRunner runner_;
  EngineMetrics metrics_;
  EngineCore core_;
  std::unordered_set<RequestId> owed_;           // releases
  std::unordered_map<RequestId, Answer> ended_;  // not compared yet
  std::optional<std::uint64_t> plan_;            // of the last step
  bool lost_ = false;
  ReplayOutcome outcome_;
  bool diverged_ = false;
};

}  // namespace

ReplayOutcome replay_in_virtual_time(const Record& record, EngineOptions options, const Scheduler& scheduler,
                                     ModelRunner* runner) {
  AnswersAsRecorded as_recorded(record);
  return VirtualReplay(record, std::move(options), scheduler, runner == nullptr ? as_recorded : *runner).run();
}

}  // namespace mie
