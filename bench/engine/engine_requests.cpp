#include "bench/engine/engine_requests.h"

#include "bench/load/request_bytes.h"

#include <algorithm>
#include <utility>

namespace mie::bench {

Result<EngineRequest> EngineRequests::make(const PlannedRequest& planned, const LoadSettings& settings) {
  const auto kind = settings.endpoint == Endpoint::kChat ? api::GenerationKind::kChat : api::GenerationKind::kCompletion;
  auto prepared = api::prepare_generation(kind, request_body(planned, settings), {model_, limits_, clock_, seeds_});
  if (prepared.has_error()) return prepared.error();
  std::chrono::milliseconds limit = limit_;
  if (const auto& asked = prepared->params.timeout_ms) limit = std::min(limit, std::chrono::milliseconds(*asked));
  return EngineRequest{std::move(prepared->choices.front().request), limit};
}

}  // namespace mie::bench
