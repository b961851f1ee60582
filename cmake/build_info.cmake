# The library behind core/base/build_info.h: version, commit, compiler and build type, compiled into one small unit.
execute_process(COMMAND git rev-parse --git-path logs/HEAD WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  OUTPUT_VARIABLE head_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
get_filename_component(head_log "${head_log}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
if(NOT EXISTS "${head_log}" OR IS_DIRECTORY "${head_log}")
  set(head_log "")  # not a git checkout: the commit reads "unknown"
endif()

set(commit_header "${CMAKE_BINARY_DIR}/generated/commit_id.h")
set(write_commit "${CMAKE_COMMAND}" -D "SOURCE_DIR=${CMAKE_SOURCE_DIR}" -D "OUTPUT=${commit_header}"
  -P "${CMAKE_SOURCE_DIR}/cmake/commit_id.cmake")
execute_process(COMMAND ${write_commit})  # for tools that read the sources of a folder that was configured and not built
add_custom_command(OUTPUT "${commit_header}" COMMAND ${write_commit}
  DEPENDS ${head_log} "${CMAKE_SOURCE_DIR}/cmake/commit_id.cmake" COMMENT "Commit id" VERBATIM)

mie_library(build_info SOURCES "${CMAKE_SOURCE_DIR}/core/base/build_info.cpp" "${commit_header}")
target_include_directories(build_info PRIVATE "${CMAKE_BINARY_DIR}/generated")
string(TOLOWER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" compiler)
set_source_files_properties("${CMAKE_SOURCE_DIR}/core/base/build_info.cpp" PROPERTIES COMPILE_DEFINITIONS
  "MIE_VERSION=\"${PROJECT_VERSION}\";MIE_COMPILER=\"${compiler}\";MIE_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\"")
