#include "bench/load/request_lines.h"

#include "core/base/file_digest.h"
#include "server/json/json_lines.h"
#include "server/json/response_write.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace mie::bench {
namespace {

using json::FieldReader;
using json::JsonWriter;

using Stamp = std::optional<std::int64_t>;

void stamp(JsonWriter& out, std::string_view name, const Stamp& at_ns) {
  out.key(name);
  at_ns ? out.integer(*at_ns) : out.null();
}

// Nothing is null: 0 of what is counted from 1, and an empty text.
void known(JsonWriter& out, std::string_view name, std::int64_t value) { stamp(out, name, value > 0 ? Stamp(value) : Stamp()); }

void known(JsonWriter& out, std::string_view name, std::string_view text) {
  out.key(name);
  text.empty() ? out.null() : out.string(text);
}

void write_outcome(JsonWriter& out, const RequestRecord& record) {
  out.member("status", name_of(record.status));
  known(out, "http_status", record.http_status);
  known(out, "finish_reason", record.finish_reason);
  const int prompt = record.prompt_tokens;
  const bool counted = record.status_ns && (prompt > 0 || record.output_tokens > 0);  // there was usage
  stamp(out, "prompt_tokens", counted ? Stamp(prompt) : Stamp());
  stamp(out, "cached_tokens", counted ? Stamp(record.cached_tokens) : Stamp());
  stamp(out, "output_tokens", counted ? Stamp(record.output_tokens) : Stamp());
  out.member("requested_output", record.requested_output);
}

void write_stamps(JsonWriter& out, const RequestRecord& record) {
  stamp(out, "intended_ns", record.intended_ns);
  stamp(out, "send_ns", record.send_ns);
  stamp(out, "sent_ns", record.sent_ns);
  stamp(out, "status_ns", record.status_ns);
  stamp(out, "first_event_ns", record.first_event_ns);
  out.key("events").begin_array();
  for (const TokenEvent& event : record.events) out.begin_array().integer(event.at_ns).integer(event.tokens).end_array();
  out.end_array();
  stamp(out, "end_ns", record.end_ns);
}

void write_server(JsonWriter& out, const RequestRecord& record) {
  if (!record.server) {
    out.null_member("server");
    return;
  }
  const ServerTimes& server = *record.server;
  out.key("server").begin_object().member("accepted_ns", server.accepted_ns);
  for (std::size_t i = 0; i < kServerStamps.size(); ++i) stamp(out, std::string(kServerStamps[i]) + "_ns", server.stamps[i]);
  out.member("steps", server.steps).member("prefill_tokens", server.prefill_tokens);
  out.member("cached_tokens", server.cached_tokens).member("preemptions", server.preemptions);
  out.member("max_batch", server.max_batch).end_object();
}

int count(FieldReader& fields, std::string_view name) { return static_cast<int>(fields.integer(name).value_or(0)); }

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

void read_events(FieldReader& fields, RequestRecord& record) {
  const auto events = fields.list("events");
  if (!events) return;
  for (const auto item : *events) {
    simdjson::dom::array pair;
    if (item.get(pair) != simdjson::SUCCESS || pair.size() != 2) return fields.fail(bad("events must hold pairs"));
    const auto at_ns = fields.integer_at(pair.at(0).value(), "events");
    const auto tokens = fields.integer_at(pair.at(1).value(), "events");
    if (!at_ns || !tokens) return;
    record.events.push_back({*at_ns, static_cast<int>(*tokens)});
  }
}

void read_server(const json::RequestDocument& document, FieldReader& fields, RequestRecord& record) {
  const auto object = fields.object("server");
  if (!object) return;
  FieldReader inner(document, *object, "server");
  ServerTimes& server = record.server.emplace();
  server.accepted_ns = inner.required_integer("accepted_ns");
  for (std::size_t i = 0; i < kServerStamps.size(); ++i)
    server.stamps[i] = inner.integer(std::string(kServerStamps[i]) + "_ns");
  server.steps = count(inner, "steps");
  server.prefill_tokens = count(inner, "prefill_tokens");
  server.cached_tokens = count(inner, "cached_tokens");
  server.preemptions = count(inner, "preemptions");
  server.max_batch = count(inner, "max_batch");
  if (inner.failed()) fields.fail(inner.fault());
}

RequestLine read_line(const json::RequestDocument& document, FieldReader& fields) {
  RequestLine line;
  RequestRecord& record = line.record;
  line.id = fields.string("id").value_or("");
  record.index = count(fields, "index");
  record.arm = fields.string("arm").value_or("");
  record.repetition = count(fields, "repetition");
  record.warmup = fields.boolean("warmup").value_or(false);
  record.seed = static_cast<std::uint64_t>(fields.required_integer("seed"));
  record.session = count(fields, "session");
  record.turn = count(fields, "turn");
  const auto status = status_named(fields.string("status").value_or(""));
  if (status) record.status = *status;
  if (!status) fields.fail(bad("status names none"));
  record.http_status = count(fields, "http_status");
  record.finish_reason = fields.string("finish_reason").value_or("");
  record.prompt_tokens = count(fields, "prompt_tokens");
  record.cached_tokens = count(fields, "cached_tokens");
  record.output_tokens = count(fields, "output_tokens");
  record.requested_output = count(fields, "requested_output");
  record.intended_ns = fields.required_integer("intended_ns");
  record.send_ns = fields.integer("send_ns");
  record.sent_ns = fields.integer("sent_ns");
  record.status_ns = fields.integer("status_ns");
  record.first_event_ns = fields.integer("first_event_ns");
  read_events(fields, record);
  record.end_ns = fields.integer("end_ns");
  read_server(document, fields, record);
  record.connection = count(fields, "connection");
  record.bytes_in = fields.integer("bytes_in").value_or(0);
  record.bytes_out = fields.integer("bytes_out").value_or(0);
  record.coalesced = count(fields, "coalesced");
  record.error = fields.string("error").value_or("");
  record.retry_after_s = fields.number("retry_after_s");
  line.token_hash = fields.string("token_hash").value_or("");
  record.text = fields.string("text").value_or("");
  record.keeps_text = !record.text.empty();
  return line;
}

}  // namespace

std::string token_hash_of(const RequestRecord& record) {
  if (!record.tokens.empty()) return token_hash_of(record.tokens);
  return record.text.empty() ? "" : sha256_of(std::as_bytes(std::span(record.text)));
}

std::string token_hash_of(std::span<const TokenId> tokens) {
  std::vector<std::byte> bytes;
  for (const TokenId id : tokens)
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(id.value() >> shift & 0xFF));
  return sha256_of(bytes);
}

std::string request_line(const RequestRecord& record) {
  JsonWriter out;
  out.begin_object().member("id", std::string_view(fmt::format("req-{:05}", record.index))).member("index", record.index);
  known(out, "arm", record.arm);
  out.member("repetition", record.repetition);
  out.member("warmup", record.warmup).member("seed", static_cast<std::int64_t>(record.seed)).member("session", record.session);
  out.member("turn", record.turn);
  write_outcome(out, record);
  write_stamps(out, record);
  write_server(out, record);
  known(out, "connection", record.connection);
  out.member("bytes_in", record.bytes_in).member("bytes_out", record.bytes_out).member("coalesced", record.coalesced);
  known(out, "error", record.error);
  out.key("retry_after_s");
  record.retry_after_s ? out.number(*record.retry_after_s) : out.null();
  known(out, "token_hash", token_hash_of(record));
  known(out, "text", record.keeps_text ? std::string_view(record.text) : std::string_view());
  return out.end_object().take() + "\n";
}

std::string request_lines(std::span<const RequestRecord> records) {
  std::string out;
  for (const RequestRecord& record : records) out += request_line(record);
  return out;
}

Result<std::vector<RequestLine>> read_request_lines(std::istream& in) {
  std::vector<RequestLine> out;
  const auto error =
      json::read_json_lines(in, "requests", [&out](const json::RequestDocument& document, FieldReader& fields, bool) {
        out.push_back(read_line(document, fields));
        return std::optional<Error>();
      });
  if (error) return *error;
  return out;
}

}  // namespace mie::bench
