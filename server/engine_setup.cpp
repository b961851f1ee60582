#include "server/engine_setup.h"

#include "server/api/prepare.h"
#include "server/config_values.h"

#include <algorithm>

namespace mie {

EngineOptions engine_options(const Config& config, const LoadedModel& model) {
  const SchedulerKind kind = parse_scheduler(config.sched).value();  // checked with the configuration
  EngineOptions options;
  options.limits = limits_for(kind, {config.max_num_seqs, config.max_num_batched_tokens, config.max_prefill_chunk});
  if (kind == SchedulerKind::kChunked) options.step_time = config.step_time;
  options.row_time = model.row_time;
  options.n_drafts = parse_speculation(config.speculate).value();  // checked with the configuration
  if (options.n_drafts > 0) options.limits.draft_rows = std::min(kDraftRows, options.limits.max_tokens);
  options.priority_ageing = config.priority_ageing;
  options.keep_kv = config.kv == "paged";
  options.prefix_caching = config.prefix_caching && options.keep_kv;
  options.prefix_secret = api::SeedSource().next();
  options.n_blocks = model.n_blocks;
  options.block_size = model.block_size;
  options.max_model_len = model.served.max_model_len;
  options.max_queue = config.max_queue;
  options.max_queue_tokens = config.max_queue_tokens;
  options.step_limit = config.step_limit;
  options.step_ring = config.step_ring;
  options.paranoid = config.paranoid;
  options.model_name = model.served.names.front();
  options.cache_dtype = model.served.kv_dtype;
  return options;
}

ServingModel::ServingModel(LoadedModel model, const Config& config, const Clock& clock, MetricsRegistry& registry,
                           std::function<void(const std::string&)> on_fatal, EngineObserver* observer)
    : model_(std::move(model)), scheduler_(make_scheduler(parse_scheduler(config.sched).value())) {
  EngineOptions options = engine_options(config, model_);
  options.observer = observer;
  options.on_fatal = std::move(on_fatal);
  engine_ = std::make_unique<Engine>(std::move(options), *scheduler_, *model_.runner, clock, registry);
  loaded_.model = &model_.served;
  loaded_.engine = engine_.get();
  loaded_.limits = {.n_vocab = model_.served.n_vocab,
                    .max_choices = config.server.max_choices,
                    .max_n = config.server.max_n,
                    .max_logprobs = config.server.max_logprobs,
                    .priorities = config.priority_ageing.count() > 0};
  engine_->start();
}

}  // namespace mie
