# mie_library(NAME SOURCES … DEPS … [PRECOMPILED kind]), mie_test(NAME SOURCES … DEPS … [PRECOMPILED kind] [TIMEOUT seconds]):
# sources are listed by hand, flags come from mie_options, kinds are those of cmake/precompiled.
function(mie_library name)
  cmake_parse_arguments(arg "" "PRECOMPILED" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE mie_options)
  target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}")
  use_precompiled(${name} "${arg_PRECOMPILED}" ${arg_SOURCES})
endfunction()

# Nothing is done for a target without a kind, or in a build that has to see each unit's own includes.
function(use_precompiled target kind)
  if(NOT MIE_PRECOMPILE OR NOT kind)
    return()
  endif()
  set(header cmake/precompiled/${kind}.pch)  # from the build folder, where compilers run
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${header}")
  set_property(SOURCE ${ARGN} APPEND PROPERTY OBJECT_DEPENDS "${CMAKE_BINARY_DIR}/${header}")
endfunction()

# Tests run in the root of the checkout, and MIE_TEST_DATA is relative to it: an absolute path in the compile command would
# cost a checkout in another folder all its compiler cache hits.
function(mie_test name)
  cmake_parse_arguments(arg "" "PRECOMPILED;TIMEOUT" "SOURCES;DEPS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gtest GTest::gmock GTest::gtest_main mie_options)
  target_compile_definitions(${name} PRIVATE MIE_TEST_DATA="tests")
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED test)
  endif()
  use_precompiled(${name} ${arg_PRECOMPILED} ${arg_SOURCES})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}/" WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()
