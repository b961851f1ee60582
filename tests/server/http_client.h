// A blocking HTTP client on a raw loopback socket, for tests: sends what it is told byte for byte and reads answers with a
// time limit, so that a server that says nothing fails a test instead of hanging it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mie::test {

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;                           // dechunked
  bool whole = false;  // Content-Length reached, terminating chunk seen, or closed where that ends the body

  // Data of the events of a stream, comments left out.
  [[nodiscard]] std::vector<std::string> events() const;
};

class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port, int receive_buffer_bytes = 0);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;

  void send(std::string_view bytes);
  // `head_only`: the answer to a HEAD.
  enum class Expect { kBody, kHeadOnly };
  HttpAnswer read(Expect expect = Expect::kBody);
  // Bytes until `text` has come; what came.
  std::string read_until(std::string_view text);
  // The server ended the connection and sent nothing more.
  bool closed();
  // Everything until the end or the time limit.
  std::string read_all();

  void shutdown_send();
  void reset();  // close with RST
  void close();

  HttpAnswer get(const std::string& path);
  HttpAnswer post(const std::string& path, const std::string& json);

 private:
  bool fill();

  int socket_ = -1;
  std::string unread_;
};

std::string post_request(const std::string& path, const std::string& json, const std::string& more_fields = {});

}  // namespace mie::test
