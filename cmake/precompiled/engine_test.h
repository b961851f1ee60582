// For tests of the engine and of the server.
#pragma once

#include "cmake/precompiled/engine.h"
#include "cmake/precompiled/test.h"
