# Writes the ctest entries of a gtest program that has just been built, by what it lists:
#   cmake -D NAME=... -D PROGRAM=FILE -D TO=FILE -D SLOW=FILTER -D APART=ON|OFF -D TOGETHER=SUITE:... -D LABELS=...
#         -D COST=N -D TIMEOUT=S -D ENVIRONMENT=... -P discover.cmake
# A suite is one entry, NAME/SUITE, whose tests run one after the other in one process: to start a process for each would take longer
# than most of them do. With APART each test is an entry, but for the suites in TOGETHER. Slow tests, those that the
# filter SLOW names, have entries of their own and the label slow; of a suite in TOGETHER they are one, NAME/SUITE.slow.
cmake_minimum_required(VERSION 3.25)

# The names of the tests that `filter` takes; without those that are disabled.
function(listed filter result)
  execute_process(COMMAND "${PROGRAM}" --gtest_list_tests "--gtest_filter=${filter}" OUTPUT_VARIABLE lines TIMEOUT 120
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE " +#[^\n]*" "" lines "${lines}")  # what a parameter looks like, and may hold anything
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  set(names "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^[^ ].*[.]$")
      set(suite "${line}")
    elseif(line MATCHES "^  (.+)$")
      list(APPEND names "${suite}${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(FILTER names EXCLUDE REGEX "DISABLED_")
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

set(entries "")
function(entry name filter labels timeout)
  # Skipped: none passed, and none stands in the list of those that failed, which would come last.
  string(APPEND entries "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${filter}]==])\n"
    "set_tests_properties([==[${name}]==] PROPERTIES LABELS [==[${labels}]==] COST ${COST} TIMEOUT ${timeout} "
    "ENVIRONMENT [==[${ENVIRONMENT}]==] SKIP_REGULAR_EXPRESSION [==["
    [=[PASSED  . 0 tests[.]
.  SKIPPED . [0-9]+ tests?, listed below:
(.  SKIPPED . [^
]+
)+$]=] "]==])\n")
  set(entries "${entries}" PARENT_SCOPE)
endfunction()

string(REPLACE ":" ";" together "${TOGETHER}")
math(EXPR longer "4 * ${TIMEOUT}")  # of a suite; TIMEOUT is what its longest test may take
listed("*" every)
listed("${SLOW}" slow)
set(fast "${every}")
if(slow)
  list(REMOVE_ITEM fast ${slow})
endif()

# One suite after the other.
set(suites "")
foreach(name IN LISTS every)
  string(REGEX REPLACE "[.].*$" "" suite "${name}")
  list(APPEND suites "${suite}")
endforeach()
list(REMOVE_DUPLICATES suites)
foreach(suite IN LISTS suites)
  set(fast_here "${fast}")
  set(slow_here "${slow}")
  list(FILTER fast_here INCLUDE REGEX "^${suite}[.]")
  list(FILTER slow_here INCLUDE REGEX "^${suite}[.]")
  list(JOIN slow_here ":" slow_filter)
  if(suite IN_LIST together AND slow_here)
    entry("${NAME}/${suite}.slow" "${slow_filter}" slow ${longer})
  else()
    foreach(name IN LISTS slow_here)
      entry("${name}" "${name}" slow ${TIMEOUT})
    endforeach()
  endif()
  if(fast_here AND (suite IN_LIST together OR NOT APART))
    entry("${NAME}/${suite}" "${suite}.*-${slow_filter}" "${LABELS}" ${longer})
  else()
    foreach(name IN LISTS fast_here)
      entry("${name}" "${name}" "${LABELS}" ${TIMEOUT})
    endforeach()
  endif()
endforeach()
file(WRITE "${TO}" "${entries}")
