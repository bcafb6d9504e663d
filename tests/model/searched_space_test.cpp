// The limits that a search's space has besides its own constraints, and the domain of a genome.
#include "model/searched_space.hpp"

#include <gtest/gtest.h>

#include "model/domain.hpp"
#include "model/variant.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::model {
namespace {

struct SearchedSpace : ::testing::Test {
  Experiment experiment = tests::vector_add_experiment();
  Template& kernel = experiment.problem.templates[0];

  Space space() const { return searched_space(experiment, kernel); }
  std::string why(std::int64_t threads, std::int64_t extra = 0) const {
    Genome genome = space().initial();
    genome.set("THREADS", threads);
    genome.set("EXTRA_SMEM", extra);
    return space().violation(genome).value_or("legal");
  }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(SearchedSpace, ABlockOfTooManyThreadsIsNoGenome) {
  EXPECT_TRUE(says(why(2048), "block.x must be 1 to 1024")) << why(2048);
  EXPECT_EQ(why(64), "legal");
}

TEST_F(SearchedSpace, TheProductOfTheSidesCounts) {
  kernel.launch.block[1] = tests::parsed("32");
  EXPECT_TRUE(says(why(64), "a block has at most 1024 threads")) << why(64);
  EXPECT_EQ(why(32), "legal");
}

TEST_F(SearchedSpace, SharedMemoryCountsWhatIsPredicted) {
  experiment.smem_limit = 65536 + 200;
  EXPECT_TRUE(says(why(64, 65536), "bytes of shared memory")) << why(64, 65536);
  EXPECT_EQ(why(32, 65536), "legal");
  kernel.launch.static_smem_open = true;
  EXPECT_EQ(why(64, 65536), "legal") << "nothing is predicted";
}

TEST_F(SearchedSpace, AGridOfNoBlocksNamesItsWorkload) {
  kernel.launch.grid[0] = tests::parsed("n / THREADS", 20);
  experiment.workloads[0].axes["n"] = 40;
  EXPECT_TRUE(says(why(64), "grid.x must be 1 to 2147483647 (workload " + experiment.workloads[0].name))
      << why(64);
  EXPECT_EQ(why(32), "legal");
}

TEST_F(SearchedSpace, WhatTheTemplateImpliesAddsNothing) {
  kernel.space = Space(kernel.space.genes(), {{tests::parsed("THREADS <= 128"), "small blocks"}});
  EXPECT_EQ(space().constraints().size(), 1U);
}

TEST_F(SearchedSpace, WorkloadsLieInTheDomain) {
  kernel.domain = {{tests::parsed("n % THREADS == 0"), ""}};
  for (Workload& workload : experiment.workloads) workload.axes["n"] = 96;
  EXPECT_TRUE(says(why(64), "is no shape for this genome")) << why(64);
  EXPECT_EQ(why(32), "legal");
  EXPECT_EQ(space().count_legal().all, 3U) << "32 threads, with any extra shared memory";
}

TEST_F(SearchedSpace, WorkThatNobodyGaveIsAssumed) {
  experiment.problem.work = {};
  experiment.problem.work.assumed = true;
  const auto bind = [&] {
    return *bind_case(experiment.problem, kernel, space(), kernel.space.initial(),
                      {"w", 1, {{"n", 100}, {"c_stride", 1}}});
  };
  EXPECT_EQ(bind().bytes, 3 * 4 * 100);
  EXPECT_EQ(bind().flops, 100) << "three arrays of one shape: an operation an element";
  experiment.problem.arguments[0].shape = {tests::parsed("n"), tests::parsed("n")};
  experiment.problem.arguments[0].strides = {tests::parsed("n"), tests::parsed("1")};
  EXPECT_EQ(bind().flops, 10000) << "a matrix and two vectors";
}

struct Domain : SearchedSpace {
  Environment values{{"THREADS", std::int64_t{64}}};
  std::optional<std::int64_t> nearest(std::int64_t n) {
    const auto found =
        within_domain(experiment.problem, kernel, values, {"w", 1, {{"n", n}, {"c_stride", 1}}});
    if (!found) return std::nullopt;
    return found->axes.at("n");
  }
};

TEST_F(Domain, SizesAreRoundedToTheNearest) {
  kernel.domain = {{tests::parsed("n % THREADS == 0"), ""}};
  EXPECT_EQ(nearest(64), 64);
  EXPECT_EQ(nearest(90), 64);
  EXPECT_EQ(nearest(100), 128);
  EXPECT_EQ(nearest(3), 64) << "no size is zero";
}

TEST_F(Domain, AllConditionsHoldAtOnce) {
  kernel.domain = {{tests::parsed("n % THREADS == 0"), ""}, {tests::parsed("n % 3 == 0 and n > 300"), ""}};
  EXPECT_EQ(nearest(100), 384);
  kernel.domain.push_back({tests::parsed("n < 300"), ""});
  EXPECT_EQ(nearest(100), std::nullopt);
}

TEST_F(Domain, BoundsOfTheAxisHold) {
  experiment.problem.axes[0].maximum = 120;
  kernel.domain = {{tests::parsed("n % THREADS == 0"), ""}};
  EXPECT_EQ(nearest(110), 64);
}

TEST_F(Domain, IsToldWithItsGenes) {
  EXPECT_EQ(domain_text(kernel, values), "");
  kernel.domain = {{tests::parsed("n % THREADS == 0"), "whole tiles"}};
  EXPECT_EQ(domain_text(kernel, values), "n % THREADS == 0 (THREADS=64)");
  const auto why =
      domain_violation(experiment.problem, kernel, values, {"w", 1, {{"n", 65}, {"c_stride", 1}}});
  EXPECT_EQ(why, "whole tiles: n % THREADS == 0 does not hold for THREADS=64, n=65");
}

}  // namespace
}  // namespace evo::model
