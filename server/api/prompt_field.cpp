// The four shapes of `prompt`: a string, a list of strings, token ids, a list of token-id lists.
#include "server/api/generation_params.h"

namespace mie::api {
namespace {

using json::FieldReader;
using simdjson::dom::element;
using Type = simdjson::dom::element_type;

constexpr std::string_view kShapes = "a string, a list of strings, a list of token ids or a list of token-id lists";

std::optional<std::vector<TokenId>> read_ids(FieldReader& in, const simdjson::dom::array& list, const std::string& path,
                                             const ParamLimits& limits) {
  std::vector<TokenId> ids;
  ids.reserve(list.size());
  for (const element item : list) {
    const auto id = in.integer_at(item, json::item_path(path, ids.size()), {0, limits.n_vocab - 1});
    if (!id) return {};
    ids.emplace_back(static_cast<std::int32_t>(*id));
  }
  return ids;
}

void read_list(FieldReader& in, const simdjson::dom::array& list, const ParamLimits& limits, GenerationBody& body) {
  if (list.size() == 0) return in.wrong_value("prompt", kShapes, "an empty list");
  const Type kind = list.at(0).value().type();
  if (kind != Type::STRING && kind != Type::ARRAY) {
    if (auto ids = read_ids(in, list, "prompt", limits)) body.prompts.emplace_back(*std::move(ids));
    return;
  }
  body.one_prompt = false;
  for (const element item : list) {
    const std::string path = json::item_path("prompt", body.prompts.size());
    if (kind == Type::STRING) {
      if (auto text = in.string_at(item, path)) body.prompts.emplace_back(*std::move(text));
    } else if (!item.is_array()) {
      in.wrong_type(path, "a list of token ids");
    } else if (auto ids = read_ids(in, simdjson::dom::array(item), path, limits)) {
      body.prompts.emplace_back(*std::move(ids));
    }
    if (in.failed()) return;
  }
}

}  // namespace

void read_prompt(FieldReader& in, const ParamLimits& limits, GenerationBody& body) {
  const auto prompt = in.find("prompt");
  if (!prompt) return in.missing("prompt");
  if (prompt->is_string())
    body.prompts.emplace_back(std::string(std::string_view(*prompt)));
  else if (prompt->is_array())
    read_list(in, simdjson::dom::array(*prompt), limits, body);
  else
    in.wrong_type("prompt", kShapes);
}

}  // namespace mie::api
