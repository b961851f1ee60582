# Language level, warnings, hardening, sanitizers, compiler cache and linker of our own targets.
refuse_old_gcc()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

# The base folder makes a checkout in another place hit the same cache entries: ccache hashes paths relative to it. The
# sloppiness is what it wants for precompiled headers; no source here depends on the time of its compilation. Precompiled
# headers need more: cmake/precompiled.
find_program(CCACHE ccache)
if(CCACHE)
  set(ccache_env "${CMAKE_COMMAND};-E;env;CCACHE_DEPEND=1;CCACHE_SLOPPINESS=pch_defines,time_macros")
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${ccache_env};CCACHE_BASEDIR=${CMAKE_SOURCE_DIR};CCACHE_NOHASHDIR=1;CCACHE_PCH_EXTSUM=1;${CCACHE}")
  set(PRECOMPILED_HEADER_LAUNCHER "${ccache_env};${CCACHE}")
endif()

# Every one of our targets links this: flags that must not reach third-party code.
add_library(mie_options INTERFACE)
target_compile_options(mie_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Werror)
target_include_directories(mie_options INTERFACE "${CMAKE_SOURCE_DIR}")

# Paths in messages and debug information start at the root of the checkout, whether ccache made them relative or not.
file(RELATIVE_PATH root_from_build "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}")
add_compile_options(-D_GLIBCXX_ASSERTIONS -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${root_from_build}=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()
# Line tables cost a release build a tenth of its time; profiles and back traces there name functions, which need only symbols.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-g1)
else()
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(MIE_SANITIZE)
  add_compile_options(-fsanitize=${MIE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MIE_SANITIZE})
  # Freed coroutine frames must really be freed, or frame reuse hides errors from the sanitizers.
  add_compile_definitions(BOOST_ASIO_DISABLE_SMALL_BLOCK_RECYCLING)
endif()
