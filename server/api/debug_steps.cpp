#include "server/api/debug_steps.h"

#include "server/api/engine_state.h"
#include "server/trace/step_json.h"

#include <charconv>
#include <limits>
#include <optional>

namespace mie::api {
namespace {

constexpr int kDefaultLast = 16;

// Of "last=K"; other parameters are ignored.
Result<int> asked(std::string_view query) {
  constexpr std::string_view kName = "last=";
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view one = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (!one.starts_with(kName)) continue;
    int n = 0;
    const char* const stop = one.data() + one.size();
    const auto read = std::from_chars(one.data() + kName.size(), stop, n);
    if (read.ec == std::errc{} && read.ptr == stop && n >= 1) return n;
    return Error{Errc::kInvalidValue, "last must be an integer between 1 and 2147483647", "last"};
  }
  return kDefaultLast;
}

std::string body_of(const StepTraceCopy& copy, int n_ring) {
  json::JsonWriter out;
  out.begin_object().member("object", "list").member("n_committed", copy.next.step).member("step_ring", n_ring);
  out.key("data").begin_array();
  for (const TracedStep& step : copy.steps) write_step(out, step, copy.rows_of(step));
  out.end_array().end_object();
  return out.take();
}

}  // namespace

net::awaitable<void> serve_debug_steps(Exchange& exchange, Service& service) {
  const auto n = asked(exchange.head().query);
  auto error = unanswerable(service);
  if (!error && n.has_error()) error = n.error();
  if (error) {
    co_await exchange.refuse(*std::move(error));
    co_return;
  }
  Engine& engine = *service.loaded()->engine;
  const StepTraceCopy copy = co_await engine.last_steps(*n);
  co_await exchange.answer({.body = body_of(copy, engine.options().step_ring)});
}

}  // namespace mie::api
