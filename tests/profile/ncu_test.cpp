// What ncu prints, read.
#include "evaluators/profile/ncu.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::profile {
namespace {

constexpr const char* printed =
    R"csv(==PROF== Connected to process 4711 (/opt/evo/bin/evo)
==PROF== Profiling "add" - 0: 0%....50%....100% - 3 passes
launched even
==PROF== Disconnected from process 4711
"ID","Process ID","Kernel Name","Block Size","dram__bytes.sum","sm__warps_active.avg.pct_of_peak_sustained_active","l1tex__t_sector_hit_rate.pct"
"","","","","byte","%","%"
"0","4711","add","(256, 1, 1)","12,582,912","45.25","n/a"
"1","4711","void sum<float, 4>(float ""*"")","(256, 1, 1)","1024","7e-1","50"
)csv";

TEST(Ncu, LaunchesComeInOrderWithTheMetricsThatHaveAValue) {
  const auto launches = parse_ncu(printed);
  ASSERT_TRUE(launches.has_value());
  ASSERT_EQ(launches->size(), 2U);
  EXPECT_EQ(launches->at(0).kernel, "add");
  EXPECT_EQ(launches->at(0).metrics.at("dram__bytes.sum"), 12582912);
  EXPECT_EQ(launches->at(0).metrics.at("sm__warps_active.avg.pct_of_peak_sustained_active"), 45.25);
  EXPECT_FALSE(launches->at(0).metrics.contains("l1tex__t_sector_hit_rate.pct")) << "n/a is no zero";
  EXPECT_EQ(launches->at(1).kernel, "void sum<float, 4>(float \"*\")");
  EXPECT_EQ(launches->at(1).metrics.at("l1tex__t_sector_hit_rate.pct"), 50);
}

TEST(Ncu, RatiosAreAskedForInPercentForTheirDigits) {
  EXPECT_EQ(ncu_metric("dram__bytes.sum"), "dram__bytes.sum");
  EXPECT_EQ(ncu_metric("smsp__stalls.ratio"), "smsp__stalls.pct");
  const NcuLaunch launch{"add", {{"smsp__stalls.pct", 27.16}, {"l1tex__t_sector_hit_rate.pct", 50.0}}};
  EXPECT_DOUBLE_EQ(value_of(launch, "smsp__stalls.ratio").value(), 0.2716);
  EXPECT_EQ(value_of(launch, "l1tex__t_sector_hit_rate.pct"), 50) << "as it is named";
  EXPECT_FALSE(value_of(launch, "dram__bytes.sum"));
}

TEST(Ncu, NoTableAndABrokenTableAreErrors) {
  EXPECT_FALSE(parse_ncu("==PROF== Connected\n").has_value());
  EXPECT_FALSE(parse_ncu("\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n\"0\",\"add\"\n").has_value());
}

TEST(Ncu, ARefusalOfTheDriverIsKnown) {
  const std::string refused =
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
      "Counters on the target device 0.\n";
  EXPECT_TRUE(says_not_permitted(refused));
  EXPECT_NE(complaint_of(refused).find("does not have permission"), std::string::npos);
  EXPECT_FALSE(says_not_permitted(printed));
  EXPECT_EQ(complaint_of(printed), "");
}

}  // namespace
}  // namespace evo::evaluators::profile
