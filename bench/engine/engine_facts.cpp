#include "bench/engine/engine_facts.h"

#include "core/base/build_info.h"
#include "server/json/response_write.h"

namespace mie::bench {

ServerFacts facts_of(const api::ServedModel& model) {
  const BuildInfo build = build_info();
  json::JsonWriter version;
  version.begin_object().member("version", build.version).member("commit", build.commit).member("compiler", build.compiler);
  version.member_or_null("backend", model.backend).member_or_null("isa", model.isa);
  return {.version_json = version.end_object().take(), .models_json = {}, .model = model.names.front(), .is_mie = true};
}

}  // namespace mie::bench
