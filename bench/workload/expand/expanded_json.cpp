// Requests as text, and the hash of all of them: SHA-256 over one line a file ("{path} {sha256}") and one a request (the
// SHA-256 of its JSON).
#include "bench/workload/expand/expand.h"
#include "core/base/file_digest.h"
#include "server/json/response_write.h"

#include <span>

namespace mie::bench {

std::string request_json(const PlannedRequest& request) {
  json::JsonWriter out;
  out.begin_object();
  if (request.cancel.after) out.member("cancel_after_ns", request.cancel.after->count());
  if (request.cancel.after_tokens) out.member("cancel_after_tokens", *request.cancel.after_tokens);
  out.member("index", request.index);
  if (request.intended) out.member("intended_ns", request.intended->count());
  out.member("output_tokens", request.output_tokens).key("prompt").begin_array();
  for (const TokenId token : request.prompt) out.integer(token.value());
  out.end_array();
  if (request.read_bytes_per_s) out.key("read_bytes_per_s").number(*request.read_bytes_per_s);
  out.member("seed", static_cast<std::int64_t>(request.seed)).member("session", request.session);
  out.member("text", std::string_view(request.text)).member("think_ns", request.think.count());
  out.member("turn", request.turn).member("warmup", request.warmup).end_object();
  return out.take();
}

std::string ExpandedWorkload::sha256() const {
  std::string lines;
  for (const InputFile& file : files) lines += file.path + ' ' + file.sha256 + '\n';
  for (const PlannedRequest& request : requests) {
    const std::string text = request_json(request);
    lines += sha256_of(std::as_bytes(std::span(text))) + '\n';
  }
  return sha256_of(std::as_bytes(std::span(lines)));
}

}  // namespace mie::bench
