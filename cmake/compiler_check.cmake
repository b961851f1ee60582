# Refuses compilers that are known to miscompile C++20 coroutines, before anything is built with them.
# Runs before project(), so that the reason comes first; see refuse_old_gcc below for the check itself.
if(NOT DEFINED CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  set(CMAKE_CXX_COMPILER clang++-19)
endif()

# Called by build_options.cmake once the compiler is known.
function(refuse_old_gcc)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    message(FATAL_ERROR
      "g++ ${CMAKE_CXX_COMPILER_VERSION} miscompiles C++20 coroutines: 'if (co_await f())' crashes in scopes without "
      "locals, and temporaries inside a co_await expression are destroyed twice. Use clang 19 (the default here) or g++ 13.")
  endif()
endfunction()
