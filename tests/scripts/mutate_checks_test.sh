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

mkdir -p "$tree/scripts" "$tree/lib" "$tree/cli" "$tree/tests/mutation"
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
add_executable(evo cli/main.cpp)
add_subdirectory(tests)
add_dependencies(lib_tests evo)
gtest_discover_tests(lib_tests)
CMAKE
echo 'target_compile_definitions(lib_tests PRIVATE EVO_BINARY="$<TARGET_FILE:evo>")' > "$tree/tests/CMakeLists.txt"
cat > "$tree/cli/main.cpp" <<'CPP'
int answer() {
  return 3;
}
int main() {
  return answer();
}
CPP
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
int cube(int x);
int once(int x);
int ends(int x);
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
int cube(int x) {
  return x * x * x;
}
int once(int x) {
  return x - 1;
}
int ends(int x) {
  while (x > 0) x -= 5;
  return x;
}
CPP
cat > "$tree/tests/lib_test.cpp" <<'CPP'
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <cstdlib>
#include <string>
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
TEST(Lib, FailsWithoutAnEdit) {
  EXPECT_EQ(cube(2), 9);
}
TEST(Lib, FailsFromTheSecondTimeOn) {
  EXPECT_EQ(mkdir(std::getenv("ONCE"), 0700), 0);
  EXPECT_EQ(once(1), 0);
}
TEST(Lib, Ends) {
  EXPECT_LE(ends(7), 0);
}
TEST(Evo, Answers) {
  const char* other = std::getenv("EVO_BINARY_PATH");
  EXPECT_EQ(WEXITSTATUS(std::system(other != nullptr ? other : EVO_BINARY)), 3);
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
@ a test that fails without the edit
file lib/b.cpp
tests lib_tests
- return x * x * x;
+ return x;
@ a test that fails by itself
file lib/b.cpp
tests lib_tests
- return x - 1;
+ return x;
@ no end
file lib/b.cpp
tests lib_tests
- while (x > 0) x -= 5;
+ for (volatile int i = 0;;) i = 1;
@ in evo
file cli/main.cpp
tests lib_tests
- return 3;
+ return 4;
TXT
export ONCE=$work/once
export EVO_MUTANT_CPU_S=1  # this tree has nothing that takes long
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
check 'what the compiler computes too, where it runs' row 'what the compiler computes' 'a.cpp | lib_tests: Lib.Limited |'
check 'another type is compiled alone' row 'another type' 'b.cpp | lib_tests: Lib.SignedHalf |'
known=$tree/build/mutation/alone.json
check 'and its neighbours are not' [ "$(grep -c : "$known")" = 2 ]
check 'a header' row 'in a header' 'lib.hpp | lib_tests: Lib.Half |'
check 'an edit that does not compile' row 'does not compile' 'b.cpp | **the edit does not compile:'
check 'a test that fails anyway says nothing' row 'a test that fails without the edit' 'b.cpp | **SURVIVED** |'
check 'it is named' grep -qF 'lib_tests: fails without any edit, and is not asked: Lib.FailsWithoutAnEdit' "$work/err"
check 'a test that fails now and then says nothing' row 'a test that fails by itself' 'b.cpp | **SURVIVED** |'
check 'what does not end is ended' row 'no end' 'b.cpp | lib_tests: Lib.Ends (no end within 1 CPU s) |'
check 'a program that tests start' row 'in evo' 'main.cpp | lib_tests: Evo.Answers |'
check 'the sum' grep -qF '15 checks: 9 noticed (0 of them before), 0 not tried, 6 unnoticed' "$work/out"

cp "$work/out" "$work/log"
sed -i 's/EXPECT_GE(square(3), 0)/EXPECT_EQ(square(3), 9)/' "$tree/tests/lib_test.cpp"
"$tree/scripts/mutate-checks" --continue "$work/log" > "$work/out" 2> "$work/err"
check 'a new test is built and asked' row 'asked, but not well' 'b.cpp | lib_tests: Lib.Square |'
check 'what was noticed stays so' grep -qF '15 checks: 10 noticed (9 of them before), 0 not tried, 5 unnoticed' "$work/out"

cp "$work/out" "$work/log"
"$tree/scripts/mutate-checks" --pack "$work/pack" > "$work/out" 2> "$work/err"
check 'packed' grep -qF '15 checks: 12 are in' "$work/out"
mv "$tree/build" "$work/away"
rm -rf "$ONCE"
"$tree/scripts/mutate-checks" --packed "$work/pack" --jobs 2 > "$work/out" 2> "$work/err"
check 'tried where nothing is built' row 'asked, but not well' 'b.cpp | lib_tests: Lib.Square |'
check 'evo is the packed one' row 'in evo' 'main.cpp | lib_tests: Evo.Answers |'
check 'what is compiled alone is not tried' grep -qF '15 checks: 9 noticed (0 of them before), 3 not tried, 3 unnoticed' "$work/out"
"$tree/scripts/mutate-checks" --packed "$work/pack" --continue "$work/log" --minutes 0.00001 > "$work/out" 2> "$work/err"
check 'no time is left' grep -qF '15 checks: 10 noticed (10 of them before), 5 not tried, 0 unnoticed' "$work/out"

[ $failures = 0 ] || { cat "$work/out" "$work/err"; printf '%d failed\n' $failures; exit 1; }
