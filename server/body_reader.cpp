#include "server/body_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include <functional>
#include <iterator>

namespace mie {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kMaxChunkLine = 32;  // hex digits and CRLF, with room to see the fault

// A string that grows with the bytes received; the one of Beast reserves the announced length at once.
struct GrowingBody {
  using value_type = std::string;
  class reader {
   public:
    template <bool isRequest, class Fields>
    reader(http::header<isRequest, Fields>&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, boost::beast::error_code& ec) { ec = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::beast::error_code& ec) {
      ec = {};
      std::size_t n = 0;
      for (const auto& part : boost::beast::buffers_range_ref(buffers)) {
        body_.append(static_cast<const char*>(part.data()), part.size());
        n += part.size();
      }
      return n;
    }
    void finish(boost::beast::error_code& ec) { ec = {}; }

   private:
    value_type& body_;
  };
};

HeadFault bad(std::string_view rule, std::string_view what) {
  return {{Errc::kBadHttp, "malformed request: " + std::string(what), ""}, rule};
}

}  // namespace

struct BodyReader::Parser {
  explicit Parser(std::size_t limit) : limit_bytes(limit) {
    parser.header_limit(static_cast<std::uint32_t>(kMaxHeadBytes));
    parser.body_limit(limit);
    parser.eager(true);
    parser.on_chunk_header(on_chunk);
  }

  [[nodiscard]] std::size_t n_fields() const {
    return static_cast<std::size_t>(std::distance(parser.get().begin(), parser.get().end()));
  }

  HeadFault fault_of(const boost::beast::error_code& ec) const {
    if (ec == http::error::body_limit) {
      return {{Errc::kBodyTooLarge, "body limit is " + std::to_string(limit_bytes) + " bytes", ""}, "H13"};
    }
    if (ec == http::error::bad_chunk_extension) return bad("H10", "chunk extension");
    return bad("H11", "chunked body");
  }

  std::size_t limit_bytes;
  std::size_t n_head_fields = 0;
  std::function<void(std::uint64_t, boost::beast::string_view, boost::beast::error_code&)> on_chunk =
      [](std::uint64_t, boost::beast::string_view extension, boost::beast::error_code& ec) {
        if (!extension.empty()) ec = http::error::bad_chunk_extension;
      };
  http::request_parser<GrowingBody> parser;
};

BodyReader::BodyReader(std::string_view head_bytes, std::size_t limit_bytes) : parser_(std::make_unique<Parser>(limit_bytes)) {
  boost::beast::error_code ec;
  auto& parser = parser_->parser;
  const auto n = parser.put(boost::asio::buffer(head_bytes.data(), head_bytes.size()), ec);
  if (ec == http::error::need_more && parser.is_header_done()) ec = {};
  if (ec == http::error::body_limit)
    head_fault_ = parser_->fault_of(ec);
  else if (ec || !parser.is_header_done() || n != head_bytes.size())
    head_fault_ = bad("disagreement", "head");
  else
    parser_->n_head_fields = parser_->n_fields();
}

BodyReader::~BodyReader() = default;
BodyReader::BodyReader(BodyReader&&) noexcept = default;
BodyReader& BodyReader::operator=(BodyReader&&) noexcept = default;

BodyReader::Step BodyReader::put(std::string_view bytes) {
  Step step;
  auto& parser = parser_->parser;
  while (!parser.is_done() && step.n_consumed < bytes.size()) {
    boost::beast::error_code ec;
    const auto rest = bytes.substr(step.n_consumed);
    const auto n = parser.put(boost::asio::buffer(rest.data(), rest.size()), ec);
    step.n_consumed += n;
    if (ec && ec != http::error::need_more) {
      step.fault = parser_->fault_of(ec);
      return step;
    }
    if (ec == http::error::need_more && n == 0) break;
  }
  if (!parser.is_done() && bytes.size() - step.n_consumed > kMaxChunkLine) step.fault = bad("H11", "chunk line");
  if (parser.is_done() && parser_->n_fields() != parser_->n_head_fields) step.fault = bad("H12", "trailer field");
  return step;
}

bool BodyReader::done() const { return parser_->parser.is_done(); }
std::size_t BodyReader::n_bytes() const { return parser_->parser.get().body().size(); }
std::string BodyReader::take() { return std::move(parser_->parser.get().body()); }

}  // namespace mie
