// EVO_PROBE hooks are nothing in a build without probes: the machine code is that of the text without them.
#include <gtest/gtest.h>

#include <regex>

#include "tests/kernels/compiled.hpp"

namespace evo::tests {
namespace {

std::string without_hooks(std::string source) {
  static const std::regex block(R"(#ifdef EVO_PROBE_ENABLED\n(?:[^#][^\n]*\n|#pragma[^\n]*\n|\n)*#endif\n)");
  static const std::regex statement(R"((\s)EVO_PROBE(_SLICE)?\([^;]*;)");
  source = std::regex_replace(source, block, "");
  source = std::regex_replace(source, statement, "$1");
  static const std::regex parameter(" EVO_PROBE_(PARAMETER|FORWARDED|FORWARD)\\b");
  return std::regex_replace(source, parameter, "");
}

class Hooks : public NeedsNvrtc, public testing::WithParamInterface<const char*> {};

TEST_P(Hooks, MakeNoMachineCode) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Template& hooked = *problem.find_template(GetParam());
  model::Template bare = hooked;
  bare.source = without_hooks(hooked.source);
  ASSERT_NE(bare.source, hooked.source);
  EXPECT_EQ(bare.source.find("EVO_PROBE"), std::string::npos);
  const model::Space space = bound_space(problem, GetParam(), 64);
  const auto with = compile_genome(hooked, space, space.initial());
  const auto without = compile_genome(bare, space, space.initial());
  ASSERT_TRUE(with) << words(with.error());
  ASSERT_TRUE(without) << words(without.error());
  EXPECT_EQ(with->code_hash, without->code_hash);
}

INSTANTIATE_TEST_SUITE_P(Templates, Hooks, testing::Values("scalar", "mma"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace evo::tests
