#include "server/kv_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace mie {
namespace {

constexpr std::int64_t kUsualBytes = std::int64_t{2} << 30U;

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

std::optional<std::int64_t> first_number(const char* path) {
  std::ifstream in(path);
  std::int64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

std::int64_t meminfo_available() {
  std::ifstream in("/proc/meminfo");
  std::string name, unit;
  for (std::int64_t kib = 0; in >> name >> kib; std::getline(in, unit)) {
    if (name == "MemAvailable:") return kib * 1024;
  }
  return std::numeric_limits<std::int64_t>::max();
}

std::int64_t automatic_bytes(const PageLayout& shape, int max_model_len, KvTouch touch, std::int64_t free_bytes) {
  if (touch == KvTouch::kOnUse) return free_bytes / 2;
  const std::int64_t one_context = shape.bytes_per_block() * blocks_for(max_model_len, shape.block_size);
  return std::min(free_bytes / 2, std::max(kUsualBytes, one_context));
}

}  // namespace

std::int64_t available_memory_bytes() {
  std::int64_t bytes = meminfo_available();
  const auto limit = first_number("/sys/fs/cgroup/memory.max");  // "max" reads as nothing
  const auto used = first_number("/sys/fs/cgroup/memory.current");
  if (limit && used) bytes = std::min(bytes, std::max<std::int64_t>(0, *limit - *used));
  return bytes;
}

Result<KvBudgetPlan> plan_kv(const Config& config, int context_length, PageLayout shape, KvTouch touch,
                             std::int64_t free_bytes) {
  KvBudgetPlan plan;
  if (config.max_model_len > context_length) {
    return bad(
        fmt::format("--max-model-len {} is above the model's context of {} tokens", config.max_model_len, context_length));
  }
  plan.max_model_len = config.max_model_len > 0 ? config.max_model_len : context_length;
  const auto block_size = parse_block_size(config.block_size, plan.max_model_len);
  if (block_size.has_error()) return bad("--block-size: " + block_size.error().message);
  plan.block_size = shape.block_size = *block_size;

  const std::int64_t wanted = std::int64_t{config.max_num_seqs} * blocks_for(plan.max_model_len, plan.block_size);
  const bool automatic = config.kv_cache_memory_bytes == 0;
  const int affordable =
      shape.blocks_in(automatic ? automatic_bytes(shape, plan.max_model_len, touch, free_bytes) : config.kv_cache_memory_bytes);
  plan.n_blocks = automatic ? static_cast<int>(std::min<std::int64_t>(wanted, affordable)) : affordable;
  if (plan.n_blocks < 1) {
    return bad(
        fmt::format("--kv-cache-memory: a KV block takes {} bytes, which is more than there is", shape.bytes_per_block()));
  }
  const std::int64_t n_tokens = std::int64_t{plan.n_blocks} * plan.block_size;
  if (n_tokens >= plan.max_model_len) return plan;
  if (config.max_model_len > 0) {
    return bad(
        fmt::format("--max-model-len {} is more than the {} tokens that the KV cache holds", config.max_model_len, n_tokens));
  }
  plan.max_model_len = static_cast<int>(n_tokens);
  plan.lowered = true;
  return plan;
}

}  // namespace mie
