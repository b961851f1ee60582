#include "server/request_head.h"
#include "server/body_reader.h"

#include <gtest/gtest.h>

namespace mie {
namespace {

struct Read {
  std::optional<RequestHead> head;
  std::string rule;
  Errc code = Errc::kInternal;
  std::size_t n_bytes = 0;
};

Read read(const std::string& bytes) {
  Read out;
  auto result = read_head(bytes, out.n_bytes);
  if (!result) return out;
  if (auto* fault = std::get_if<HeadFault>(&*result)) {
    out.rule = fault->rule;
    out.code = fault->error.code;
  } else {
    out.head = std::get<RequestHead>(std::move(*result));
  }
  return out;
}

Read with(const std::string& fields) { return read("POST /v1/completions HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n"); }

TEST(RequestHead, ReadsAnOrdinaryHead) {
  const Read r = read("POST /v1/completions?x=1 HTTP/1.1\r\nHost: localhost:8000\r\nX-A:  b c \r\n\r\nBODY");
  ASSERT_TRUE(r.head);
  EXPECT_EQ(r.head->method, "POST");
  EXPECT_EQ(r.head->path, "/v1/completions");
  EXPECT_EQ(r.head->host, "localhost:8000");
  EXPECT_EQ(*r.head->find("x-a"), "b c");
  EXPECT_EQ(r.n_bytes, std::string("POST /v1/completions?x=1 HTTP/1.1\r\nHost: localhost:8000\r\nX-A:  b c \r\n\r\n").size());
}

TEST(RequestHead, WaitsForTheWholeHead) {
  const std::string whole = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    std::size_t n_bytes = 0;
    EXPECT_FALSE(read_head(whole.substr(0, n), n_bytes)) << n;
  }
  EXPECT_TRUE(read(whole).head);
}

TEST(RequestHead, FramingFieldsAreExact) {
  EXPECT_TRUE(with("Transfer-Encoding: chunked\r\n").head);
  EXPECT_TRUE(with("transfer-encoding: CHUNKED\r\n").head);
  for (const char* value :
       {"gzip", "identity", "chunked, gzip", "gzip, chunked", "\"chunked\"", "", "chunked,", "xchunked", "chunked;q=1"}) {
    EXPECT_EQ(with("Transfer-Encoding: " + std::string(value) + "\r\n").rule, "H1") << value;
  }
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n").rule, "H1");
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n").rule, "H2");
  EXPECT_EQ(with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n").rule, "H2");
  EXPECT_EQ(read("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").rule, "H2");
  for (const char* value : {"5, 5", "007", "+5", "-1", "0x10", "5 5", "", "12345678901", "5.0"})
    EXPECT_EQ(with("Content-Length: " + std::string(value) + "\r\n").rule, "H3") << value;
  EXPECT_EQ(with("Content-Length: 5\r\nContent-Length: 5\r\n").rule, "H3");
  EXPECT_TRUE(with("Content-Length: 0\r\n").head);
}

TEST(RequestHead, OneValidHost) {
  EXPECT_EQ(read("GET / HTTP/1.1\r\n\r\n").rule, "H5");
  EXPECT_TRUE(read("GET / HTTP/1.0\r\n\r\n").head);
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n").rule, "H5");
  for (const char* host : {"", "a b", "a@b", "a:b", "a:123456", "[::1", "a/b", "a?b"})
    EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n").rule, "H5") << host;
  for (const char* host : {"a", "a.b-c:80", "127.0.0.1", "[::1]:8000", "[::1]"})
    EXPECT_TRUE(read("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n").head) << host;
}

TEST(RequestHead, Targets) {
  const auto target = [](const std::string& text) { return read("GET " + text + " HTTP/1.1\r\nHost: h\r\n\r\n"); };
  EXPECT_EQ(target("http://h/health?x").head->path, "/health");
  for (const char* bad :
       {"*", "h:80", "health", "http://other/health", "http://h", "http://u@h/", "/a#b", "/a b", "/\xC3\xA9", ""})
    EXPECT_EQ(target(bad).rule, "H6") << bad;
}

TEST(RequestHead, NamesValuesAndFolds) {
  EXPECT_EQ(with("A_b: 1\r\n").rule, "H8");
  EXPECT_EQ(with("A : 1\r\n").rule, "H8");
  EXPECT_EQ(with(": 1\r\n").rule, "H8");
  EXPECT_EQ(with("NoColon\r\n").rule, "H8");
  EXPECT_EQ(with("A: \x01\r\n").rule, "H8");
  EXPECT_EQ(with("A: \xC3\xA9\r\n").rule, "H8");
  EXPECT_EQ(with("A: 1\r\n folded\r\n").rule, "H4");
  EXPECT_EQ(with("A: 1\n").code, Errc::kBadHttp) << "bare LF";
  EXPECT_EQ(with(std::string("A: 1\0\r\n", 7)).code, Errc::kBadHttp);
  for (const char* name : {"Content-Type", "Content-Encoding", "Authorization", "Expect", "X-Request-Timeout-Ms"}) {
    EXPECT_EQ(with(std::string(name) + ": a\r\n" + name + ": a\r\n").rule, "H9") << name;
  }
}

TEST(RequestHead, Limits) {
  EXPECT_EQ(read("GET /" + std::string(9000, 'a')).code, Errc::kUriTooLong) << "before the line ends";
  EXPECT_EQ(read("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n").code, Errc::kUriTooLong);
  EXPECT_EQ(with("A: " + std::string(40'000, 'a')).code, Errc::kHeadersTooLarge) << "before the head ends";
  std::string fields;
  for (int i = 0; i < 63; ++i) fields += "A: b\r\n";
  EXPECT_TRUE(with(fields).head) << "64 with Host";
  EXPECT_EQ(with(fields + "A: b\r\n").code, Errc::kHeadersTooLarge);
}

TEST(RequestHead, Versions) {
  for (const char* version : {"HTTP/2.0", "HTTP/1.2", "HTTP/0.9"})
    EXPECT_EQ(read("GET / " + std::string(version) + "\r\nHost: a\r\n\r\n").code, Errc::kHttpVersionNotSupported) << version;
  for (const char* version : {"HTTP/1", "http/1.1", "HTTP/1.10", "JUNK"})
    EXPECT_EQ(read("GET / " + std::string(version) + "\r\nHost: a\r\n\r\n").code, Errc::kBadHttp) << version;
}

TEST(RequestHead, KeepAlive) {
  EXPECT_FALSE(with("").head->wants_close());
  EXPECT_TRUE(with("Connection: x, Close\r\n").head->wants_close());
  EXPECT_TRUE(read("GET / HTTP/1.0\r\n\r\n").head->wants_close());
}

// Bodies ------------------------------------------------------------------------------------------------------------

const std::string kChunkedHead = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

// Feeds `bytes` in pieces of `step`; the body, or the rule that was broken.
std::string decode(const std::string& head, const std::string& bytes, std::size_t step, std::size_t limit = 1000) {
  BodyReader reader(head, limit);
  if (reader.head_fault()) return std::string(reader.head_fault()->rule);
  std::string pending;
  for (std::size_t at = 0; at <= bytes.size() && !reader.done(); at += step) {
    pending += bytes.substr(at, step);
    const auto taken = reader.put(pending);
    if (taken.fault) return std::string(taken.fault->rule);
    pending.erase(0, taken.n_consumed);
  }
  return reader.done() ? "body " + reader.take() : "incomplete";
}

TEST(BodyReader, DecodesHoweverItIsCut) {
  const std::string chunks = "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n";
  for (std::size_t step = 1; step <= chunks.size(); ++step)
    EXPECT_EQ(decode(kChunkedHead, chunks, step), "body abc0123456789") << step;
  EXPECT_EQ(decode("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n", "abcNEXT", 1), "body abc");
  EXPECT_EQ(decode("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "", 1), "body ");
}

TEST(BodyReader, LeavesTheNextRequestAlone) {
  BodyReader reader(kChunkedHead, 100);
  const auto step = reader.put("1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n");
  EXPECT_FALSE(step.fault);
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(step.n_consumed, 11U);
}

TEST(BodyReader, RefusesWhatTwoParsersMightReadDifferently) {
  for (std::size_t step : {std::size_t{1}, std::size_t{1000}}) {
    for (const char* bad : {"3;x=1\r\nabc\r\n0\r\n\r\n", "3;x=\"\n\"\r\nabc\r\n0\r\n\r\n"})
      EXPECT_EQ(decode(kChunkedHead, bad, step), "H10") << bad;
    for (const char* bad :
         {"-1\r\n", "0x10\r\n", "FFFFFFFFFFFFFFFFF\r\nab", "3\nabc\n0\n\n", "3\r\nabcd\r\n0\r\n\r\n", "\r\n", "g\r\n",
          "3 \r\nabc\r\n", "3\rabc", "000000000000000000000000000000000000000000000000003\r\nabc\r\n0\r\n\r\n"}) {
      EXPECT_EQ(decode(kChunkedHead, bad, step), "H11") << bad << step;
    }
    EXPECT_EQ(decode(kChunkedHead, "1\r\na\r\n0\r\nX: y\r\n\r\n", step), "H12") << step;
  }
}

TEST(BodyReader, BoundsTheBody) {
  EXPECT_EQ(decode(kChunkedHead, "B\r\n0123456789a\r\n0\r\n\r\n", 1, 10), "H13");
  EXPECT_EQ(decode("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", "", 1, 10), "H13");
  EXPECT_EQ(decode(kChunkedHead, "A\r\n0123456789\r\n0\r\n\r\n", 1, 10), "body 0123456789");
}

}  // namespace
}  // namespace mie
