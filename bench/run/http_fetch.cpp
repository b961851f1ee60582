#include "bench/run/http_fetch.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <cstring>

namespace mie::bench {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace net = boost::asio;

namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;

net::ip::tcp::endpoint endpoint_of(const ServerAddress& server) {
  net::ip::tcp::endpoint endpoint;
  endpoint.resize(server.length);
  std::memcpy(endpoint.data(), &server.address, server.length);
  return endpoint;
}

// The steps of one exchange, each started by the one before it; whoever fails says so and starts none.
class Exchange {
 public:
  Exchange(net::io_context& io, http::request<http::empty_body> request) : stream_(io), request_(std::move(request)) {
    parser_.body_limit(kMostBytes);
  }

  void start(const net::ip::tcp::endpoint& endpoint) {
    stream_.expires_after(kFetchLimit);
    stream_.async_connect(endpoint, [this](beast::error_code failed) {
      if ((failed_ = failed)) return;
      http::async_write(stream_, request_, [this](beast::error_code write_failed, std::size_t) {
        if ((failed_ = write_failed)) return;
        http::async_read(stream_, buffer_, parser_,
                         [this](beast::error_code read_failed, std::size_t) { failed_ = read_failed; });
      });
    });
  }

  [[nodiscard]] beast::error_code failed() const { return failed_; }
  [[nodiscard]] Fetched take() { return {static_cast<int>(parser_.get().result_int()), std::move(parser_.get().body())}; }

 private:
  beast::tcp_stream stream_;
  http::request<http::empty_body> request_;
  http::response_parser<http::string_body> parser_;
  beast::flat_buffer buffer_;
  beast::error_code failed_;
};

}  // namespace

Result<Fetched> fetch(const ServerAddress& server, http::verb method, const std::string& path, const HeaderFields& fields) {
  http::request<http::empty_body> request(method, server.prefix + path, 11);
  request.set(http::field::host, server.host);
  request.set(http::field::connection, "close");
  for (const auto& [name, value] : fields) request.set(name, value);
  if (method == http::verb::post) request.content_length(0);
  net::io_context io(1);
  Exchange exchange(io, std::move(request));
  exchange.start(endpoint_of(server));
  io.run();
  if (exchange.failed()) return Error{Errc::kConfig, server.host + path + ": " + exchange.failed().message(), ""};
  return exchange.take();
}

}  // namespace mie::bench
