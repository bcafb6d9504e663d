// The sampler on a table of functions that answer what a test wants, and the declarations of CUPTI against
// the toolkit's own where it is installed.
#include "evaluators/devices/cuda/pc_sampler.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#if __has_include(<cupti_pcsampling.h>)
#include <cupti_pcsampling.h>
#define EVO_HAS_CUPTI_HEADERS
#endif

namespace evo::test {
namespace {

using namespace evaluators::cuda;
using cupti::Result;

constexpr std::uint64_t crc = 77;

struct Pc {
  const char* function;
  std::uint64_t offset;
  std::vector<cupti::StallSamples> stalls;
  std::uint64_t crc = test::crc;
};

/// What the fake has been told and says; one test at a time.
struct FakeSampling {
  Result enable = cupti::success, start = cupti::success, data = cupti::success;
  std::vector<Pc> pcs;  ///< what each round finds
  std::size_t at_a_time = 100;
  std::size_t told = 0;  ///< of pcs, in this round
  std::uint64_t dropped = 0;
  bool running = false;
  int rounds = 0, asked_while_running = 0, disabled = 0;
  std::vector<cupti::SamplingSetting> settings;
  std::map<std::string, std::string> names;  ///< one string for a function in all answers, as CUPTI has it
};
FakeSampling* sampled = nullptr;

char* name_of(const char* function) {
  return sampled->names.try_emplace(function, function).first->second.data();
}

constexpr const char* reasons[] = {
    "smsp__pcsamp_warps_issue_stalled_selected", "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued", "smsp__pcsamp_sample_buffer_full"};

cupti::ApiPointer sampling_api() {
  auto api = std::make_shared<cupti::Api>();
  api->cubin_crc = [](cupti::CubinCrc* p) -> Result { return p->crc = crc, 0; };
  api->sampling_enable = [](cupti::OnContext*) -> Result { return sampled->enable; };
  api->sampling_disable = [](cupti::OnContext*) -> Result { return ++sampled->disabled, 0; };
  api->stall_reason_count = [](cupti::StallReasonCount* p) -> Result { return *p->count = 4, 0; };
  api->stall_reasons = [](cupti::StallReasons* p) -> Result {
    for (std::size_t i = 0; i < p->count; ++i) {
      p->indices[i] = static_cast<std::uint32_t>(10 + i);
      std::strcpy(p->names[i], reasons[i]);
    }
    return 0;
  };
  api->sampling_set = [](cupti::SamplingSettings* p) -> Result {
    sampled->settings.assign(p->settings, p->settings + p->count);
    return 0;
  };
  api->sampling_start = [](cupti::OnContext*) -> Result {
    sampled->running = true;
    sampled->told = 0;
    ++sampled->rounds;
    return sampled->start;
  };
  api->sampling_stop = [](cupti::OnContext*) -> Result { return sampled->running = false, 0; };
  api->sampling_data = [](cupti::GetSamples* p) -> Result {
    if (sampled->running) ++sampled->asked_while_running;
    cupti::SamplingData& data = *p->data;
    data.pcs_here = std::min({sampled->at_a_time, data.room, sampled->pcs.size() - sampled->told});
    for (std::size_t i = 0; i < data.pcs_here; ++i) {
      const Pc& pc = sampled->pcs[sampled->told++];
      cupti::PcSamples& into = data.pcs[i];
      into.cubin_crc = pc.crc;
      into.offset = pc.offset;
      into.function = name_of(pc.function);
      into.stall_count = pc.stalls.size();
      std::copy(pc.stalls.begin(), pc.stalls.end(), into.stalls);
      for (const auto& stall : pc.stalls) data.all_samples += stall.samples;
    }
    data.pcs_left = sampled->pcs.size() - sampled->told;
    data.dropped = data.pcs_here > 0 ? sampled->dropped : 0;
    return sampled->data;
  };
  api->source_of_sass = [](cupti::SourceOfSass* p) -> Result {
    if (p->offset >= 0x100) return 999;
    p->line = static_cast<std::uint32_t>(p->offset / 16 + 1);
    p->file = ::strdup("k.cu");
    p->folder = ::strdup("/there");
    return 0;
  };
  return api;
}

PcSamplerSettings few() {
  PcSamplerSettings settings;
  settings.enough = 1;
  settings.pcs_at_a_time = 2;
  return settings;
}

class PcSamplerTest : public ::testing::Test {
 protected:
  void SetUp() override { sampled = &script_; }
  void TearDown() override { sampled = nullptr; }
  FakeSampling script_;
};

TEST_F(PcSamplerTest, EachPlaceHasItsLineAndWhatItsWarpsWaitedFor) {
  script_.pcs = {{"k", 0x10, {{10, 5}, {11, 30}, {12, 20}}},
                 {"k", 0x20, {{11, 7}, {13, 1000}}},
                 {"k", 0x100, {{10, 1}}},
                 {"other", 0x10, {{10, 500}}, 78}};
  script_.dropped = 2;
  auto sampler = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, few());
  ASSERT_TRUE(sampler.has_value());
  int works = 0;
  const auto found = (*sampler)->sample([&] { return ++works > 0; });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(works, few().repetitions_a_round) << "one round is enough";
  ASSERT_EQ(found->places.size(), 3U) << "another module's are not the kernel's";
  EXPECT_EQ(found->places[0].line, 2);
  EXPECT_EQ(found->places[0].file, "/there/k.cu");
  using Stalls = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(found->places[0].stalls, (Stalls{{"selected", 5}, {"long_scoreboard", 30}}))
      << "what was told again is not counted twice";
  EXPECT_EQ(found->places[1].stalls, (Stalls{{"long_scoreboard", 7}}));
  EXPECT_TRUE(found->places[2].file.empty()) << "the line table has none";
  EXPECT_EQ(found->dropped, 4U) << "of two answers";
  EXPECT_EQ(script_.asked_while_running, 0) << "asked then, it loses what comes after";
  sampler->reset();
  EXPECT_EQ(script_.disabled, 1);
}

TEST_F(PcSamplerTest, ItGoesOnUntilThereAreEnough) {
  script_.pcs = {{"k", 0x10, {{11, 10}}}};
  PcSamplerSettings settings = few();
  settings.enough = 35;
  auto sampler = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, settings);
  ASSERT_TRUE(sampler.has_value());
  const auto found = (*sampler)->sample([] { return true; });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(script_.rounds, 4);
  EXPECT_EQ(found->places.at(0).stalls.at("long_scoreboard"), 40U);
  settings.enough = 1'000'000;
  settings.most_rounds = 3;
  script_.rounds = 0;
  auto bounded = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, settings);
  ASSERT_TRUE(bounded.has_value());
  EXPECT_TRUE((*bounded)->sample([] { return true; }).has_value());
  EXPECT_EQ(script_.rounds, 3);
}

TEST_F(PcSamplerTest, ItAsksForWhatItNeeds) {
  ASSERT_TRUE(PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, few()).has_value());
  bool controlled = false, all = false, kept = false;
  for (const cupti::SamplingSetting& one : script_.settings) {
    controlled = controlled || (one.attribute == cupti::SamplingAttribute::start_and_stop && one.number == 1);
    all = all || (one.attribute == cupti::SamplingAttribute::stall_reasons && one.stalls.count == 4);
    kept = kept || (one.attribute == cupti::SamplingAttribute::buffer && one.buffer != nullptr);
  }
  EXPECT_TRUE(controlled && all && kept);
}

TEST_F(PcSamplerTest, ACopyOfOtherBytesIsTheSameKernel) {
  script_.pcs = {{"k", 0x10, {{11, 10}}, 78}};
  auto sampler = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, few());
  ASSERT_TRUE(sampler.has_value());
  EXPECT_TRUE((*sampler)->sample([] { return true; }).has_value());
}

TEST_F(PcSamplerTest, NoSampleIsNoLines) {
  script_.pcs = {{"other", 0x10, {{10, 500}}, 78}};
  auto sampler = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, few());
  ASSERT_TRUE(sampler.has_value());
  EXPECT_FALSE((*sampler)->sample([] { return true; }).has_value());
}

TEST_F(PcSamplerTest, AWorkThatFailsEndsIt) {
  script_.pcs = {{"k", 0x10, {{11, 10}}}};
  auto sampler = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, few());
  ASSERT_TRUE(sampler.has_value());
  int works = 0;
  const auto found = (*sampler)->sample([&] { return ++works, false; });
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->places.empty());
  EXPECT_EQ(works, 1);
}

TEST_F(PcSamplerTest, ARefusalOfTheDriverIsToldApart) {
  script_.enable = cupti::not_permitted;
  const auto refused = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, few());
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().not_permitted);
  script_.enable = cupti::success;
  script_.start = cupti::not_permitted;
  auto sampler = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, few());
  ASSERT_TRUE(sampler.has_value());
  const auto found = (*sampler)->sample([] { return true; });
  ASSERT_FALSE(found.has_value());
  EXPECT_TRUE(found.error().not_permitted);
}

TEST_F(PcSamplerTest, AFullBufferIsNoErrorAndAnyOtherIs) {
  script_.pcs = {{"k", 0x10, {{11, 10}}}};
  script_.data = cupti::buffer_full;
  auto sampler = PcSampler::open(sampling_api(), nullptr, "cubin", {"k"}, few());
  ASSERT_TRUE(sampler.has_value());
  EXPECT_TRUE((*sampler)->sample([] { return true; }).has_value());
  script_.data = 999;
  EXPECT_FALSE((*sampler)->sample([] { return true; }).has_value());
}

TEST_F(PcSamplerTest, ALibraryWithoutItIsASentence) {
  EXPECT_FALSE(PcSampler::open(std::make_shared<cupti::Api>(), nullptr, "cubin", {"k"}, few()).has_value());
}

#ifdef EVO_HAS_CUPTI_HEADERS
#define EVO_SAME_PLACE(ours, member, theirs, field) \
  EXPECT_EQ(offsetof(cupti::ours, member), offsetof(theirs, field))

TEST(CuptiSampling, TheDeclarationsAreTheToolkits) {
  EXPECT_EQ(cupti::OnContext{}.size, CUpti_PCSamplingEnableParamsSize);
  EXPECT_EQ(cupti::OnContext{}.size, CUpti_PCSamplingDisableParamsSize);
  EXPECT_EQ(cupti::OnContext{}.size, CUpti_PCSamplingStartParamsSize);
  EXPECT_EQ(cupti::OnContext{}.size, CUpti_PCSamplingStopParamsSize);
  EXPECT_EQ(cupti::StallReasonCount{}.size, CUpti_PCSamplingGetNumStallReasonsParamsSize);
  EXPECT_EQ(cupti::StallReasons{}.size, CUpti_PCSamplingGetStallReasonsParamsSize);
  EXPECT_EQ(cupti::SamplingSettings{}.size, CUpti_PCSamplingConfigurationInfoParamsSize);
  EXPECT_EQ(cupti::GetSamples{}.size, CUpti_PCSamplingGetDataParamsSize);
  EXPECT_EQ(cupti::SourceOfSass{}.size, CUpti_GetSassToSourceCorrelationParamsSize);
  EXPECT_EQ(cupti::CubinCrc{}.size, CUpti_GetCubinCrcParamsSize);
  EXPECT_EQ(sizeof(cupti::SamplingSetting), sizeof(CUpti_PCSamplingConfigurationInfo));
  EXPECT_EQ(sizeof(cupti::PcSamples), sizeof(CUpti_PCSamplingPCData));
  EXPECT_EQ(sizeof(cupti::StallSamples), sizeof(CUpti_PCSamplingStallReason));
  EXPECT_EQ(sizeof(cupti::SamplingData), sizeof(CUpti_PCSamplingData));
  EVO_SAME_PLACE(SamplingSetting, number, CUpti_PCSamplingConfigurationInfo, attributeData);
  EVO_SAME_PLACE(PcSamples, cubin_crc, CUpti_PCSamplingPCData, cubinCrc);
  EVO_SAME_PLACE(PcSamples, offset, CUpti_PCSamplingPCData, pcOffset);
  EVO_SAME_PLACE(PcSamples, function, CUpti_PCSamplingPCData, functionName);
  EVO_SAME_PLACE(PcSamples, stall_count, CUpti_PCSamplingPCData, stallReasonCount);
  EVO_SAME_PLACE(PcSamples, stalls, CUpti_PCSamplingPCData, stallReason);
  EVO_SAME_PLACE(StallSamples, samples, CUpti_PCSamplingStallReason, samples);
  EVO_SAME_PLACE(SamplingData, room, CUpti_PCSamplingData, collectNumPcs);
  EVO_SAME_PLACE(SamplingData, dropped, CUpti_PCSamplingData, droppedSamples);
  EVO_SAME_PLACE(SamplingData, pcs_here, CUpti_PCSamplingData, totalNumPcs);
  EVO_SAME_PLACE(SamplingData, pcs_left, CUpti_PCSamplingData, remainingNumPcs);
  EVO_SAME_PLACE(SamplingData, pcs, CUpti_PCSamplingData, pPcData);
  EVO_SAME_PLACE(SamplingData, hardware_buffer_full, CUpti_PCSamplingData, hardwareBufferFull);
  EVO_SAME_PLACE(SourceOfSass, line, CUpti_GetSassToSourceCorrelationParams, lineNumber);
  EVO_SAME_PLACE(SourceOfSass, offset, CUpti_GetSassToSourceCorrelationParams, pcOffset);
  EVO_SAME_PLACE(SourceOfSass, file, CUpti_GetSassToSourceCorrelationParams, fileName);
  EVO_SAME_PLACE(CubinCrc, crc, CUpti_GetCubinCrcParams, cubinCrc);
  EXPECT_EQ(static_cast<int>(cupti::SamplingAttribute::buffer),
            CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER);
  EXPECT_EQ(static_cast<int>(cupti::SamplingAttribute::wakes_ms),
            CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN);
  EXPECT_EQ(static_cast<int>(cupti::SamplingAttribute::start_and_stop),
            CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL);
  EXPECT_EQ(static_cast<int>(cupti::SamplingAttribute::mode),
            CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE);
  EXPECT_EQ(cupti::continuous_mode, static_cast<std::uint32_t>(CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS));
  EXPECT_EQ(cupti::parsed_format, static_cast<std::uint32_t>(CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED));
  EXPECT_EQ(cupti::stall_name_bytes, static_cast<std::size_t>(CUPTI_STALL_REASON_STRING_SIZE));
  EXPECT_EQ(cupti::buffer_full, CUPTI_ERROR_OUT_OF_MEMORY);
}
#endif

}  // namespace
}  // namespace evo::test
