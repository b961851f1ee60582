#include "tests/server/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mie::test {
namespace {

constexpr timeval kLimit = {20, 0};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::vector<std::string> HttpAnswer::events() const {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < body.size();) {
    const auto end = body.find("\n\n", at);
    if (end == std::string::npos) throw std::runtime_error("event without its blank line");
    const std::string frame = body.substr(at, end - at);
    if (frame.starts_with("data: "))
      found.push_back(frame.substr(6));
    else if (!frame.starts_with(":"))
      throw std::runtime_error("frame that is neither data nor comment: " + frame);
    at = end + 2;
  }
  return found;
}

HttpClient::HttpClient(std::uint16_t port, int receive_buffer_bytes)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (receive_buffer_bytes > 0)
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kLimit, sizeof kLimit);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error("connect");
}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), unread_(std::move(other.unread_)) {}
HttpClient::~HttpClient() { close(); }

void HttpClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void HttpClient::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

void HttpClient::shutdown_send() { ::shutdown(socket_, SHUT_WR); }

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;  // the server has closed; what it said is still to be read
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool HttpClient::fill() {
  char bytes[65536];
  const auto n = ::recv(socket_, bytes, sizeof bytes, 0);
  if (n > 0) unread_.append(bytes, static_cast<std::size_t>(n));
  return n > 0;
}

std::string HttpClient::read_until(std::string_view text) {
  std::size_t at = 0;
  while ((at = unread_.find(text)) == std::string::npos) {
    if (!fill()) return std::exchange(unread_, {});
  }
  std::string seen = unread_.substr(0, at + text.size());
  unread_.erase(0, at + text.size());
  return seen;
}

std::string HttpClient::read_all() {
  while (fill()) {
  }
  return std::exchange(unread_, {});
}

bool HttpClient::closed() {
  if (!unread_.empty()) return false;
  char byte = 0;
  const auto n = ::recv(socket_, &byte, 1, 0);
  return n == 0 || (n < 0 && errno == ECONNRESET);
}

HttpAnswer HttpClient::read(Expect expect) {
  HttpAnswer answer;
  const std::string head = read_until("\r\n\r\n");
  if (!head.ends_with("\r\n\r\n")) return answer;
  answer.status = std::stoi(head.substr(9, 3));
  for (std::size_t at = head.find("\r\n") + 2; at + 2 < head.size();) {
    const auto end = head.find("\r\n", at);
    const auto colon = head.find(": ", at);
    answer.fields[lower(head.substr(at, colon - at))] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  if (expect == Expect::kHeadOnly || answer.status == 204 || answer.status == 100) {
    answer.whole = true;
  } else if (answer.fields.contains("transfer-encoding")) {
    for (;;) {
      const std::string line = read_until("\r\n");
      if (!line.ends_with("\r\n")) return answer;
      const std::size_t n = std::stoul(line, nullptr, 16);
      while (unread_.size() < n + 2 && fill()) {
      }
      answer.body += unread_.substr(0, std::min(n, unread_.size()));
      if (unread_.size() < n + 2) return answer;
      unread_.erase(0, n + 2);
      if (n == 0) break;
    }
    answer.whole = true;
  } else if (answer.fields.contains("content-length")) {
    const std::size_t n = std::stoul(answer.fields["content-length"]);
    while (unread_.size() < n && fill()) {
    }
    answer.whole = unread_.size() >= n;
    answer.body = unread_.substr(0, n);
    unread_.erase(0, std::min(n, unread_.size()));
  } else {
    answer.body = read_all();
    answer.whole = true;
  }
  return answer;
}

std::string post_request(const std::string& path, const std::string& json, const std::string& more_fields) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + more_fields +
         "Content-Length: " + std::to_string(json.size()) + "\r\n\r\n" + json;
}

HttpAnswer HttpClient::get(const std::string& path) {
  send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return read();
}

HttpAnswer HttpClient::post(const std::string& path, const std::string& json) {
  send(post_request(path, json));
  return read();
}

}  // namespace mie::test
