// For tests of the plain parts.
#pragma once

#include "cmake/precompiled/std.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
