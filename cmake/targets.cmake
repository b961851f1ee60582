# mie_library(NAME SOURCES … DEPS …), mie_test(NAME SOURCES … DEPS … [TIMEOUT seconds]): sources are listed by hand, flags come from mie_options.
function(mie_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE mie_options)
  target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}")
endfunction()

# Tests run in the root of the checkout, and MIE_TEST_DATA is relative to it: an absolute path in the compile command would
# cost a checkout in another folder all its compiler cache hits.
function(mie_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gtest GTest::gmock GTest::gtest_main mie_options)
  target_compile_definitions(${name} PRIVATE MIE_TEST_DATA="tests")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}/" WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()
