# One CMake target a folder. evo_library(NAME [COLD] DEPENDS ...) takes every .cpp below the current folder, except in
# sub-folders that have a CMakeLists.txt of their own.
add_library(evo_build INTERFACE)
target_include_directories(evo_build INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(evo_build INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Wold-style-cast -Wconversion -Wno-sign-conversion
  # A target may set EVO_SHADOW to another option.
  "$<IF:$<BOOL:$<TARGET_PROPERTY:EVO_SHADOW>>,$<TARGET_PROPERTY:EVO_SHADOW>,-Wshadow>")
option(EVO_WERROR "Warnings are errors" ON)
if(EVO_WERROR)
  target_compile_options(evo_build INTERFACE -Werror)
endif()
set(EVO_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
if(EVO_SANITIZE)
  target_compile_options(evo_build INTERFACE -fsanitize=${EVO_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(evo_build INTERFACE -fsanitize=${EVO_SANITIZE})
  # The few places that must know: g++ has macros of its own for this, clang has not.
  if(EVO_SANITIZE MATCHES "address")
    target_compile_definitions(evo_build INTERFACE EVO_SANITIZE_ADDRESS)
  elseif(EVO_SANITIZE MATCHES "thread")
    target_compile_definitions(evo_build INTERFACE EVO_SANITIZE_THREAD)
  endif()
endif()
option(EVO_COVERAGE "Instrument for coverage: clang's own, which costs a fifth of gcov's compile time, or gcov" OFF)
if(EVO_COVERAGE)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(coverage_options -fprofile-instr-generate -fcoverage-mapping)
  else()
    set(coverage_options --coverage)
  endif()
  target_compile_options(evo_build INTERFACE ${coverage_options})
  target_link_options(evo_build INTERFACE ${coverage_options})
endif()

# Several sources a compile: most of a compile is headers. The presets release and ci do; dev, for which an edit of one
# file matters, does not.
option(EVO_UNITY "Compile several sources at a time" OFF)
# g++ looks for garbage each time its heap has grown by a third, from some MiB on; on sources of this size that takes time
# (docs/results/2026-11-28-build.md). Not where each of the compiles that ninja runs at a time has less than 2 GiB.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
if(EXISTS /sys/fs/cgroup/memory.max)
  file(STRINGS /sys/fs/cgroup/memory.max limit LIMIT_COUNT 1)
  if(limit MATCHES "^[0-9]+$")  # of a container
    math(EXPR limit "${limit} / 1048576")
    if(limit LESS memory)
      set(memory ${limit})
    endif()
  endif()
endif()
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR memory_a_compile "${memory} / (${cores} + 2)")
if(EVO_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_a_compile GREATER 2000)
  target_compile_options(evo_build INTERFACE --param=ggc-min-expand=1000 --param=ggc-min-heapsize=1500000)
endif()
set(EVO_UNITY_BATCH 32 CACHE STRING "How many sources EVO_UNITY compiles at a time")
function(evo_unity name)
  if(EVO_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${EVO_UNITY_BATCH})
  endif()
endfunction()

# Headers of the standard library and of fmt that nearly every source includes, parsed once for all. None of evo's own: an
# edit of one would build everything again. Sources include what they use all the same. Not where ccache is found: that
# keeps whole compiles, and would have to trust the header's time.
option(EVO_PCH "Precompile common headers where there is no ccache" OFF)
if(EVO_PCH AND NOT EVO_CCACHE)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/precompiled.cpp" CONTENT "// Carries the precompiled headers.\n")
  add_library(evo_precompiled OBJECT "${CMAKE_BINARY_DIR}/precompiled.cpp")
  target_link_libraries(evo_precompiled PRIVATE evo_build tl::expected fmt::fmt Threads::Threads)
  target_precompile_headers(evo_precompiled PRIVATE
    <algorithm> <array> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <filesystem>
    <fstream> <functional> <future> <iterator> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <ranges>
    <set> <span> <sstream> <stop_token> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <variant>
    <vector> <fmt/format.h> <fmt/ranges.h> <tl/expected.hpp>)
endif()
function(evo_precompiled_headers name)
  if(TARGET evo_precompiled)
    target_precompile_headers(${name} REUSE_FROM evo_precompiled)
    target_link_libraries(${name} PRIVATE fmt::fmt)  # its macros have to be the header's
  endif()
endfunction()

# What takes no time where evo runs need not take any where it is compiled: at -O1 a compile costs a quarter to a third less.
function(evo_cold name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

function(evo_library name)
  cmake_parse_arguments(ARG "COLD" "" "DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB nested RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(list_file IN LISTS nested)
    get_filename_component(folder "${list_file}" DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC tl::expected ${ARG_DEPENDS} PRIVATE evo_build ${ARG_PRIVATE_DEPENDS})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    evo_unity(${name})
    evo_precompiled_headers(${name})
    if(ARG_COLD)
      evo_cold(${name})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE tl::expected ${ARG_DEPENDS})
    target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}")
  endif()
endfunction()
