#include "bench/micro/row_cases.h"

#include "bench/micro/random_weights.h"
#include "core/base/ensure.h"
#include "models/native/activations.h"
#include "models/native/kv_pages.h"
#include "models/native/rope_table.h"

#include <algorithm>
#include <numeric>

namespace mie::bench {
namespace {

using native::kPanel;

std::size_t n_of(int value) { return static_cast<std::size_t>(value); }

native::Arena reserved(std::size_t n_bytes) {
  auto arena = native::Arena::reserve(n_bytes);
  ENSURE(arena.has_value(), "memory for a benchmark");
  return std::move(*arena);
}

void run_norm(MicroSession& session, int k) {
  const auto x = random_floats(n_of(k), 1, 1), weight = random_floats(n_of(k), 1, 2);
  std::vector<float> out(n_of(k));
  session.measure({.name = "row/rms-norm/k" + std::to_string(k), .bytes = 8.0 * k, .run = [&] {
                     session.kernels().rms_norm_row(x.data(), weight.data(), k, 1e-5F, out.data());
                   }});
}

// The 8-bit form with its scales and sums, or bf16 in the order of 4-bit weights.
void run_quantise(MicroSession& session, int k, native::ActNeeds needs, const std::string& form) {
  native::Arena arena = reserved(native::ActBuffer::arena_bytes(1, k, needs));
  const native::ActBuffer act(1, k, needs, arena);
  const auto x = random_floats(n_of(k), 1, 1);
  session.measure({.name = "row/quantise-" + form + "/k" + std::to_string(k), .bytes = 4.0 * k, .run = [&] {
                     act.write(session.kernels(), 0, 0, x);
                   }});
}

void run_silu(MicroSession& session, int k) {
  const auto gate = random_floats(n_of(k), 1, 1), up = random_floats(n_of(k), 1, 2);
  std::vector<float> out(n_of(k));
  session.measure({.name = "row/silu-mul/k" + std::to_string(k), .bytes = 8.0 * k, .run = [&] {
                     for (int at = 0; at < k; at += kPanel) {
                       session.kernels().silu_mul_panel(gate.data() + at, up.data() + at, out.data() + at);
                     }
                   }});
}

// One token's K and V of one head: rotate, round, scatter into the page.
void run_rope_and_store(MicroSession& session, int head_dim) {
  constexpr int kTokens = 4096, kBlock = 32;
  ModelSpec spec;
  spec.n_layers = spec.n_kv_heads = 1;
  spec.head_dim = head_dim;
  spec.rope.n_rotary_dims = head_dim;
  auto pages = native::KvPages::make(spec, kTokens / kBlock, kBlock);
  ENSURE(pages.has_value(), "memory for a benchmark");
  std::vector<std::int32_t> table(kTokens / kBlock);
  std::iota(table.begin(), table.end(), 0);
  const native::KvHead kv = pages->head(0, 0, table.data());
  const native::RopeTable rope(spec.rope, kTokens);
  const auto k = random_floats(n_of(head_dim), 1, 1);
  std::vector<float> rotated(n_of(head_dim));
  std::vector<std::uint16_t> rounded(n_of(head_dim));
  int position = 0;
  session.measure({.name = "row/rope-kv-store/d" + std::to_string(head_dim), .bytes = 4.0 * head_dim, .run = [&] {
                     std::ranges::copy(k, rotated.begin());
                     session.kernels().rotate_row(rotated.data(), rope.cosine(position), rope.sine(position), rope.half());
                     session.kernels().store_bf16(rotated.data(), head_dim, rounded.data());
                     native::KvPages::store_key(kv, position, rounded);
                     native::KvPages::store_value(kv, position, rounded);
                     position = (position + 1) % kTokens;
                   }});
}

}  // namespace

void run_row_cases(MicroSession& session) {
  for (const int k : {576, 3584}) {
    run_norm(session, k);
    run_quantise(session, k, {.s8 = true}, "s8");
    run_quantise(session, k, {.split = true}, "bf16");
  }
  run_silu(session, 1536);
  for (const int head_dim : {64, 128}) run_rope_and_store(session, head_dim);
}

}  // namespace mie::bench
