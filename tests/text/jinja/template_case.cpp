#include "tests/text/jinja/template_case.h"

#include <simdjson.h>

#include <fstream>
#include <stdexcept>

namespace mie::test {
namespace {

using jinja::Value;
using simdjson::dom::element;

std::vector<std::pair<std::string, Value>> entries_of(const simdjson::dom::object& object);

Value value_of(const element& json) {
  switch (json.type()) {
    case simdjson::dom::element_type::ARRAY: {
      std::vector<Value> items;
      for (const element item : simdjson::dom::array(json)) items.push_back(value_of(item));
      return Value::list(std::move(items));
    }
    case simdjson::dom::element_type::OBJECT:
      return Value::dict(entries_of(simdjson::dom::object(json)));
    case simdjson::dom::element_type::INT64:
      return Value::integer(std::int64_t(json));
    case simdjson::dom::element_type::DOUBLE:
      return Value::real(double(json));
    case simdjson::dom::element_type::STRING:
      return Value::input(std::string(std::string_view(json)));
    case simdjson::dom::element_type::BOOL:
      return Value::boolean(bool(json));
    case simdjson::dom::element_type::NULL_VALUE:
      return Value::none();
    default:
      throw std::runtime_error("unexpected JSON in a golden file");
  }
}

std::vector<std::pair<std::string, Value>> entries_of(const simdjson::dom::object& object) {
  std::vector<std::pair<std::string, Value>> entries;
  for (const auto& [key, value] : object) entries.emplace_back(std::string(key), value_of(value));
  return entries;
}

template <class T>
T or_else(simdjson::simdjson_result<element> json, T otherwise) {
  T value{};
  return json.get(value) == simdjson::SUCCESS ? value : otherwise;
}

std::string text_or(simdjson::simdjson_result<element> json, std::string_view otherwise) {
  return std::string(or_else<std::string_view>(json, otherwise));
}

TemplateCase case_of(const element& json) {
  TemplateCase test_case;
  test_case.name = text_or(json["name"], "");
  test_case.source = text_or(json["template"], "");
  test_case.messages = value_of(element(json["messages"]));
  test_case.options.kwargs = entries_of(simdjson::dom::object(json["kwargs"]));
  test_case.options.add_generation_prompt = or_else(json["prompt"], false);
  test_case.options.continue_final_message = or_else(json["continue"], false);
  test_case.options.now_unix_seconds = 1'234'567'890;
  if (json["output"].error() == simdjson::SUCCESS) test_case.output = text_or(json["output"], "");
  test_case.error = text_or(json["error"], "");
  test_case.words = text_or(json["words"], "");
  test_case.line = static_cast<int>(or_else<std::int64_t>(json["line"], 0));
  return test_case;
}

}  // namespace

std::vector<TemplateCase> read_template_cases(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::vector<TemplateCase> cases;
  simdjson::dom::parser parser;
  for (std::string line; std::getline(in, line);) cases.push_back(case_of(parser.parse(line)));
  return cases;
}

Result<RenderedPrompt> render(const TemplateCase& test_case) {
  auto chat_template = ChatTemplate::parse(test_case.source, "<s>", "</s>", std::make_shared<ManualClock>());
  if (chat_template.has_error()) return chat_template.error();
  return chat_template->render(test_case.messages, test_case.options);
}

}  // namespace mie::test
