// How each way to fail looks over HTTP: status, code, type, whether a client should retry. One table; pure functions.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

namespace mie::api {

enum class Retry { kUnsaid, kYes, kNo };  // header x-should-retry

struct ErrorRow {
  Errc errc;
  int status;
  std::string_view code;
  std::string_view type;
  Retry retry = Retry::kUnsaid;
  bool retry_after = false;  // sends Retry-After
  bool closes = false;       // ends the connection
};
[[nodiscard]] const ErrorRow& error_row(Errc errc);

// {"error":{"message":…,"type":…,"param":…,"code":…}}, the body of an answer and the data of an error frame alike.
[[nodiscard]] std::string error_body(const Error& error);

}  // namespace mie::api
