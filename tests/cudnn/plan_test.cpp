// Which engine is taken, and what is said when none is.
#include "packs/attention/cudnn/plan.hpp"

#include <gmock/gmock.h>

#include "tests/cudnn/attention_cases.hpp"
#include "tests/cudnn/fake_cudnn.hpp"

namespace evo::test {
namespace {

using cudnn::Heuristics;
using cudnn::Plan;
using cudnn::Session;
using testing::HasSubstr;

struct Search {
  [[nodiscard]] auto find(const AttentionSizes& sizes) {
    return Plan::find(Session::open(fake.api()).value(), cudnn::attention_of(attention_case(sizes)).value());
  }
  FakeCudnn fake;
};

TEST(CudnnPlan, TakesTheFirstEngineOfModeA) {
  Search search;
  search.fake.workspace_bytes = 4096;
  const auto plan = search.find({});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->text(), "engine 0 of heuristics A, graph as pattern");
  EXPECT_EQ(plan->workspace_bytes(), 4096);
}

TEST(CudnnPlan, GoesOnToTheNextEngineAndThenToTheFallback) {
  Search search;
  search.fake.refused_engines = {0};
  EXPECT_THAT(search.find({}).value().text(), HasSubstr("engine 1 of heuristics A"));
  search.fake.refused_engines = {0, 1};
  EXPECT_THAT(search.find({}).value().text(), HasSubstr("engine 100 of heuristics fallback"));
}

TEST(CudnnPlan, SaysOfEveryWayWhatWasRefused) {
  Search search;
  search.fake.engines = {{Heuristics::a, 2}, {Heuristics::fallback, 0}};
  search.fake.refused_engines = {0, 1};
  const auto plan = search.find({.causal = true});
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error(),
              HasSubstr("as pattern, heuristics A: 2 engine configs refused, the first: finalizing "
                        "plan of engine config 0: NOT_SUPPORTED (3000)"));
  EXPECT_THAT(plan.error(), HasSubstr("as pattern, heuristics fallback: no engine"));
  EXPECT_THAT(plan.error(), HasSubstr("as operation: the single operation has no causal mask"));
  EXPECT_EQ(plan.error().find('\n'), std::string::npos);
}

TEST(CudnnPlan, FreesEverything) {
  Search search;
  { const auto plan = search.find({.causal = true}); }
  EXPECT_TRUE(search.fake.live.empty());
  EXPECT_EQ(search.fake.handles, 0);
}

TEST(CudnnLoad, SaysThatThereIsNone) {
  const auto api = cudnn::load("libno_such_cudnn.so.9");
  ASSERT_FALSE(api);
  EXPECT_THAT(api.error(), HasSubstr("libno_such_cudnn.so.9 cannot be loaded"));
  EXPECT_THAT(cudnn::load("libm.so.6").error(), HasSubstr("has no cudnnGetVersion"));
}

TEST(CudnnLoad, ReadsTheVersion) {
  FakeCudnn fake;
  fake.version = 91901;
  EXPECT_EQ(cudnn::version_text(*fake.api()), "9.19.1");
}

}  // namespace
}  // namespace evo::test
