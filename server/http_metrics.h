// The HTTP side's series and the account of each generation request. The sums received = checking + refused + accepted and
// accepted = active + ended hold in every scrape, because each move is made under the registry's lock.
// Built by main; outlives every session. Thread-safe.
#pragma once

#include "core/base/metrics.h"
#include "core/engine/engine_options.h"
#include "server/api/answer_json.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <chrono>
#include <string>
#include <string_view>

namespace mie {

using Labels = prometheus::Labels;

enum class StreamEvent { kRole, kContent, kFinish, kUsage, kDone, kError, kPing };

class HttpMetrics {
 public:
  explicit HttpMetrics(MetricsRegistry& registry);

  // `status` 0: closed without an answer.
  void request_done(std::string_view handler, std::string_view method, int status, std::chrono::duration<double> took);
  void connection_opened();
  void connection_refused();
  void connection_closed();
  void connection_active(bool active);  // idle otherwise
  void bad_request(std::string_view rule);
  void stream_event(StreamEvent event, int n = 1);
  void disconnect(std::string_view state);
  void body_bytes(double change);
  void output_bytes(double change);
  void params_n(int n, const std::string& model_name);
  void ready(bool is_ready);
  void load_phase(std::string_view phase, double seconds);
  void info(const char* name, const char* help, const Labels& labels);  // a gauge that is 1

  // The account of one request; see RequestAccount.
  void received(std::string_view route);
  void refused(std::string_view code);
  void accepted();
  void ended(Outcome outcome);

 private:
  template <class T>
  using Family = prometheus::Family<T>;

  MetricsRegistry& registry_;
  Family<prometheus::Counter>& requests_;
  Family<prometheus::Histogram>& durations_;
  Family<prometheus::Gauge>& connections_;
  prometheus::Gauge& active_connections_;
  prometheus::Gauge& idle_connections_;
  prometheus::Counter& connections_total_;
  prometheus::Counter& connections_refused_;
  Family<prometheus::Counter>& bad_requests_;
  prometheus::Counter& disagreements_;
  prometheus::Gauge& body_bytes_;
  prometheus::Gauge& output_bytes_;
  Family<prometheus::Counter>& received_;
  Family<prometheus::Counter>& refused_;
  prometheus::Gauge& checking_;
  prometheus::Gauge& active_;
  prometheus::Counter& accepted_;
  Family<prometheus::Counter>& ended_;
  Family<prometheus::Counter>& disconnects_;
  Family<prometheus::Counter>& stream_events_;
  prometheus::Gauge& ready_;
  Family<prometheus::Gauge>& load_seconds_;
  Family<prometheus::Histogram>& params_n_;
};

// Follows one POST to a generation route through received → refused, or received → accepted → ended. A request that
// leaves by an exception is refused or ended as the destructor finds it. Owned by its handler.
class RequestAccount {
 public:
  RequestAccount(HttpMetrics& metrics, api::GenerationKind kind);
  ~RequestAccount();
  RequestAccount(const RequestAccount&) = delete;
  RequestAccount& operator=(const RequestAccount&) = delete;

  void refuse(std::string_view code);
  void accept();
  void end(Outcome outcome);

 private:
  enum class State { kChecking, kAccepted, kClosed };
  HttpMetrics& metrics_;
  State state_ = State::kChecking;
};

[[nodiscard]] std::string_view outcome_label(Outcome outcome);

}  // namespace mie
