#include "server/body_reader.h"

#include "server/chunk_guard.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

namespace mie {
namespace {

namespace http = boost::beast::http;

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
  }

  HeadFault fault_of(const boost::beast::error_code& ec) const {
    if (ec == http::error::body_limit) {
      return {{Errc::kBodyTooLarge, "body limit is " + std::to_string(limit_bytes) + " bytes", ""}, "H13"};
    }
    return bad("disagreement", "body");
  }

  std::size_t limit_bytes;
  std::optional<ChunkGuard> guard;  // of a chunked body
  std::string pending;              // accepted by the guard, not yet taken by Beast
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
  else if (parser.chunked())
    parser_->guard.emplace();
}

BodyReader::~BodyReader() = default;
BodyReader::BodyReader(BodyReader&&) noexcept = default;
BodyReader& BodyReader::operator=(BodyReader&&) noexcept = default;

BodyReader::Step BodyReader::put(std::string_view bytes) {
  Step step;
  auto& parser = parser_->parser;
  if (!parser_->guard) {
    for (bool moved = true; moved && !parser.is_done() && !step.fault;) {
      const std::size_t from = step.n_consumed;
      if (from < bytes.size()) step = feed(bytes, from);
      moved = step.n_consumed > from;
    }
    return step;
  }
  // What the guard has accepted goes to Beast at once; Beast may want to see an incomplete line again, and keeps it here.
  const auto guarded = parser_->guard->accept(bytes);
  parser_->pending.append(bytes.substr(0, guarded.n_accepted));
  std::size_t n_fed = 0;
  while (!parser.is_done() && n_fed < parser_->pending.size()) {
    const Step fed = feed(parser_->pending, n_fed);
    if (fed.fault) return fed;
    if (fed.n_consumed == n_fed) break;
    n_fed = fed.n_consumed;
  }
  parser_->pending.erase(0, n_fed);
  step.n_consumed = guarded.n_accepted;
  step.fault = guarded.fault;
  if (!step.fault && parser.is_done() != parser_->guard->done()) step.fault = bad("disagreement", "chunked body");
  return step;
}

// Beast's turn from `from` on. n_consumed: the new position.
BodyReader::Step BodyReader::feed(std::string_view bytes, std::size_t from) {
  boost::beast::error_code ec;
  const auto rest = bytes.substr(from);
  const auto n = parser_->parser.put(boost::asio::buffer(rest.data(), rest.size()), ec);
  Step step{from + n, {}};
  if (ec && ec != http::error::need_more) step.fault = parser_->fault_of(ec);
  return step;
}

bool BodyReader::done() const { return parser_->parser.is_done(); }
std::size_t BodyReader::n_bytes() const { return parser_->parser.get().body().size(); }
std::string BodyReader::take() { return std::move(parser_->parser.get().body()); }

}  // namespace mie
