// One question to a server outside of what is measured: its version, its counters, a flush of its cache. Blocks for as long as
// kFetchLimit; any thread.
#pragma once

#include "bench/load/server_address.h"
#include "core/base/error.h"

#include <boost/beast/http/verb.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace mie::bench {

inline constexpr std::chrono::seconds kFetchLimit{30};

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

struct Fetched {
  int status = 0;
  std::string body;
};

// `path` begins with a slash and follows the URL's prefix. Error kConfig: no answer in time, or none that is HTTP.
[[nodiscard]] Result<Fetched> fetch(const ServerAddress& server, boost::beast::http::verb method, const std::string& path,
                                    const HeaderFields& fields = {});

}  // namespace mie::bench
