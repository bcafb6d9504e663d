// GPU models as data: those that ship, a user's own, and files that are wrong.
#include "config/targets.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "config/keys.hpp"
#include "config/loader.hpp"
#include "config/target_profile.hpp"
#include "tests/config/files.hpp"
#include "tests/support/targets.hpp"

namespace evo::config {
namespace {

using model::TargetProfile;
using testing::Files;
using tests::shipped_target;

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

constexpr const char* own_text = R"yaml(name: mine
device_names: [Mine 3000, "MINE-4000"]
arch: sm_103a
sm_count: 12
clock_ghz: 1.5
smem_per_block_optin_bytes: 232448
smem_per_sm_bytes: 233472
smem_reserved_per_block_bytes: 1024
max_threads_per_block: 1024
max_warps_per_sm: 64
max_blocks_per_sm: 32
registers_per_sm: 65536
max_registers_per_thread: 255
dram_gb_per_s: 1000
l2_gb_per_s: 3000
l2_bytes: 33554432
tensor_fp16_flops_per_sm_cycle: 8192
)yaml";

// Lineages and verdicts of earlier runs hang on these numbers.
TEST(ShippedTargets, TheFirstSixKeepTheirNumbers) {
  struct Was {
    const char* name;
    int major, minor;
    const char* arch;
    int sms;
    double ghz;
    std::int64_t optin_kib, sm_kib;
    int warps, blocks;
    double dram, l2;
    std::int64_t l2_mib;
    double tensor;
  };
  for (const Was& was : {Was{"l4", 8, 9, "sm_89", 58, 2.04, 99, 100, 48, 24, 300, 1500, 48, 1024},
                         Was{"l40s", 8, 9, "sm_89", 142, 2.52, 99, 100, 48, 24, 864, 4000, 96, 1024},
                         Was{"rtx4090", 8, 9, "sm_89", 128, 2.52, 99, 100, 48, 24, 1008, 4000, 72, 1024},
                         Was{"a100", 8, 0, "sm_80", 108, 1.41, 163, 164, 64, 32, 1555, 4000, 40, 2048},
                         Was{"h100", 9, 0, "sm_90a", 132, 1.98, 227, 228, 64, 32, 3350, 5500, 50, 4096},
                         Was{"h200", 9, 0, "sm_90a", 132, 1.98, 227, 228, 64, 32, 4800, 5500, 60, 4096}}) {
    TargetProfile expected = shipped_target(was.name);
    expected.compute_major = was.major;
    expected.compute_minor = was.minor;
    expected.arch = was.arch;
    expected.sm_count = was.sms;
    expected.clock_ghz = was.ghz;
    expected.smem_per_block_optin = was.optin_kib * 1024;
    expected.smem_per_sm = was.sm_kib * 1024;
    expected.smem_reserved_per_block = 1024;
    expected.max_threads_per_block = 1024;
    expected.max_warps_per_sm = was.warps;
    expected.max_blocks_per_sm = was.blocks;
    expected.registers_per_sm = 65536;
    expected.max_registers_per_thread = 255;
    expected.dram_gb_per_s = was.dram;
    expected.l2_gb_per_s = was.l2;
    expected.l2_bytes = was.l2_mib << 20;
    expected.tensor_flops_per_cycle = was.tensor;
    EXPECT_EQ(shipped_target(was.name), expected) << profile_text(shipped_target(was.name));
  }
}

TEST(ShippedTargets, AreThoseThatAreWanted) {
  EXPECT_EQ(
      model::target_names(tests::shipped_targets()),
      (std::vector<std::string>{"a10", "a100", "b200", "h100", "h200", "l4", "l40s", "rtx4090", "rtx5090"}));
  for (const TargetProfile& target : tests::shipped_targets()) {
    EXPECT_FALSE(target.description.empty()) << target.name;
    EXPECT_GT(target.tensor_flops_per_cycle, 0) << target.name;
    EXPECT_GT(target.smem_per_block_optin, 48 * 1024) << target.name;
    EXPECT_EQ(target.smem_per_sm, target.smem_per_block_optin + target.smem_reserved_per_block)
        << target.name;
  }
  EXPECT_NE(model::find_target(tests::shipped_targets(), model::default_target), nullptr);
}

/// Peak rates of the data sheets, in dense FP16 TFLOP/s with FP16 sums.
TEST(ShippedTargets, HaveTheArithmeticOfTheirDataSheets) {
  for (const auto& [name, tflops] : std::vector<std::pair<std::string, double>>{
           {"a10", 125}, {"a100", 312}, {"l4", 121}, {"rtx4090", 330}, {"rtx5090", 419}}) {
    const TargetProfile& target = shipped_target(name);
    EXPECT_NEAR(target.tensor_flops_per_cycle * target.sm_count * target.clock_ghz / 1e3, tflops,
                0.01 * tflops)
        << name;
  }
}

struct Targets : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  Targets() { files.write("experiments/targets/mine.yaml", own_text); }
  model::Expected<model::Experiment> load(const std::string& target) {
    return load_experiment(files.path("experiments/try.yaml"), {{"target", target}}, path);
  }
  /// The error of the target `mine` after an edit of its file.
  std::string error_after(const std::string& from, const std::string& to) {
    files.edit("experiments/targets/mine.yaml", from, to);
    const auto experiment = load("mine");
    files.write("experiments/targets/mine.yaml", own_text);
    return experiment ? "no error" : experiment.error().text();
  }
};

TEST_F(Targets, AUsersOwnStandsBesideTheExperiment) {
  const auto experiment = load("mine");
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_TRUE(experiment->own_target);
  EXPECT_EQ(experiment->target.arch, "sm_103a");
  EXPECT_EQ(experiment->target.compute_major, 10);
  EXPECT_EQ(experiment->target.compute_minor, 3);
  EXPECT_EQ(experiment->target.l2_bytes, 32 << 20);
  EXPECT_EQ(experiment->target.device_names, (std::vector<std::string>{"Mine 3000", "MINE-4000"}));
  EXPECT_EQ(experiment->known_targets.size(), tests::shipped_targets().size() + 1);
  EXPECT_NE(model::find_target(experiment->known_targets, "h200"), nullptr);
}

TEST_F(Targets, ItComesBeforeAShippedOneOfItsName) {
  files.write("experiments/targets/l4.yaml", own_text);
  files.edit("experiments/targets/l4.yaml", "name: mine", "name: l4");
  const auto experiment = load("l4");
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_TRUE(experiment->own_target);
  EXPECT_EQ(experiment->target.sm_count, 12);
  EXPECT_EQ(experiment->known_targets.size(), tests::shipped_targets().size() + 1);
}

TEST_F(Targets, APathIsAFile) {
  files.write("elsewhere/other.yaml", own_text);
  files.edit("elsewhere/other.yaml", "name: mine", "name: other");
  for (const std::string& file :
       {files.path("elsewhere/other.yaml"), std::string("../elsewhere/other.yaml")}) {
    const auto experiment = load(file);
    ASSERT_TRUE(experiment) << experiment.error().text();
    EXPECT_EQ(experiment->target.name, "other");
    EXPECT_TRUE(experiment->own_target);
  }
  const auto missing = load("../elsewhere/nothing.yaml");
  ASSERT_FALSE(missing);
  EXPECT_HAS(missing.error().text(), "nothing.yaml: cannot be read");
}

TEST_F(Targets, AShippedOneIsWrittenByNameAndAnOwnOneWhole) {
  const auto shipped = load("h200");
  ASSERT_TRUE(shipped) << shipped.error().text();
  EXPECT_FALSE(shipped->own_target);
  EXPECT_HAS(shipped->resolved_yaml, "\ntarget: h200\ndevice: virtual\n");
  // By its path, too: the runs are the same.
  const auto by_path = load(EVO_SOURCE_DIR "/targets/h200.yaml");
  ASSERT_TRUE(by_path) << by_path.error().text();
  EXPECT_EQ(by_path->resolved_yaml, shipped->resolved_yaml);

  const auto own = load("mine");
  ASSERT_TRUE(own) << own.error().text();
  files.write("run/experiment.yaml", own->resolved_yaml);
  files.write("experiments/targets/mine.yaml", "broken by now");
  const auto again = load_experiment(files.path("run/experiment.yaml"), {}, path);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->target, own->target);
  EXPECT_TRUE(again->own_target);
  EXPECT_NE(model::find_target(again->known_targets, "mine"), nullptr);
  EXPECT_EQ(again->resolved_yaml, own->resolved_yaml);
}

TEST_F(Targets, AnUnknownNameIsToldWithItsPlaceTheNearestAndAll) {
  files.edit("experiments/try.yaml", "target: l4", "target: h20");
  const auto experiment = load_experiment(files.path("experiments/try.yaml"), {}, path);
  ASSERT_FALSE(experiment);
  const std::string text = experiment.error().text();
  EXPECT_HAS(text, "try.yaml:5:9");
  EXPECT_HAS(text, "unknown target 'h20' (did you mean 'h200'?)");
  EXPECT_HAS(text, "known: a10, a100, b200, h100, h200, l4, l40s, mine, rtx4090, rtx5090");
}

TEST_F(Targets, WithoutTheKeyItIsTheDefault) {
  files.edit("experiments/try.yaml", "target: l4\n", "");
  const auto experiment = load_experiment(files.path("experiments/try.yaml"), {}, path);
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->target.name, model::default_target);
}

TEST_F(Targets, WithoutAnyTheFoldersAreNamed) {
  model::Experiment experiment;
  SearchPath nowhere;
  nowhere.target_folders = {files.path("empty/share/evo/targets")};
  const auto set = set_target(experiment, "l4", files.path("empty"), nowhere);
  ASSERT_FALSE(set);
  EXPECT_HAS(set.error().text(), files.path("empty/share/evo/targets"));
}

TEST_F(Targets, WrongFilesAreToldWithLineAndRange) {
  EXPECT_HAS(error_after("sm_count: 12", "sm_count: 0"),
             "mine.yaml:4:11: sm_count: 0 is out of range: 1 to 4096");
  EXPECT_HAS(error_after("clock_ghz: 1.5", "clock_ghz: fast"),
             "mine.yaml:5:12: clock_ghz: expected a number");
  EXPECT_HAS(error_after("l2_bytes: 33554432", "l2_byte: 33554432"),
             "mine.yaml:16:1: unknown key 'l2_byte' (did you mean 'l2_bytes'?)");
  EXPECT_HAS(error_after("l2_gb_per_s: 3000\n", ""), "the key 'l2_gb_per_s' is missing");
  EXPECT_HAS(error_after("arch: sm_103a", "arch: sm103a"),
             "mine.yaml:3:7: arch: 'sm103a' is no architecture");
  EXPECT_HAS(error_after("name: mine", "name: yours"), "a target has the name of its file");
  EXPECT_HAS(error_after("smem_per_sm_bytes: 233472", "smem_per_sm_bytes: 2048"),
             "mine.yaml:6:29: smem_per_block_optin_bytes: 232448 is more than an SM has");
  EXPECT_HAS(error_after("max_warps_per_sm: 64", "max_warps_per_sm: 16"),
             "max_threads_per_block: 1024 are more than the 16 warps");
  EXPECT_HAS(error_after("[Mine 3000,", "[\"-\","), "a device's name has letters or digits");
  EXPECT_HAS(error_after("name: mine", "name: [mine]"), "expected a single value");
}

TEST_F(Targets, EveryKeyButTwoIsNeeded) {
  for (const Key& entry : target_keys()) {
    std::string text = own_text;
    const std::size_t at = ("\n" + text).find("\n" + std::string(entry.name) + ":");
    if (at == std::string::npos) {
      EXPECT_FALSE(entry.required) << entry.name;
      continue;
    }
    text.erase(at, text.find('\n', at) + 1 - at);
    files.write("experiments/targets/mine.yaml", text);
    EXPECT_EQ(load("mine").has_value(), !entry.required) << entry.name;
  }
}

TEST_F(Targets, WithoutAFolderNothingIsKnown) {
  const auto none = load_targets({files.path("nowhere")});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  model::Experiment experiment;
  EXPECT_FALSE(set_target(experiment, "l4", files.path("nowhere"), {}));
}

TEST(Architecture, IsAWordOfNvrtc) {
  for (const char* word : {"sm_80", "sm_90a", "sm_100a", "sm_103f", "sm_120"})
    EXPECT_TRUE(is_architecture(word));
  for (const char* word :
       {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "sm_1000", "sm90", "compute_90", "sm_a", "SM_90"})
    EXPECT_FALSE(is_architecture(word)) << word;
}

/// Whatever a target's figures are, its text reads back to them.
RC_GTEST_PROP(TargetProfiles, ReadBackToThemselves, ()) {
  const auto within = [](std::string_view name) {
    const Key& entry = key(target_keys(), name);
    return *rc::gen::inRange(static_cast<std::int64_t>(std::max(1.0, entry.minimum)),
                             static_cast<std::int64_t>(entry.maximum) + 1);
  };
  TargetProfile target;
  target.name = "t" + std::to_string(within("sm_count"));
  target.description = *rc::gen::element<std::string>("", "one: two", "# three", "'", "0x10");
  target.device_names = {*rc::gen::element<std::string>("A B", "4090", "yes", "a: b", "[x")};
  target.compute_major = *rc::gen::inRange(1, 20);
  target.compute_minor = *rc::gen::inRange(0, 10);
  target.arch = "sm_" + std::to_string(10 * target.compute_major + target.compute_minor) +
                *rc::gen::element<std::string>("", "a", "f");
  target.sm_count = static_cast<int>(within("sm_count"));
  target.clock_ghz = 0.1 + 9.9 * static_cast<double>(*rc::gen::inRange(0, 1 << 30)) / (1 << 30);
  target.smem_per_sm = within("smem_per_sm_bytes");
  if (target.smem_per_sm < 1024) target.smem_per_sm = 1024;
  target.smem_per_block_optin = *rc::gen::inRange<std::int64_t>(1024, target.smem_per_sm + 1);
  target.smem_reserved_per_block = within("smem_reserved_per_block_bytes");
  target.max_warps_per_sm = static_cast<int>(within("max_warps_per_sm"));
  target.max_threads_per_block = *rc::gen::inRange(32, 32 * target.max_warps_per_sm + 1);
  target.max_blocks_per_sm = static_cast<int>(within("max_blocks_per_sm"));
  target.registers_per_sm = static_cast<int>(within("registers_per_sm"));
  target.max_registers_per_thread = static_cast<int>(within("max_registers_per_thread"));
  target.dram_gb_per_s = static_cast<double>(within("dram_gb_per_s")) / 3 + 1;
  target.l2_gb_per_s = static_cast<double>(within("l2_gb_per_s")) / 7 + 1;
  target.l2_bytes = within("l2_bytes");
  target.tensor_flops_per_cycle = static_cast<double>(within("tensor_fp16_flops_per_sm_cycle"));
  const Reader reader(YAML::Load(profile_text(target)), "text", "");
  try {
    RC_ASSERT(read_profile(reader) == target);
  } catch (const Invalid& invalid) {
    RC_FAIL(invalid.error.text() + "\n" + profile_text(target));
  }
}

}  // namespace
}  // namespace evo::config
