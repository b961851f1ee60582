// Where an HTTP answer begins and ends: Beast's parser over reads of any size. During a run it is fed to know when an answer is
// complete, after the run again to have its parts. Takes no memory while `pending` has room. Owned by a connection or by the
// reading of one answer; one thread.
#pragma once

#include <boost/beast/http/basic_parser.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace mie::bench {

class AnswerFraming : private boost::beast::http::basic_parser<false> {
  using Base = boost::beast::http::basic_parser<false>;

 public:
  enum class State { kReading, kComplete, kBroken };

  // `pending`: a buffer that outlives it, for the bytes of a head or a chunk size that came in parts. Cleared.
  explicit AnswerFraming(std::string& pending);

  State feed(std::string_view bytes);
  State close();  // no more bytes will come

  [[nodiscard]] bool head_seen() const { return is_header_done(); }
  [[nodiscard]] int http_status() const { return http_status_; }  // 0 before the status line
  // May the connection take another request? REQUIRES: complete.
  [[nodiscard]] bool reusable() const { return Base::keep_alive() && !surplus_; }

 protected:
  virtual void on_field(std::string_view /*name*/, std::string_view /*value*/) {}
  virtual void on_piece(std::string_view /*body*/) {}  // a part of the body, chunk coding removed
  virtual void on_chunk() {}                           // another chunk of a chunked body begins

 private:
  using Code = boost::beast::error_code;
  using View = boost::beast::string_view;

  State parse(std::string_view& bytes);  // what is left after it needs more to be understood

  void on_request_impl(boost::beast::http::verb, View, View, int, Code&) override {}
  void on_response_impl(int code, View, int, Code&) override { http_status_ = code; }
  void on_field_impl(boost::beast::http::field, View name, View value, Code&) override { on_field(name, value); }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(View body, Code&) override;
  void on_chunk_header_impl(std::uint64_t size, View, Code&) override;
  std::size_t on_chunk_body_impl(std::uint64_t, View body, Code&) override;
  void on_finish_impl(Code&) override {}

  std::string& pending_;
  int http_status_ = 0;
  bool surplus_ = false;  // bytes after the answer
};

}  // namespace mie::bench
