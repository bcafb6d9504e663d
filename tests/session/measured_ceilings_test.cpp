// What a GPU can do at most, measured on a fake one.
#include "session/measured_ceilings.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"

namespace evo::session {
namespace {

/// A GPU on which an iteration takes a microsecond, and a pass over DRAM 200.
struct MeasuredCeilings : ::testing::Test {
  MeasuredCeilings() {
    settings.info.arch = "sm_90";
    settings.clock = [this] { return std::vector<double>{us}; };
    settings.kernel =
        [this](tests::FakeLaunch& launch) -> evaluators::devices::Outcome<evaluators::devices::LaunchReport> {
      us = 100 + launch.scalar<std::int32_t>(0);
      return evaluators::devices::LaunchReport{};
    };
    settings.kernel_of_cubin["dram_read"] = settings.kernel_of_cubin["dram_copy"] =
        [this](tests::FakeLaunch&) -> evaluators::devices::Outcome<evaluators::devices::LaunchReport> {
      us = 200;
      return evaluators::devices::LaunchReport{};
    };
    settings.kernel_of_cubin["l2_read"] =
        [this](tests::FakeLaunch& launch) -> evaluators::devices::Outcome<evaluators::devices::LaunchReport> {
      us = 100 + launch.scalar<std::int32_t>(2);
      return evaluators::devices::LaunchReport{};
    };
    // A folder of its own for each test: they run at once, each in a process.
    std::string pattern = (std::filesystem::temp_directory_path() / "evo-ceilings-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~MeasuredCeilings() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  MeasuredCeilings(const MeasuredCeilings&) = delete;
  MeasuredCeilings& operator=(const MeasuredCeilings&) = delete;
  Ceilings measure() {
    tests::FakeDevice device(settings);
    return measure_ceilings(device, compiler, {2, 1 << 18, 1 << 20}, find_ceiling_sources());
  }
  tests::FakeDeviceSettings settings;
  double us = 100;
  std::filesystem::path folder;
  std::vector<std::string> compiled;
  tests::FakeCompiler compiler{
      [this](const tests::FakeCompiler::Request& wanted) -> tests::FakeCompiler::Result {
        compiled.push_back(wanted.entry + " " + wanted.arch);
        model::Artifact artifact = tests::FakeCompiler::plain(wanted);
        artifact.cubin = wanted.entry;
        return artifact;
      }};
};

TEST_F(MeasuredCeilings, EveryCeilingHasItsFastestKernel) {
  const Ceilings found = measure();
  EXPECT_EQ(found.kind, "measured");
  EXPECT_EQ(found.of, "fake GPU");
  for (const char* name : {"dram", "l2", "shared", "fp32", "tensor_fp16"})
    EXPECT_GT(found.rate(name), 0) << name;
  EXPECT_TRUE(found.missing.empty());
  EXPECT_NE(std::find(compiled.begin(), compiled.end(), "tensor_wgmma sm_90a"), compiled.end());
  EXPECT_NE(std::find(compiled.begin(), compiled.end(), "tensor_mma sm_90"), compiled.end());
  EXPECT_DOUBLE_EQ(found.rate("dram"), 2 * 1048576 / 200e-6) << "the copy reads and writes";
  EXPECT_EQ(found.rates.front().how, "dram_copy.cu");
  EXPECT_DOUBLE_EQ(found.rate("l2"), 65536 / 1e-6);
  EXPECT_DOUBLE_EQ(found.rate("shared"), 2 * 4 * 256 * 128 / 1e-6) << "without what a launch costs";
  EXPECT_DOUBLE_EQ(found.rate("fp32"), 2 * 8 * 256 * 128 / 1e-6);
  EXPECT_DOUBLE_EQ(found.rate("tensor_fp16"), 2 * 2 * 16 * (2.0 * 64 * 256 * 16) / 1e-6) << "two warpgroups";
  EXPECT_EQ(found.rates.back().how, "tensor_wgmma.cu");
}

TEST_F(MeasuredCeilings, OtherArchitecturesDoNotGetWgmma) {
  settings.info.arch = "sm_89";
  static_cast<void>(measure());
  for (const std::string& one : compiled) EXPECT_EQ(one.find("wgmma"), std::string::npos);
}

TEST_F(MeasuredCeilings, WhatDoesNotRunIsMissingWithTheReason) {
  settings.time_failure = testing::failure_of(model::Status::launch_error, "no_such_thing");
  const Ceilings found = measure();
  EXPECT_TRUE(found.rates.empty());
  EXPECT_EQ(found.missing.front().first, "dram");
  EXPECT_NE(found.missing.front().second.find("no_such_thing"), std::string::npos);
}

TEST_F(MeasuredCeilings, TwiceTheWorkInTheSameTimeIsNoRate) {
  settings.clock = [] { return std::vector<double>{3000}; };
  const Ceilings found = measure();
  EXPECT_GT(found.rate("dram"), 0);
  EXPECT_EQ(found.rate("fp32"), 0);
}

TEST_F(MeasuredCeilings, AreMeasuredOnceAndKept) {
  tests::FakeDevice device(settings);
  const DeviceSize size{2, 1 << 18, 1 << 20};
  const Ceilings first = known_or_measured_ceilings(device, compiler, size, folder, false);
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(first.cache_problem, "");
  EXPECT_FALSE(first.measured_at.empty());
  compiled.clear();
  const Ceilings second = known_or_measured_ceilings(device, compiler, size, folder, false);
  EXPECT_TRUE(compiled.empty());
  EXPECT_TRUE(second.from_cache);
  EXPECT_DOUBLE_EQ(second.rate("fp32"), first.rate("fp32"));
  EXPECT_EQ(second.of, first.of);
  static_cast<void>(known_or_measured_ceilings(device, compiler, size, folder, true));
  EXPECT_FALSE(compiled.empty()) << "asked to measure again";
}

TEST_F(MeasuredCeilings, AFileThatIsDamagedOrOfAnotherDriverIsNotRead) {
  tests::FakeDevice device(settings);
  const CeilingSources sources = find_ceiling_sources();
  const auto file = ceilings_file(folder, device.info(), compiler.version(), sources);
  ASSERT_EQ(write_ceilings({"measured", "x", {{"dram", 1e9, "a"}}}, file), "");
  EXPECT_TRUE(read_ceilings(file));
  evaluators::devices::DeviceInfo other = device.info();
  other.driver = "2.0";
  EXPECT_NE(ceilings_file(folder, other, compiler.version(), sources), file);
  EXPECT_NE(ceilings_file(folder, device.info(), "another compiler", sources), file);
  ASSERT_EQ(write_ceilings({"measured", "x", {{"dram", -1, "a"}}}, file), "");
  EXPECT_FALSE(read_ceilings(file)) << "a rate that is none";
  std::ofstream(file) << "{\"schema_version\": 1";
  EXPECT_FALSE(read_ceilings(file));
  EXPECT_FALSE(read_ceilings(folder / "nothing.json"));
}

}  // namespace
}  // namespace evo::session
