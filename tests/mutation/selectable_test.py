"""One compiled text holds a function's body for each edit, and a number says which one runs: scripts/mutation."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from mutation.checks import read_checks
from mutation.selectable import CHOSEN, REACHED, Selectable, bodies, kind, number

TEXT = r'''
#include <cstdio>
#define BRACE {
namespace a::b {
// A comment with a brace: {
constexpr int limit = 3;
const char* const texts[] = {"{", R"(}{)", "'"};
template <typename T, int N = (1 > 0)>
struct Box : private T {
  explicit Box(int a) : a_{a}, b_(a + 1) {
    if (a_ > 2) b_ = 7;
  }
  bool operator==(const Box& other) const { return a_ == other.a_; }
  int b() const noexcept { return b_; }
 private:
  int a_ = {}, b_;
};
struct Empty {};
int twice(int value, Empty = {}) {
  const auto add = [](int x) { return x + x; };
  if (value > limit) {
    return 0;
  }
  return add(value);
}
long big() { return 1'000'000; }
}  // namespace a::b
int main() {
  const a::b::Box<a::b::Empty> box(3);
  std::printf("%d %d %d %d\n", box.b(), a::b::twice(5), a::b::twice(2), box == box);
}
'''
CHECKS = """
@ seven
file x.cpp
- if (a_ > 2) b_ = 7;
@ over the limit
file x.cpp
- if (value > limit) {
-   return 0;
- }
@ a twin
file x.cpp
- const auto add = [](int x) { return x + x; };
+ const auto add = [](int x) { return x; };
@ equal
file x.cpp
- bool operator==(const Box& other) const { return a_ == other.a_; }
+ bool operator==(const Box& other) const { return a_ != other.a_; }
@ the head
file x.cpp
- bool operator==(const Box& other) const { return a_ == other.a_; }
+ int operator==(const Box& other) const { return a_ != other.a_; }
@ a constant
file x.cpp
- constexpr int limit = 3;
+ constexpr int limit = 9;
@ half a brace
file x.cpp
- if (value > limit) {
+ if (value > limit) { {
"""


class Kinds(unittest.TestCase):
    def test_what_a_brace_opens(self):
        for head, what in [("namespace a::b", "namespace"), ("namespace", "namespace"), ('extern    ', "namespace"),
                           ("struct Box : private T", "class"), ("template <class T> class X final", "class"),
                           ("struct alignas(16) X", "class"), ("enum class E", "other"), ("int x", "other"),
                           ("const X x = f()", "other"), ("int f(int a = 3) const", "body"),
                           ("template <class T> auto f(T x) -> std::vector<T>", "body"), ("X(int a) : a_", "other"),
                           ("X(int a) : a_{a}, b_(a)", "body"), ("bool operator==(const X& x) const", "body"),
                           ("void X::operator()(int a)", "body"), ("public: int f()", "body")]:
            self.assertEqual(kind(head), what, head)

    def test_braces_that_do_not_fit_have_no_bodies(self):
        self.assertIsNone(bodies("int f() { return 1; } }"))
        self.assertIsNone(bodies("int f() { return 1; "))


class Texts(unittest.TestCase):
    def setUp(self):
        self.checks = read_checks(CHECKS)
        self.made = Selectable("x.cpp", TEXT, self.checks[:4])

    def test_edits_of_functions_are_taken_in_and_others_are_not(self):
        self.assertEqual(set(self.made.places), {"seven", "over the limit", "a twin", "equal"})
        self.assertEqual(self.made.places["over the limit"], self.made.places["a twin"])
        self.assertNotEqual(self.made.places["seven"], self.made.places["a twin"])
        self.assertEqual(set(Selectable("x.cpp", TEXT, self.checks[4:]).places), set())

    def test_a_line_belongs_to_its_mutant(self):
        lines = self.made.text.splitlines()
        place = next(i for i, line in enumerate(lines, 1) if "return x; }" in line)
        self.assertEqual(self.made.at(place), {"a twin"})
        self.assertEqual(self.made.at(1), set())
        own = next(i for i, line in enumerate(lines, 1) if "return x + x; }" in line and i > place)
        self.assertEqual(self.made.at(own), {"over the limit", "a twin"})

    def test_the_number_says_which_one_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "x.cpp"), Path(folder, "x")
            chosen = (f'#include <cstdlib>\nextern "C" {{ int {CHOSEN} = 0; unsigned char places[1 << 16]; '
                      f'unsigned char* {REACHED} = places; }}\n'
                      f'const int k = [] {{ return {CHOSEN} = std::atoi(std::getenv("EVO_MUTANT")); }}();\n')
            source.write_text(self.made.text + chosen)
            subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-w", source, "-o", program], check=True)

            def said(name):
                environment = dict(os.environ, EVO_MUTANT=str(number(name) if name else 0))
                return subprocess.run([program], env=environment, capture_output=True, text=True, check=True).stdout
            self.assertEqual(said(None), "7 0 4 1\n")
            self.assertEqual(said("seven"), "4 0 4 1\n")
            self.assertEqual(said("over the limit"), "7 10 4 1\n")
            self.assertEqual(said("a twin"), "7 0 2 1\n")
            self.assertEqual(said("equal"), "7 0 4 0\n")  # its edit quotes the head and leaves it as it is


if __name__ == "__main__":
    unittest.main()
