// Errors that a client, a file or a configuration can cause. Bugs and device failures are exceptions (see ensure.h).
// Values; any thread.
#pragma once

#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace mie {

// The catalogue of ways to fail. The server maps each to one HTTP status, code and type (server/api/error_body);
// the command line maps kModelFormat and kConfig to exit code 2.
enum class Errc {
  // request body and fields
  kInvalidJson,
  kInvalidUtf8,
  kDuplicateKey,
  kTooDeep,
  kMissingParameter,
  kInvalidType,
  kInvalidValue,
  kUnsupportedParameter,
  kUnsupportedValue,
  kEmptyPrompt,
  kContextLengthExceeded,
  kTemplateError,
  kTemplateLimit,
  kNoChatTemplate,
  // HTTP
  kBadHttp,
  kHostNotAllowed,
  kNotFound,
  kModelNotFound,
  kMethodNotAllowed,
  kRequestTimeout,
  kBodyTooLarge,
  kUriTooLong,
  kHeadersTooLarge,
  kHttpVersionNotSupported,
  kUnsupportedMediaType,
  kExpectationFailed,
  kTooManyConnections,
  kBodyMemoryFull,
  // admission and life of a request
  kQueueFull,
  kDeadlineUnreachable,
  kDeadlineExceeded,
  kRequestAborted,
  kSlowReader,
  kLoading,
  kDraining,
  kServerShutdown,
  kUnhealthy,
  kModelError,
  kInternal,
  // not over HTTP
  kModelFormat,  // model file damaged, truncated or of an unsupported kind
  kConfig,       // command line, environment or configuration file
};

struct Error {
  Errc code = Errc::kInternal;
  std::string message;  // safe to show to the client: no input bytes beyond a cut, escaped quote; no paths
  std::string param{};  // path of the offending field ("messages[0].role"), empty where none applies
};

template <class T>
using Result = boost::system::result<T, Error>;

// Reached only by Result::value() on an error: a caller that did not look.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location&) {
  throw std::logic_error("unchecked Result: " + error.message);
}

}  // namespace mie
