#include "bench/diff/dump_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <fstream>
#include <sstream>

namespace mie::diff {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers of a dump are written as they lie in memory");

constexpr std::array<std::string_view, 3> kArithmetics = {"fp32", "bf16", "w4a8"};
constexpr std::size_t kMaxTokens = 1U << 20U, kMaxWidth = 1U << 24U, kMaxLayer = 1U << 16U;

Error bad(const std::string& path, std::string_view what) { return {Errc::kConfig, fmt::format("{}: {}", path, what), ""}; }

std::string ids_of(const std::vector<TokenId>& tokens) {
  std::string text;
  for (const TokenId token : tokens) text += " " + std::to_string(token.value());
  return text;
}

bool all_chosen(const Record& record) {
  return record.next.size() == record.tokens.size() &&
         std::all_of(record.next.begin(), record.next.end(), [](const auto& token) { return token.has_value(); });
}

std::string header_of(const Record& record) {
  std::string out = fmt::format("mie-layers 1\nby {}\narithmetic {}\n", record.made_by,
                                kArithmetics[static_cast<std::size_t>(record.numerics.arithmetic)]);
  if (!record.numerics.bits.empty()) out += "bits " + record.numerics.bits + '\n';
  out += fmt::format("prompt {}\ntokens{}\n", record.n_prompt, ids_of(record.tokens));
  if (all_chosen(record)) {
    std::vector<TokenId> next;
    next.reserve(record.next.size());
    for (const auto& token : record.next) next.push_back(*token);
    out += "next" + ids_of(next) + '\n';
  }
  for (const auto& [id, rows] : record.tensors)
    out += fmt::format("tensor {} {} {}\n", id.layer, tap_name(id.point), rows.front().size());
  return out + "end\n";
}

struct DumpedTensor {
  TensorId id;
  std::size_t width = 0;
};

// Reads the lines; each method takes the rest of one and says what is wrong with it, or nothing.
class HeaderReader {
 public:
  Record record{};
  std::vector<DumpedTensor> tensors{};

  std::string take(const std::string& line) {
    const auto space = line.find(' ');
    const std::string key = line.substr(0, space), rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (key == "arithmetic") return arithmetic(rest);
    if (key == "tokens") return ids(rest, record.tokens) ? "" : "tokens: ids separated by spaces";
    if (key == "next") return next(rest);
    if (key == "tensor") return tensor(rest);
    if (key == "by") {
      record.made_by = rest;
    } else if (key == "bits") {
      record.numerics.bits = rest;
    } else if (key == "prompt") {
      record.n_prompt = number(rest, kMaxTokens).value_or(0);
    } else {
      return "a line that starts with \"" + key.substr(0, 20) + '"';
    }
    return "";
  }
  [[nodiscard]] std::string missing() const {
    if (record.tokens.empty()) return "no tokens";
    if (record.n_prompt < 1 || static_cast<std::size_t>(record.n_prompt) > record.tokens.size())
      return "a prompt longer than the tokens, or none";
    if (!record.next.empty() && record.next.size() != record.tokens.size()) return "another number of next than of tokens";
    return tensors.empty() ? "no tensor" : "";
  }

 private:
  static std::optional<int> number(std::string_view text, std::size_t below) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < -1) return {};
    return static_cast<std::int64_t>(value) < static_cast<std::int64_t>(below) ? std::optional(value) : std::nullopt;
  }
  static bool ids(const std::string& text, std::vector<TokenId>& out) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const auto id = number(word, std::size_t{1} << 30U);
      if (!id || *id < 0 || out.size() >= kMaxTokens) return false;
      out.emplace_back(*id);
    }
    return !out.empty();
  }
  std::string next(const std::string& text) {
    std::vector<TokenId> chosen;
    if (!ids(text, chosen)) return "next: ids separated by spaces";
    record.next.assign(chosen.begin(), chosen.end());
    return "";
  }
  std::string arithmetic(const std::string& name) {
    const auto found = std::find(kArithmetics.begin(), kArithmetics.end(), name);
    if (found == kArithmetics.end()) return "arithmetic: one of fp32, bf16, w4a8";
    record.numerics.arithmetic = static_cast<Arithmetic>(found - kArithmetics.begin());
    return "";
  }
  std::string tensor(const std::string& text) {
    std::istringstream words(text);
    std::string layer, name, width, more;
    words >> layer >> name >> width;
    const auto point = std::find(kTapNames.begin(), kTapNames.end(), name);
    const auto of_layer = number(layer, kMaxLayer), columns = number(width, kMaxWidth);
    if (point == kTapNames.end() || !of_layer || !columns || *columns < 1 || words >> more)
      return "tensor: a layer, a name and a width, got \"" + text.substr(0, 40) + '"';
    tensors.push_back({{*of_layer, static_cast<TapPoint>(point - kTapNames.begin())}, static_cast<std::size_t>(*columns)});
    return "";
  }
};

// The rows of all tensors; false: the file ends before them or goes on after them.
bool read_rows(std::istream& in, HeaderReader& header) {
  for (const DumpedTensor& tensor : header.tensors) {
    std::vector<Row>& rows = header.record.tensors[tensor.id];
    rows.clear();
    for (std::size_t i = 0; i < header.record.tokens.size(); ++i) {
      Row& row = rows.emplace_back(tensor.width);
      if (!in.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(float)))) return false;
    }
  }
  return in.peek() == std::istream::traits_type::eof();
}

}  // namespace

Result<void> write_dump(const Record& record, const std::string& path) {
  for (const auto& [id, rows] : record.tensors) {
    const auto lacks = [](const Row& row) { return row.empty(); };
    if (rows.size() != record.tokens.size() || std::any_of(rows.begin(), rows.end(), lacks))
      return bad(path, "not written: the run stopped before it had every row");
  }
  std::ofstream out(path, std::ios::binary);
  out << header_of(record);
  for (const auto& [id, rows] : record.tensors) {
    for (const Row& row : rows)
      out.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(float)));
  }
  if (!out.flush()) return bad(path, "cannot be written");
  return {};
}

Result<Record> read_dump(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad(path, "cannot be read");
  std::string line;
  if (!std::getline(in, line) || line != "mie-layers 1")
    return bad(path, "not a dump of layers: it starts with \"mie-layers 1\"");
  HeaderReader header;
  while (std::getline(in, line) && line != "end") {
    if (const std::string wrong = header.take(line); !wrong.empty()) return bad(path, wrong);
  }
  if (line != "end") return bad(path, "ends within its header");
  if (const std::string wrong = header.missing(); !wrong.empty()) return bad(path, wrong);
  if (!read_rows(in, header)) return bad(path, "has more or fewer numbers than its header says");
  return std::move(header.record);
}

}  // namespace mie::diff
