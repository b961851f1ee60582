# Script: writes OUTPUT, a header with the commit of the checkout. Run by the build whenever the checked-out commit changes,
# so that one small unit (core/base/build_info.cpp) is compiled anew and nothing else.
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY "${SOURCE_DIR}"
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
file(WRITE "${OUTPUT}" "#define MIE_COMMIT \"${commit}\"\n")
