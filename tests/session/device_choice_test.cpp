// Which device an experiment runs on.
#include "session/device_choice.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "session/gpu_workers.hpp"
#include "session/hand_made.hpp"
#include "tests/support/targets.hpp"

namespace evo::session {
namespace {

evaluators::cuda::CudaDeviceList gpus(const std::vector<std::string>& archs) {
  evaluators::cuda::CudaDeviceList list;
  for (const std::string& arch : archs) {
    evaluators::cuda::CudaDeviceEntry& entry = list.devices.emplace_back();
    entry.ordinal = static_cast<int>(list.devices.size()) - 1;
    entry.info.name = "GPU of " + arch;
    entry.info.arch = arch;
  }
  if (archs.empty()) list.reason = "no driver";
  return list;
}

std::string chosen(const std::string& wanted, const std::string& target,
                   const std::vector<std::string>& archs) {
  try {
    return choose_device(wanted, tests::shipped_target(target), gpus(archs)).id;
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    return "refused";
  }
}

TEST(ChooseDevice, AutoTakesTheFirstGpuThatRunsTheTargetsCode) {
  EXPECT_EQ(chosen("auto", "l4", {"sm_80", "sm_89", "sm_90"}), "cuda:1");
  EXPECT_EQ(chosen("auto", "l4", {"sm_90"}), "cuda:0") << "a newer one does";
  EXPECT_EQ(chosen("auto", "h200", {"sm_89"}), "virtual");
  EXPECT_EQ(chosen("auto", "h200", {"sm_90"}), "cuda:0");
  EXPECT_EQ(chosen("auto", "l4", {}), "virtual");
}

TEST(ChooseDevice, AutoSaysWhy) {
  const auto note = [](const std::vector<std::string>& archs) {
    return choose_device("auto", tests::shipped_target("l4"), gpus(archs)).note;
  };
  EXPECT_NE(note({}).find("no driver"), std::string::npos);
  EXPECT_NE(note({"sm_80"}).find("sm_89"), std::string::npos);
  EXPECT_NE(note({"sm_89"}).find("GPU of sm_89"), std::string::npos);
}

TEST(ChooseDevice, OneThatIsNamedIsTakenOrRefused) {
  EXPECT_EQ(chosen("virtual", "l4", {"sm_89"}), "virtual");
  EXPECT_EQ(chosen("cuda:1", "l4", {"sm_80", "sm_89"}), "cuda:1");
  EXPECT_EQ(chosen("cuda:0", "l4", {"sm_80", "sm_89"}), "refused") << "too old";
  EXPECT_EQ(chosen("cuda:2", "l4", {"sm_80", "sm_89"}), "refused");
  EXPECT_EQ(chosen("gpu", "l4", {"sm_89"}), "refused");
  EXPECT_EQ(chosen("cuda:0", "l4", {}), "refused");
}

DeviceChoice of_a_run(const std::string& wanted, const std::vector<std::string>& archs) {
  return choose_devices(wanted, tests::shipped_target("l4"), gpus(archs));
}
std::string refusal(const std::string& wanted, const std::vector<std::string>& archs) {
  try {
    return of_a_run(wanted, archs).id;
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    return error.what();
  }
}

TEST(ChooseDevices, AllAreThoseOfTheModelThatThereIsMostOf) {
  using Gpus = std::vector<std::string>;
  const DeviceChoice all = of_a_run("cuda:all", {"sm_89", "sm_90", "sm_80", "sm_90"});
  EXPECT_EQ(all.id, "cuda:all") << "so that a resumed run takes those that are there then";
  EXPECT_EQ(all.gpus, (Gpus{"cuda:1", "cuda:3"}));
  EXPECT_NE(all.note.find("cuda:0"), std::string::npos) << all.note;
  EXPECT_NE(all.note.find("cuda:2 (GPU of sm_80, too old"), std::string::npos) << all.note;
  EXPECT_EQ(of_a_run("cuda:all", {"sm_89", "sm_90"}).gpus, Gpus{"cuda:0"});
  EXPECT_EQ(of_a_run("cuda:all", {"sm_89", "sm_89"}).note, "");
  EXPECT_EQ(of_a_run("cuda:1", {"sm_89", "sm_89"}).gpus, Gpus{"cuda:1"});
  EXPECT_EQ(of_a_run("auto", {"sm_89", "sm_89"}).gpus, Gpus{"cuda:0"});
  EXPECT_TRUE(of_a_run("virtual", {"sm_89"}).gpus.empty());
}

TEST(ChooseDevices, AFarmsAreForARunAlone) {
  const model::TargetProfile target = tests::shipped_target("l4");
  const DeviceChoice choice = choose_devices("farm", target, Models::several);
  EXPECT_TRUE(choice.of_farm());
  EXPECT_TRUE(choice.gpus.empty());
  const auto code_of = [&](auto choose) {
    try {
      static_cast<void>(choose());
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  };
  EXPECT_EQ(code_of([&] { return choose_devices("farm", target); }), model::ExitCode::usage);
  EXPECT_EQ(code_of([&] { return choose_device("farm", target); }), model::ExitCode::usage);
}

TEST(ChooseDevices, AListIsTakenWholeOrRefused) {
  EXPECT_EQ(of_a_run("cuda:2,0", {"sm_89", "sm_90", "sm_89"}).gpus,
            (std::vector<std::string>{"cuda:2", "cuda:0"}));
  EXPECT_NE(refusal("cuda:0,1", {"sm_89", "sm_90"}).find("of one model"), std::string::npos);
  EXPECT_NE(refusal("cuda:0,7", {"sm_89"}).find("cuda:7"), std::string::npos);
  EXPECT_NE(refusal("cuda:0,1", {"sm_89", "sm_80"}).find("older"), std::string::npos);
  EXPECT_NE(refusal("cuda:all", {"sm_80"}).find("too old"), std::string::npos);
  EXPECT_NE(refusal("cuda:all", {}).find("no driver"), std::string::npos);
  EXPECT_NE(refusal("cuda:0,0", {"sm_89"}).find("there is no device"), std::string::npos);
}

TEST(ChooseDevices, OtherModelsMayStandApart) {
  using Gpus = std::vector<std::string>;
  const auto target = tests::shipped_target("l4");
  const DeviceChoice all = choose_devices(
      "cuda:all", target, gpus({"sm_89", "sm_90", "sm_80", "sm_90", "sm_89", "sm_90"}), Models::several);
  EXPECT_EQ(all.id, "cuda:all");
  EXPECT_EQ(all.gpus, (Gpus{"cuda:1", "cuda:3", "cuda:5"})) << "a run's trials stay on one model";
  ASSERT_EQ(all.others.size(), 1U) << "one is too old";
  EXPECT_EQ(all.others[0].gpus, (Gpus{"cuda:0", "cuda:4"}));
  EXPECT_EQ(all.others[0].id, "cuda:0,4");
  EXPECT_EQ(all.others[0].model, "GPU of sm_89");
  EXPECT_NE(all.note.find("cuda:2"), std::string::npos) << all.note;
  const DeviceChoice list =
      choose_devices("cuda:0,1,2", target, gpus({"sm_90", "sm_89", "sm_90"}), Models::several);
  EXPECT_EQ(list.gpus, (Gpus{"cuda:0", "cuda:2"})) << "the first one's model is the run's";
  ASSERT_EQ(list.others.size(), 1U);
  EXPECT_EQ(list.others[0].gpus, Gpus{"cuda:1"});
  EXPECT_TRUE(
      choose_devices("cuda:0,2", target, gpus({"sm_90", "sm_89", "sm_90"}), Models::several).others.empty());
  EXPECT_EQ(chosen("cuda:1,0", "l4", {"sm_89", "sm_90"}), "cuda:1")
      << "what runs on one takes the first of any list";
}

TEST(ChooseDevices, WhatRunsOnOneTakesTheFirst) {
  EXPECT_EQ(chosen("cuda:all", "l4", {"sm_80", "sm_89", "sm_89"}), "cuda:1");
  EXPECT_EQ(chosen("cuda:1,0", "l4", {"sm_89", "sm_89"}), "cuda:1");
}

TEST(DrawEntropy, FitsASignedIntegerAndIsNotRepeated) {
  const std::uint64_t first = draw_entropy();
  EXPECT_EQ(first >> 63, 0U);
  EXPECT_NE(first, draw_entropy());
}

TEST(Threads, AreThoseAskedForOrOneACore) {
  EXPECT_EQ(threads_or_cores(3), 3);
  EXPECT_GE(threads_or_cores(0), 1);
}

TEST(Workers, AreAsManyAsTheHostFeedsAndTheGpuHasRoomFor) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  EXPECT_EQ(workers_each(32, 2, 79 * gib), 8U);
  EXPECT_EQ(workers_each(8, 2, 79 * gib), 2U);
  EXPECT_EQ(workers_each(64, 1, 0), 8U) << "nobody told how much there is";
  EXPECT_EQ(workers_each(64, 1, 11 * gib), 5U);
  EXPECT_EQ(workers_each(64, 1, 7 * gib), 3U);
  EXPECT_EQ(workers_each(64, 1, gib / 2), 1U);
  EXPECT_EQ(workers_each(1, 4, 7 * gib), 1U);
}

TEST(ChooseDevice, SeveralHaveRoomForWhatFitsTheFullestOfThem) {
  evaluators::cuda::CudaDeviceList list = gpus({"sm_90", "sm_90", "sm_90"});
  for (evaluators::cuda::CudaDeviceEntry& entry : list.devices)
    entry.free_bytes = 100 - 10 * static_cast<std::uint64_t>(entry.ordinal % 2);
  const model::TargetProfile target = tests::shipped_target("h100");
  EXPECT_EQ(choose_devices("cuda:all", target, list).free_bytes, 90U);
  EXPECT_EQ(choose_devices("cuda:0,2", target, list).free_bytes, 100U);
  EXPECT_EQ(choose_device("auto", target, list).free_bytes, 100U);
  EXPECT_EQ(choose_device("cuda:1", target, list).free_bytes, 90U);
}

}  // namespace
}  // namespace evo::session
