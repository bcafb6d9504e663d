// The range profiler on a table of functions that count what they are asked, and the declarations of CUPTI
// against the toolkit's own where it is installed.
#include "evaluators/devices/cuda/range_profiler.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#if __has_include( \
    <cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_target.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define EVO_HAS_CUPTI_HEADERS
#endif

namespace evo::test {
namespace {

using namespace evaluators::cuda;
using cupti::Result;

/// What the fake has been told; one test at a time.
struct FakeCupti {
  Result enable = cupti::success;
  std::size_t ranges = 2;  ///< that are counted
  int passes = 1;          ///< until all are submitted
  int started = 0, stopped = 0, disabled = 0, deinitialized = 0;
  std::vector<std::string> added;
};
FakeCupti* told = nullptr;

cupti::ApiPointer fake_api() {
  auto api = std::make_shared<cupti::Api>();
  api->initialize = [](cupti::Initialize*) -> Result { return 0; };
  api->deinitialize = [](cupti::Initialize*) -> Result { return ++told->deinitialized, 0; };
  api->chip_name = [](cupti::ChipName* p) -> Result { return p->chip = "GH100", 0; };
  api->counter_availability = [](cupti::CounterAvailability* p) -> Result {
    if (p->image == nullptr) p->image_bytes = 16;
    return 0;
  };
  api->host_initialize = [](cupti::HostInitialize* p) -> Result {
    p->host = reinterpret_cast<cupti::HostObject*>(told);
    return std::strcmp(p->chip, "GH100") == 0 && p->availability != nullptr ? 0 : 1;
  };
  api->host_deinitialize = [](cupti::HostDeinitialize*) -> Result { return 0; };
  api->metric_properties = [](cupti::MetricProperties* p) -> Result {
    return std::strcmp(p->metric, "no.such") == 0 ? 2 : 0;
  };
  api->add_metrics = [](cupti::AddMetrics* p) -> Result {
    told->added.assign(p->metrics, p->metrics + p->count);
    return 0;
  };
  api->config_image_size = [](cupti::ConfigImageSize* p) -> Result { return p->bytes = 8, 0; };
  api->config_image = [](cupti::ConfigImage*) -> Result { return 0; };
  api->enable = [](cupti::Enable* p) -> Result {
    p->ranges = reinterpret_cast<cupti::RangeObject*>(told);
    return told->enable;
  };
  api->disable = [](cupti::OnRanges*) -> Result { return ++told->disabled, 0; };
  api->counter_data_size = [](cupti::CounterDataSize* p) -> Result { return p->bytes = 64, 0; };
  api->counter_data_initialize = [](cupti::InitializeCounterData*) -> Result { return 0; };
  api->set_config = [](cupti::SetConfig*) -> Result { return 0; };
  api->start = [](cupti::OnRanges*) -> Result { return ++told->started, 0; };
  api->stop = [](cupti::Stop* p) -> Result {
    p->all_submitted = ++told->stopped >= told->passes ? 1 : 0;
    return 0;
  };
  api->decode = [](cupti::OnRanges*) -> Result { return 0; };
  api->counter_data_info = [](cupti::CounterDataInfo* p) -> Result { return p->ranges = told->ranges, 0; };
  api->evaluate = [](cupti::Evaluate* p) -> Result {
    for (std::size_t i = 0; i < p->count; ++i) p->values[i] = static_cast<double>(100 * p->range + i);
    return 0;
  };
  return api;
}

class RangeProfilerTest : public ::testing::Test {
 protected:
  void SetUp() override { told = &script_; }
  void TearDown() override { told = nullptr; }
  FakeCupti script_;
};

TEST_F(RangeProfilerTest, ARowOfValuesForEachKernel) {
  auto profiler = RangeProfiler::open(fake_api(), nullptr, 0, {"a", "no.such", "b"});
  ASSERT_TRUE(profiler.has_value());
  EXPECT_EQ((*profiler)->metrics(), (std::vector<std::string>{"a", "b"}))
      << "what the chip lacks is left out";
  EXPECT_EQ(script_.added, (*profiler)->metrics());
  script_.passes = 3;
  int works = 0;
  const auto rows = (*profiler)->count(2, [&] { return ++works > 0; });
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(*rows, (std::vector<std::vector<double>>{{0, 1}, {100, 101}}));
  EXPECT_EQ(works, 3) << "once a pass";
  profiler->reset();
  EXPECT_EQ(script_.disabled, 1);
  EXPECT_EQ(script_.deinitialized, 1);
}

TEST_F(RangeProfilerTest, LaunchesThatWereNotCountedAreNoValues) {
  auto profiler = RangeProfiler::open(fake_api(), nullptr, 0, {"a"});
  ASSERT_TRUE(profiler.has_value());
  script_.ranges = 1;
  EXPECT_FALSE((*profiler)->count(2, [] { return true; }).has_value());
}

TEST_F(RangeProfilerTest, AWorkThatFailsEndsIt) {
  auto profiler = RangeProfiler::open(fake_api(), nullptr, 0, {"a"});
  ASSERT_TRUE(profiler.has_value());
  script_.passes = 100;
  int works = 0;
  const auto rows = (*profiler)->count(2, [&] { return ++works, false; });
  ASSERT_TRUE(rows.has_value());
  EXPECT_TRUE(rows->empty());
  EXPECT_EQ(works, 1);
  EXPECT_EQ(script_.stopped, 1) << "whatever was started is stopped";
}

TEST_F(RangeProfilerTest, ARefusalOfTheDriverIsToldApart) {
  script_.enable = cupti::not_permitted;
  const auto refused = RangeProfiler::open(fake_api(), nullptr, 0, {"a"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().not_permitted);
  script_.enable = 999;
  EXPECT_FALSE(RangeProfiler::open(fake_api(), nullptr, 0, {"a"}).error().not_permitted);
  script_.enable = cupti::success;
  EXPECT_FALSE(RangeProfiler::open(fake_api(), nullptr, 0, {"no.such"}).has_value());
  EXPECT_EQ(script_.deinitialized, 3);
}

TEST(Cupti, WithoutTheLibraryThereIsASentence) {
  ::setenv("EVO_CUPTI", "/no/such/libcupti.so", 1);
  const auto none = cupti::load();
  ::unsetenv("EVO_CUPTI");
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().find("EVO_CUPTI"), std::string::npos) << none.error();
}

#ifdef EVO_HAS_CUPTI_HEADERS
#define EVO_SAME_SIZE(ours, theirs) EXPECT_EQ(cupti::ours{}.size, theirs##_STRUCT_SIZE)
#define EVO_SAME_PLACE(ours, member, theirs, field) \
  EXPECT_EQ(offsetof(cupti::ours, member), offsetof(theirs, field))

TEST(Cupti, TheDeclarationsAreTheToolkits) {
  EVO_SAME_SIZE(Initialize, CUpti_Profiler_Initialize_Params);
  EVO_SAME_SIZE(ChipName, CUpti_Device_GetChipName_Params);
  EVO_SAME_SIZE(CounterAvailability, CUpti_Profiler_GetCounterAvailability_Params);
  EVO_SAME_SIZE(HostInitialize, CUpti_Profiler_Host_Initialize_Params);
  EVO_SAME_SIZE(HostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params);
  EVO_SAME_SIZE(MetricProperties, CUpti_Profiler_Host_GetMetricProperties_Params);
  EVO_SAME_SIZE(AddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
  EVO_SAME_SIZE(ConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params);
  EVO_SAME_SIZE(ConfigImage, CUpti_Profiler_Host_GetConfigImage_Params);
  EVO_SAME_SIZE(Evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  EVO_SAME_SIZE(Enable, CUpti_RangeProfiler_Enable_Params);
  EVO_SAME_SIZE(OnRanges, CUpti_RangeProfiler_Disable_Params);
  EVO_SAME_SIZE(OnRanges, CUpti_RangeProfiler_Start_Params);
  EXPECT_EQ(sizeof(cupti::OnRanges), CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  EVO_SAME_SIZE(Stop, CUpti_RangeProfiler_Stop_Params);
  EVO_SAME_SIZE(CounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params);
  EVO_SAME_SIZE(InitializeCounterData, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  EVO_SAME_SIZE(CounterDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params);
  EVO_SAME_SIZE(SetConfig, CUpti_RangeProfiler_SetConfig_Params);
  EVO_SAME_PLACE(SetConfig, counter_data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
  EVO_SAME_PLACE(SetConfig, range_mode, CUpti_RangeProfiler_SetConfig_Params, range);
  EVO_SAME_PLACE(SetConfig, replay_mode, CUpti_RangeProfiler_SetConfig_Params, replayMode);
  EVO_SAME_PLACE(SetConfig, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
  EVO_SAME_PLACE(Stop, all_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
  EVO_SAME_PLACE(CounterDataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
  EVO_SAME_PLACE(CounterDataInfo, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
  EVO_SAME_PLACE(Evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
  EVO_SAME_PLACE(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
  EXPECT_EQ(cupti::range_around_each_kernel, CUPTI_AutoRange);
  EXPECT_EQ(cupti::user_replay, CUPTI_UserReplay);
  EXPECT_EQ(cupti::not_permitted, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(cupti::not_permitted_in_guest, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
}
#endif

}  // namespace
}  // namespace evo::test
