#include "bench/workload/spec/sessions_spec.h"

#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kOrders = {"sequential"sv, "interleaved"sv};

}  // namespace

void SessionsSpec::describe(Fields& fields) {
  fields.required("turns");
  fields.field("turns", turns);
  fields.field("think_s", think_s);
  fields.field("keep_history", keep_history);
  fields.choice("order", order, kOrders);
}

}  // namespace mie::bench
