#!/usr/bin/env bash
# scripts/mutate-checks on a tree of three sources: what is noticed, what is not, and in which of its ways each is built.
set -uo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failures=0

check() {  # check "what" command...: the command must succeed
  local what=$1
  shift
  if "$@"; then printf 'ok    %s\n' "$what"; else printf 'FAIL  %s\n' "$what"; failures=$((failures + 1)); fi
}
row() { grep -qF -- "| $1 | $2" "$work/out"; }

mkdir -p "$tree/scripts" "$tree/lib" "$tree/tests/mutation"
cp -r "$source_dir/scripts/mutate-checks" "$source_dir/scripts/mutation" "$tree/scripts/"
cat > "$tree/CMakePresets.json" <<'JSON'
{"version": 6, "configurePresets": [{"name": "ci", "generator": "Ninja", "binaryDir": "${sourceDir}/build/ci",
  "cacheVariables": {"CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_FLAGS_RELEASE": "-O2 -DNDEBUG"}}]}
JSON
cat > "$tree/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(GTest REQUIRED)
include(GoogleTest)
add_library(lib lib/a.cpp lib/b.cpp)
target_include_directories(lib PUBLIC "${PROJECT_SOURCE_DIR}")
set_target_properties(lib PROPERTIES UNITY_BUILD ON)
add_executable(lib_tests tests/lib_test.cpp)
target_link_libraries(lib_tests PRIVATE lib GTest::gtest GTest::gtest_main)
gtest_discover_tests(lib_tests)
CMAKE
cat > "$tree/lib/lib.hpp" <<'CPP'
#pragma once
inline bool even(int x) {
  return x % 2 == 0;
}
int limited(int x);
int half(int x);
int square(int x);
int unused(int x);
int signed_half(int x);
CPP
cat > "$tree/lib/a.cpp" <<'CPP'
#include "lib/lib.hpp"
namespace {
constexpr int limit = 10;
constexpr int most(int x) {
  return x > limit ? limit : x;
}
static_assert(most(20) == 10);
}  // namespace
int limited(int x) {
  if (x < 0) return 0;
  return most(x);
}
int unused(int x) {
  return x + 1;
}
CPP
cat > "$tree/lib/b.cpp" <<'CPP'
#include "lib/lib.hpp"
int half(int x) {
  if (!even(x)) return -1;
  return x / 2;
}
int square(int x) {
  return x * x;
}
auto sign(int x) {
  return x < 0 ? -1 : 1;
}
int signed_half(int x) {
  return sign(x) * half(x);
}
CPP
cat > "$tree/tests/lib_test.cpp" <<'CPP'
#include <gtest/gtest.h>
#include "lib/lib.hpp"
TEST(Lib, Limited) {
  EXPECT_EQ(limited(-4), 0);
  EXPECT_EQ(limited(40), 10);
}
TEST(Lib, Half) {
  EXPECT_EQ(half(8), 4);
  EXPECT_EQ(half(7), -1);
}
TEST(Lib, SignedHalf) {
  EXPECT_EQ(signed_half(8), 4);
}
TEST(Lib, Square) {
  EXPECT_GE(square(3), 0);
}
CPP
cat > "$tree/tests/mutation/checks.txt" <<'TXT'
@ negative
file lib/a.cpp
tests lib_tests
- if (x < 0) return 0;
@ the limit
file lib/a.cpp
tests lib_tests
- constexpr int limit = 10;
+ constexpr int limit = 10 + 0; static int other = 0;
@ a larger limit
file lib/a.cpp
tests lib_tests
- return most(x);
+ return most(x) + 1;
@ what the compiler computes
file lib/a.cpp
tests lib_tests
- return x > limit ? limit : x;
+ return x > limit ? (x == 20 ? limit : x) : x;
@ nobody asks
file lib/a.cpp
tests lib_tests
- return x + 1;
+ return x + 2;
@ odd numbers
file lib/b.cpp
tests lib_tests=Lib.H*
- if (!even(x)) return -1;
@ a crash
file lib/b.cpp
tests lib_tests
- return x / 2;
+ __builtin_trap();
@ asked, but not well
file lib/b.cpp
tests lib_tests
- return x * x;
+ return x * x * x;
@ in a header
file lib/lib.hpp
tests lib_tests
- return x % 2 == 0;
+ return true;
@ another type
file lib/b.cpp
tests lib_tests
- return x < 0 ? -1 : 1;
+ return x < 0 ? -1.0 : 2.0;
@ does not compile
file lib/b.cpp
tests lib_tests
- return x * x;
+ return y * x;
TXT
"$tree/scripts/mutate-checks" > "$work/out" 2> "$work/err"
status=$?
check 'what is not noticed is exit code 1' [ $status = 1 ]
check 'lines that go' row negative 'a.cpp | lib_tests: Lib.Limited |'
check 'an expression' row 'a larger limit' 'a.cpp | lib_tests: Lib.Limited |'
check 'a filter' row 'odd numbers' 'b.cpp | lib_tests: Lib.Half |'
check 'a program that ends' row 'a crash' 'b.cpp | lib_tests: Lib.Half (ends with '
check 'what no test reaches' row 'nobody asks' 'a.cpp | **SURVIVED: no test reaches it** |'
check 'what a test reaches and does not see' row 'asked, but not well' 'b.cpp | **SURVIVED** |'
check 'outside of functions' row 'the limit' 'a.cpp | **SURVIVED** |'
check 'what the compiler computes is compiled alone' row 'what the compiler computes' 'a.cpp | lib_tests: Lib.Limited |'
check 'another type is compiled alone' row 'another type' 'b.cpp | lib_tests: Lib.SignedHalf |'
known=$tree/build/mutation/alone.json
check 'and its neighbours are not' [ "$(grep -c : "$known")" = 3 ]
check 'a header' row 'in a header' 'lib.hpp | lib_tests: Lib.Half |'
check 'an edit that does not compile' row 'does not compile' 'b.cpp | **the edit does not compile:'
check 'the sum' grep -qF '11 checks: 7 noticed (0 of them before), 0 not tried, 4 unnoticed' "$work/out"

cp "$work/out" "$work/log"
sed -i 's/EXPECT_GE(square(3), 0)/EXPECT_EQ(square(3), 9)/' "$tree/tests/lib_test.cpp"
"$tree/scripts/mutate-checks" --continue "$work/log" > "$work/out" 2> "$work/err"
check 'a new test is built and asked' row 'asked, but not well' 'b.cpp | lib_tests: Lib.Square |'
check 'what was noticed stays so' grep -qF '11 checks: 8 noticed (7 of them before), 0 not tried, 3 unnoticed' "$work/out"

[ $failures = 0 ] || { cat "$work/out" "$work/err"; printf '%d failed\n' $failures; exit 1; }
