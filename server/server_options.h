// Address, limits and timeouts of the HTTP side, checked by config. Value; immutable once the server runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mie {

struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8000;  // 0: any free one
  std::string unix_path{};    // not empty: a unix socket instead of TCP
};

struct ServerOptions {
  using Duration = std::chrono::milliseconds;

  int max_connections = 4096;
  int max_connections_per_address = 256;
  int max_requests_per_connection = 1000;
  std::size_t max_body_bytes = std::size_t{10} << 20U;
  std::size_t max_body_memory_bytes = std::size_t{512} << 20U;
  std::size_t output_buffer_bytes = std::size_t{1} << 20U;
  Duration head_timeout{10'000};
  Duration body_timeout{60'000};
  Duration idle_timeout{120'000};
  Duration write_timeout{30'000};
  Duration request_timeout{600'000};
  Duration drain_timeout{30'000};
  Duration sse_ping{15'000};  // 0: off
  std::vector<std::string> allowed_origins = {"loopback"};
  std::vector<std::string> allowed_hosts;
  int max_n = 16;
  int max_choices = 64;
  int max_logprobs = 20;
};

}  // namespace mie
