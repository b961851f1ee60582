// For units of the server and of the measurements: HTTP and JSON on top.
#pragma once

#include "cmake/precompiled/engine.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <CLI/CLI.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
