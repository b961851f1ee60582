#include "server/request_head.h"

#include <algorithm>
#include <array>

namespace mie {
namespace {

using Verdict = std::optional<HeadFault>;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }

HeadFault bad(std::string_view rule, std::string_view what) {
  return {{Errc::kBadHttp, "malformed request: " + std::string(what), ""}, rule};
}

HeadFault too_many() {
  return {{Errc::kHeadersTooLarge, "the head of a request is at most 32768 bytes and 64 fields", ""}, "H7"};
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Splits the next line off; lines end with CRLF and hold neither CR nor LF.
std::optional<std::string_view> next_line(std::string_view& rest) {
  const auto end = rest.find("\r\n");
  if (end == std::string_view::npos) return {};
  const auto line = rest.substr(0, end);
  if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) return {};
  rest.remove_prefix(end + 2);
  return line;
}

// host[:port] of RFC 3986, without user information.
bool valid_host(std::string_view text) {
  if (text.empty()) return false;
  const auto colon = text.front() == '[' ? text.find(':', text.find(']')) : text.find(':');
  const auto host = text.substr(0, colon);
  const auto port = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  if (host.empty() || port.size() > 5 || !std::all_of(port.begin(), port.end(), is_digit)) return false;
  if (host.front() == '[') {
    const auto address = host.substr(1, host.size() - 2);
    return host.size() > 3 && host.back() == ']' &&
           std::all_of(address.begin(), address.end(), [](char c) { return is_alnum(c) || c == ':' || c == '.'; });
  }
  return std::all_of(host.begin(), host.end(), [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; });
}

Verdict read_version(std::string_view version, RequestHead& head) {
  const bool formed = version.size() == 8 && version.substr(0, 5) == "HTTP/" && is_digit(version[5]) && version[6] == '.' &&
                      is_digit(version[7]);
  if (!formed) return bad("H18", "HTTP version");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return HeadFault{{Errc::kHttpVersionNotSupported, "this server speaks HTTP/1.1 and HTTP/1.0", ""}, "H18"};
  }
  head.minor_version = version[7] - '0';
  return {};
}

// Origin form, or absolute form with http(s); `authority` gets the host of the latter.
Verdict read_target(std::string_view target, RequestHead& head, std::string_view& authority) {
  const auto plain = [](char c) { return c > 0x20 && c < 0x7F && c != '#'; };
  if (!std::all_of(target.begin(), target.end(), plain)) return bad("H6", "request target");
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const auto after = target.substr(scheme.size());
    const auto slash = std::min(after.find_first_of("/?"), after.size());
    authority = after.substr(0, slash);
    if (!valid_host(authority)) return bad("H6", "request target");
    target = after.substr(slash);
    if (target.empty() || target.front() != '/') return bad("H6", "request target");
  }
  if (target.empty() || target.front() != '/') return bad("H6", "request target");
  const auto mark = std::min(target.find('?'), target.size());
  head.path = target.substr(0, mark);
  head.query = target.substr(std::min(mark + 1, target.size()));
  return {};
}

Verdict read_request_line(std::string_view line, RequestHead& head, std::string_view& authority) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return bad("H6", "request line");
  head.method = line.substr(0, first);
  if (head.method.empty() ||
      !std::all_of(head.method.begin(), head.method.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_'; })) {
    return bad("H6", "method");
  }
  if (auto fault = read_version(line.substr(last + 1), head)) return fault;
  return read_target(line.substr(first + 1, last - first - 1), head, authority);
}

Verdict read_field(std::string_view line, RequestHead& head) {
  if (line.front() == ' ' || line.front() == '\t') return bad("H4", "folded field");
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return bad("H8", "field without a name");
  const auto name = line.substr(0, colon);
  if (!std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '-'; })) return bad("H8", "field name");
  const auto value = trimmed(line.substr(colon + 1));
  if (!std::all_of(value.begin(), value.end(), [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\t'; })) {
    return bad("H8", "field value");
  }
  if (head.fields.size() == kMaxFields) return too_many();
  head.fields.push_back({std::string(name), std::string(value)});
  return {};
}

Verdict check_repeats(const RequestHead& head) {
  struct Once {
    std::string_view name, rule;
  };
  static constexpr std::array<Once, 9> kOnce = {{{"Transfer-Encoding", "H1"},
                                                 {"Content-Length", "H3"},
                                                 {"Host", "H5"},
                                                 {"Content-Type", "H9"},
                                                 {"Content-Encoding", "H9"},
                                                 {"Authorization", "H9"},
                                                 {"Expect", "H9"},
                                                 {"X-Request-Timeout-Ms", "H9"},
                                                 {"Last-Event-ID", "H9"}}};
  for (const Once& once : kOnce) {
    const auto n =
        std::count_if(head.fields.begin(), head.fields.end(), [&](const auto& f) { return same_name(f.name, once.name); });
    if (n > 1) return bad(once.rule, "repeated field " + std::string(once.name));
  }
  return {};
}

Verdict check_framing(const RequestHead& head) {
  const auto* coding = head.find("Transfer-Encoding");
  const auto* length = head.find("Content-Length");
  if (coding != nullptr) {
    if (!same_name(*coding, "chunked")) return bad("H1", "Transfer-Encoding other than chunked");
    if (length != nullptr) return bad("H2", "Transfer-Encoding with Content-Length");
    if (head.minor_version == 0) return bad("H2", "Transfer-Encoding in HTTP/1.0");
  }
  if (length == nullptr) return {};
  const bool digits = !length->empty() && length->size() <= 10 && std::all_of(length->begin(), length->end(), is_digit);
  if (!digits || (length->size() > 1 && length->front() == '0')) return bad("H3", "Content-Length");
  return {};
}

Verdict check_host(RequestHead& head, std::string_view authority) {
  const auto* host = head.find("Host");
  if (host == nullptr) return head.minor_version == 1 ? Verdict(bad("H5", "no Host")) : std::nullopt;
  if (!valid_host(*host)) return bad("H5", "Host");
  if (!authority.empty() && !same_name(authority, *host)) return bad("H6", "target and Host differ");
  head.host = *host;
  return {};
}

Verdict read_fields(std::string_view rest, RequestHead& head) {
  for (;;) {
    const auto line = next_line(rest);
    if (!line) return bad("H8", "line end");
    if (line->empty()) return {};
    if (auto fault = read_field(*line, head)) return fault;
  }
}

Verdict judge(std::string_view bytes, RequestHead& head) {
  std::string_view authority;
  const auto line = next_line(bytes);
  if (!line) return bad("H6", "request line");
  if (auto fault = read_request_line(*line, head, authority)) return fault;
  if (auto fault = read_fields(bytes, head)) return fault;
  if (auto fault = check_repeats(head)) return fault;
  if (auto fault = check_framing(head)) return fault;
  return check_host(head, authority);
}

// Faults that need no complete head.
Verdict judge_partial(std::string_view bytes) {
  if (bytes.find('\n') == std::string_view::npos && bytes.size() > kMaxRequestLine) {
    return HeadFault{{Errc::kUriTooLong, "a request line is at most 8192 bytes", ""}, "H7"};
  }
  if (bytes.size() > kMaxHeadBytes) return too_many();
  for (auto at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') return bad("H8", "line end");
  }
  return {};
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* RequestHead::find(std::string_view name) const {
  const auto at = std::find_if(fields.begin(), fields.end(), [name](const auto& field) { return same_name(field.name, name); });
  return at == fields.end() ? nullptr : &at->value;
}

bool RequestHead::wants_close() const {
  bool close = minor_version == 0;
  for (const auto& field : fields) {
    if (!same_name(field.name, "Connection")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      const auto option = trimmed(rest.substr(0, comma));
      if (same_name(option, "close")) return true;
      if (same_name(option, "keep-alive")) close = false;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return close;
}

bool RequestHead::has_body() const {
  const auto* length = find("Content-Length");
  return find("Transfer-Encoding") != nullptr || (length != nullptr && *length != "0");
}

std::optional<std::variant<RequestHead, HeadFault>> read_head(std::string_view bytes, std::size_t& n_bytes) {
  const auto end = bytes.substr(0, kMaxHeadBytes).find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (auto fault = judge_partial(bytes)) return *std::move(fault);
    return {};
  }
  n_bytes = end + 4;
  if (bytes.find('\n') > kMaxRequestLine)
    return HeadFault{{Errc::kUriTooLong, "a request line is at most 8192 bytes", ""}, "H7"};
  RequestHead head;
  if (auto fault = judge(bytes.substr(0, n_bytes), head)) return *std::move(fault);
  return head;
}

}  // namespace mie
