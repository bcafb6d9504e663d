// The barriers of attention_forward's templates: which genes choose them, and that the source has no others.
#include <gtest/gtest.h>

#include "tests/kernels/shipped.hpp"

namespace evo::tests {
namespace {

using Values = std::vector<model::Value>;

class SyncSites : public testing::Test {
 protected:
  [[nodiscard]] std::vector<model::Gene> sites(const std::string& kernel) const {
    std::vector<model::Gene> found;
    for (const model::Gene& gene : problem_.find_template(kernel)->space.genes()) {
      if (gene.role == model::GeneRole::sync) found.push_back(gene);
    }
    return found;
  }

  model::Problem problem_ = shipped_problem("attention_forward");
};

TEST_F(SyncSites, OfScalarEndWithTheBlockBarrierAndStandInTheSource) {
  const std::string& source = problem_.find_template("scalar")->source;
  EXPECT_EQ(sites("scalar").size(), 5U);
  for (const model::Gene& gene : sites("scalar")) {
    EXPECT_EQ(gene.values, (Values{"none", "warp", "block"})) << gene.name;
    EXPECT_NE(source.find("EVO_SYNC(" + gene.name + ")"), std::string::npos) << gene.name;
  }
  // Each barrier of the source is such a site.
  EXPECT_EQ(source.find("__syncthreads"), std::string::npos);
  EXPECT_EQ(source.find("__syncwarp"), std::string::npos);
}

TEST_F(SyncSites, OfMmaGoFromNoneToTheBlockBarrierAndStandInTheSource) {
  const std::string& source = problem_.find_template("mma")->source;
  EXPECT_EQ(sites("mma").size(), 6U);
  for (const model::Gene& gene : sites("mma")) {
    EXPECT_EQ(gene.values, (Values{"none", "warp", "named", "block"})) << gene.name;
    EXPECT_NE(source.find("EVO_SYNC_GROUP(" + gene.name + ","), std::string::npos) << gene.name;
  }
  EXPECT_EQ(source.find("__syncthreads"), std::string::npos);
  EXPECT_EQ(source.find("__syncwarp"), std::string::npos);
}

TEST_F(SyncSites, OfWmmaEndWithTheFullBarrierAndStandInTheSourceOnce) {
  const model::Template& kernel = *problem_.find_template("wmma");
  EXPECT_EQ(sites("wmma").size(), 10U);
  for (const model::Gene& gene : sites("wmma")) {
    // The threads of a row are in one warp.
    const bool within_warp = gene.name == "SYNC_ROW_READ";
    EXPECT_EQ(gene.values,
              within_warp ? (Values{"none", "warp"}) : (Values{"none", "warp", "named", "block"}))
        << gene.name;
    const std::string site =
        within_warp ? "EVO_SYNC(" + gene.name + ")" : "EVO_SYNC_GROUP(" + gene.name + ",";
    const std::size_t at = kernel.source.find(site);
    ASSERT_NE(at, std::string::npos) << gene.name;
    EXPECT_EQ(kernel.source.find(site, at + 1), std::string::npos) << gene.name << " stands twice";
  }
  for (const char* barrier : {"__syncthreads", "__syncwarp", "bar.sync"}) {
    EXPECT_EQ(kernel.source.find(barrier), std::string::npos) << barrier;
    for (const auto& [name, text] : kernel.headers) {
      if (name == "evo_sync.cuh") continue;
      EXPECT_EQ(text.find(barrier), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace evo::tests
