// Names in ledgers and JSON are read back as what was written.
#include <gtest/gtest.h>

#include "model/dtype.hpp"
#include "model/measurement.hpp"
#include "model/target.hpp"
#include "model/verdict.hpp"

namespace evo::model {
namespace {

TEST(Names, RoundTrip) {
  for (int i = 0; i <= static_cast<int>(Status::better); ++i) {
    const auto status = static_cast<Status>(i);
    EXPECT_EQ(status_from_name(name_of(status)), status);
  }
  for (int i = 0; i <= static_cast<int>(Gate::profile); ++i) {
    const auto gate = static_cast<Gate>(i);
    EXPECT_EQ(gate_from_name(name_of(gate)), gate);
  }
  for (int i = 0; i <= static_cast<int>(DType::u64); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
    EXPECT_GT(size_of(dtype), 0);
  }
  for (const LatencyKind kind : {LatencyKind::modelled, LatencyKind::measured, LatencyKind::recorded}) {
    EXPECT_EQ(latency_kind_from_name(name_of(kind)), kind);
  }
  EXPECT_FALSE(status_from_name("fine"));
}

TEST(Names, OnlyProvenVariantsAreRight) {
  EXPECT_TRUE(is_proven_correct(Status::tie));
  EXPECT_TRUE(is_proven_correct(Status::proven));
  EXPECT_FALSE(is_proven_correct(Status::duplicate));
  EXPECT_FALSE(is_proven_correct(Status::quarantined));
}

TEST(Targets, AreFoundByName) {
  std::vector<TargetProfile> targets(2);
  targets[0].name = "one";
  targets[1].name = "two";
  EXPECT_EQ(find_target(targets, "two"), &targets[1]);
  EXPECT_EQ(find_target(targets, "three"), nullptr);
  EXPECT_EQ(target_names(targets), (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace evo::model
