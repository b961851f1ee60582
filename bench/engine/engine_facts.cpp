#include "bench/engine/engine_facts.h"

#include "core/base/build_info.h"
#include "server/json/response_write.h"

namespace mie::bench {

ServerFacts facts_of(const api::ServedModel& model) {
  const BuildInfo build = build_info();
  json::JsonWriter version;
  version.begin_object().member("version", build.version).member("commit", build.commit).member("compiler", build.compiler);
  version.member_or_null("backend", model.backend).member_or_null("isa", model.isa);
  json::JsonWriter card;  // as of GET /v1/models/{id}
  card.begin_object().key("meta").begin_object().member("weight_format", std::string_view(model.weight_format));
  card.member("kv_dtype", std::string_view(model.kv_dtype));
  card.member_or_null("weights_sha256", model.weights_digest ? model.weights_digest->get() : std::string());
  card.member_or_null("tokenizer_sha256", model.tokenizer_sha256).end_object().end_object();
  return {.version_json = version.end_object().take(),
          .models_json = {},
          .model_json = card.take(),
          .model = model.names.front(),
          .is_mie = true};
}

}  // namespace mie::bench
