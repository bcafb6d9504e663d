// The build with delays behind barriers: every template that can have a champion has places for them, and the
// ordinary build knows nothing of them.
#include <gtest/gtest.h>

#include "tests/kernels/compiled.hpp"

namespace evo::tests {
namespace {

struct Build {
  const char *kernel, *arch, *target;
};

class Delays : public NeedsNvrtc, public testing::WithParamInterface<Build> {};

TEST_P(Delays, StandBehindTheBarriersOfThatBuildOnly) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Template& kernel = *problem.find_template(GetParam().kernel);
  const model::Space space = bound_space(problem, GetParam().kernel, 64, GetParam().target);
  const std::string source = model::render_source(kernel, space, space.initial());
  const auto plain = compile_source(kernel, source, GetParam().arch);
  ASSERT_TRUE(plain) << words(plain.error());
  EXPECT_EQ(plain->ptx.find("nanosleep"), std::string::npos);
  EXPECT_EQ(plain->ptx.find("%clock"), std::string::npos);
  const auto delayed = compile_source(kernel, "#define EVO_DELAYS 1\n" + source, GetParam().arch);
  ASSERT_TRUE(delayed) << words(delayed.error());
  EXPECT_NE(delayed->ptx.find("nanosleep"), std::string::npos);
  EXPECT_EQ(delayed->resources.static_smem_bytes, plain->resources.static_smem_bytes);
}

INSTANTIATE_TEST_SUITE_P(Templates, Delays,
                         testing::Values(Build{"scalar", "sm_89", "l4"}, Build{"mma", "sm_89", "l4"},
                                         Build{"hopper", "sm_90a", "h200"}),
                         [](const auto& param) { return std::string(param.param.kernel); });

}  // namespace
}  // namespace evo::tests
