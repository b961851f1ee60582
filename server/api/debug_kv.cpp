#include "server/api/debug_kv.h"

#include "kv/usage.h"
#include "server/api/engine_state.h"
#include "server/json/response_write.h"

#include <optional>
#include <vector>

namespace mie::api {
namespace {

using json::JsonWriter;

std::string_view state_of(const SequenceRecord& seq) {
  if (seq.state == SeqState::kWaiting) return seq.preempted ? "preempted" : "waiting";
  return seq.n_computed >= seq.n_prompt && seq.n_total - seq.n_computed == 1 ? "decode" : "prefill";
}

void write_request(JsonWriter& out, const SequenceRecord& seq) {
  out.begin_object().member("n", static_cast<std::int64_t>(seq.id.value())).member("state", state_of(seq));
  out.member("prompt", seq.n_prompt).member("computed", seq.n_computed).member("generated", seq.n_total - seq.n_prompt);
  out.member("blocks", std::ssize(seq.blocks)).end_object();
}

}  // namespace

std::string debug_kv_body(const EngineSnapshot& snapshot) {
  const int n_used = snapshot.n_blocks() - snapshot.n_available();
  std::vector<CachedBlocks> sequences;
  sequences.reserve(snapshot.running.size());
  for (const SequenceRecord& seq : snapshot.running) sequences.push_back({seq.blocks, seq.n_computed});
  const KvUsage usage = usage_of_copy({snapshot.n_blocks(), n_used}, snapshot.block_size, sequences);

  JsonWriter out;
  out.begin_object().member("block_size", snapshot.block_size);
  out.key("blocks").begin_object().member("total", snapshot.n_blocks()).member("free", snapshot.n_free_blocks);
  out.member("used", n_used).member("cached", snapshot.n_cached_blocks).end_object();
  out.key("slots").begin_object().member("reserved", usage.reserved_slots).member("used", usage.used_slots).end_object();
  out.key("utilisation").number(usage.utilisation()).key("waste").number(usage.waste());
  out.key("requests").begin_array();
  for (const SequenceRecord& seq : snapshot.running) write_request(out, seq);
  for (const SequenceRecord& seq : snapshot.waiting) write_request(out, seq);
  out.end_array().end_object();
  return out.take();
}

net::awaitable<void> serve_debug_kv(Exchange& exchange, Service& service) {
  if (auto error = unanswerable(service)) {
    co_await exchange.refuse(*std::move(error));
    co_return;
  }
  const EngineSnapshot snapshot = co_await service.loaded()->engine->snapshot();
  co_await exchange.answer({.body = debug_kv_body(snapshot)});
}

}  // namespace mie::api
