#include "bench/run/expectations.h"

#include <fmt/format.h>
#include <boost/beast/core/string.hpp>

namespace mie::bench {

std::optional<Error> unexpected_server(const ExpectSpec& expected, const ServerIdentity& server) {
  struct Pair {
    std::string_view name;
    const std::string& wanted;
    const std::string& told;
  };
  for (const Pair& pair : {Pair{"weights_sha256", expected.weights_sha256, server.weights_sha256},
                           Pair{"tokenizer_sha256", expected.tokenizer_sha256, server.tokenizer_sha256},
                           Pair{"revision", expected.revision, server.revision}, Pair{"dtype", expected.dtype, server.dtype},
                           Pair{"quantisation", expected.quantisation, server.quantisation}}) {
    if (pair.wanted.empty() || boost::beast::iequals(pair.wanted, pair.told)) continue;
    return Error{Errc::kConfig,
                 pair.told.empty()
                     ? fmt::format("target.expect.{}: the server does not tell; {} is expected", pair.name, pair.wanted)
                     : fmt::format("target.expect.{}: the server has {}, not {}", pair.name, pair.told, pair.wanted),
                 ""};
  }
  return {};
}

}  // namespace mie::bench
