// One request and its answer on a connection: reading the body when a handler wants it, writing the head once, and
// knowing whether the connection can go on afterwards. Lives in the session's frame; the connection's strand only.
#pragma once

#include "server/body_reader.h"
#include "server/connection.h"
#include "server/request_head.h"
#include "server/service.h"
#include "server/sse_writer.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mie {

struct Answer {
  int status = 200;
  std::string content_type = "application/json";  // empty: no content
  std::string body{};
  std::vector<std::pair<std::string, std::string>> fields{};
};

// Neither: the client hung up.
struct BodyOutcome {
  std::optional<std::string> body;
  std::optional<Error> error;
};

class Exchange {
 public:
  // `head_bytes`: the head as received.
  Exchange(std::shared_ptr<Connection> connection, Service& service, RequestHead head, std::string_view head_bytes);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] const RequestHead& head() const { return head_; }
  [[nodiscard]] const std::shared_ptr<Connection>& connection() const { return connection_; }
  [[nodiscard]] const std::string& request_id() const { return request_id_; }
  [[nodiscard]] Clock::time_point arrival() const { return arrival_; }           // the last byte of the head
  [[nodiscard]] std::int64_t arrival_raw_ns() const { return arrival_raw_ns_; }  // the same, CLOCK_MONOTONIC_RAW
  [[nodiscard]] const std::optional<HeadFault>& framing_fault() const { return body_reader_.head_fault(); }

  // Sends 100 Continue first where the client waits for it. Once.
  net::awaitable<BodyOutcome> read_body();

  // Writes a whole answer. False: it could not be delivered. For HEAD only its head is sent.
  net::awaitable<bool> answer(Answer answer);
  net::awaitable<bool> refuse(Error error);

  // The head of an event stream and its first frames.
  net::awaitable<Connection::WriteEnd> begin_stream(std::string_view frames);
  net::awaitable<Connection::WriteEnd> write(std::string_view bytes);
  [[nodiscard]] StreamFraming framing() const {
    return head_.minor_version == 0 ? StreamFraming::kCloseDelimited : StreamFraming::kChunked;
  }

  [[nodiscard]] int status() const { return status_; }  // 0: none sent
  void close_after() { keep_alive_ = false; }
  [[nodiscard]] bool keeps_alive() const { return keep_alive_; }

  // After the answer: an unread body is read and dropped, so that the next request can be found. False: it cannot.
  net::awaitable<bool> finish();

 private:
  using Fields = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] std::string answer_head(int status, const Fields& fields) const;
  [[nodiscard]] bool waits_for_continue() const;
  [[nodiscard]] bool count_body_memory();
  net::awaitable<BodyOutcome> receive_body();

  std::shared_ptr<Connection> connection_;
  Service& service_;
  RequestHead head_;
  BodyReader body_reader_;
  std::string request_id_;
  Clock::time_point arrival_;
  std::int64_t arrival_raw_ns_ = 0;
  std::size_t n_body_counted_ = 0;
  int status_ = 0;
  bool keep_alive_ = true;
  bool continue_sent_ = false;
};

// 32 random lower-case hex digits.
[[nodiscard]] std::string random_hex_id();

}  // namespace mie
