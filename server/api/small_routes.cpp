#include "server/api/small_routes.h"

#include "core/base/build_info.h"
#include "core/base/ensure.h"
#include "server/api/error_body.h"
#include "server/process_metrics.h"

#include <algorithm>

namespace mie::api {
namespace {

using json::JsonWriter;

Answer status_answer(int status, std::string_view word) {
  JsonWriter out;
  out.begin_object().member("status", word).end_object();
  return {.status = status, .body = out.take()};
}

EngineHealth::State engine_state(const Service& service) {
  const Loaded* loaded = service.loaded();
  return loaded == nullptr ? EngineHealth::State::kOk : loaded->engine->health().state;
}

Answer health(const Service& service) {
  switch (engine_state(service)) {
    case EngineHealth::State::kStuck:
      return status_answer(503, "stuck");
    case EngineHealth::State::kFailed:
      return status_answer(503, "failed");
    case EngineHealth::State::kOk:
      break;
  }
  switch (service.phase()) {
    case Phase::kLoading:
      return status_answer(200, "loading");
    case Phase::kServing:
      return status_answer(200, "ok");
    case Phase::kDraining:
      return status_answer(200, "draining");
  }
  invariant_failed("phase", __FILE__, __LINE__, "unknown phase");
}

Answer ready(const Service& service) {
  Answer answer = health(service);
  if (answer.status != 200) return answer;
  if (service.phase() == Phase::kServing) return status_answer(200, "ready");
  answer.status = 503;
  return answer;
}

void write_model(JsonWriter& out, const ServedModel& model, std::string_view name) {
  out.member("id", name).member("object", "model").member("created", model.created).member("owned_by", "mie");
  out.member("root", name).null_member("parent").member("max_model_len", model.max_model_len);
}

Answer models(const ServedModel& model) {
  JsonWriter out;
  out.begin_object().member("object", "list").key("data").begin_array();
  for (const std::string& name : model.names) {
    out.begin_object();
    write_model(out, model, name);
    out.end_object();
  }
  out.end_array().end_object();
  return {.body = out.take()};
}

Result<Answer> one_model(const ServedModel& model, const std::string& name) {
  if (std::find(model.names.begin(), model.names.end(), name) == model.names.end()) {
    return Error{Errc::kModelNotFound, "model " + json::shown(name) + " does not exist", "model"};
  }
  JsonWriter out;
  out.begin_object();
  write_model(out, model, name);
  out.key("meta").begin_object().member("architecture", std::string_view(model.architecture));
  out.member("n_params", model.n_params).member("n_vocab", model.n_vocab);
  out.member("weight_format", std::string_view(model.weight_format)).member("kv_dtype", std::string_view(model.kv_dtype));
  out.member("chat_template", model.chat_template.has_value());
  out.member_or_null("weights_sha256", model.weights_digest ? model.weights_digest->get() : std::string());
  out.member_or_null("tokenizer_sha256", model.tokenizer_sha256).end_object().end_object();
  return Answer{.body = out.take()};
}

Answer version(const Service& service) {
  const BuildInfo build = build_info();
  JsonWriter out;
  out.begin_object().member("version", build.version).member("commit", build.commit).member("compiler", build.compiler);
  const Loaded* loaded = service.loaded();
  const auto fact = [&](std::string_view name, const std::string ServedModel::* member) {
    if (loaded != nullptr && !(loaded->model->*member).empty())
      out.member(name, std::string_view(loaded->model->*member));
    else
      out.null_member(name);
  };
  fact("backend", &ServedModel::backend);
  fact("isa", &ServedModel::isa);
  out.end_object();
  return {.body = out.take()};
}

Answer metrics(Service& service) {
  service.process_metrics().refresh();
  if (const Loaded* loaded = service.loaded()) loaded->engine->refresh_metrics();
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = service.registry().scrape()};
}

}  // namespace

std::string method_not_allowed_body() {
  return error_body({Errc::kMethodNotAllowed, "the path does not take this method", ""});
}

Result<Answer> small_route_answer(Service& service, const RouteMatch& match) {
  switch (match.route->id) {
    case RouteId::kHealth:
      return health(service);
    case RouteId::kReady:
      return ready(service);
    case RouteId::kVersion:
      return version(service);
    case RouteId::kMetrics:
      return metrics(service);
    default:
      break;
  }
  const Loaded* loaded = service.loaded();
  if (loaded == nullptr) return Error{Errc::kLoading, "the model is being loaded", ""};
  if (match.route->id == RouteId::kModels) return models(*loaded->model);
  return one_model(*loaded->model, match.model_id);
}

}  // namespace mie::api
