// What the compiler got of a variant, what it made of it, and what the virtual device counted.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "report/document.hpp"
#include "session/profile_file.hpp"
#include "tests/report/invented_ptx.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;
using testing::Scratch;

struct InventedCode {
  Scratch scratch;
  RunView view;
  json::object without, with;
};

/// A run, and its document before and after its PTX came into the cache.
const InventedCode& invented_code() {
  static const InventedCode& made = *[] {
    auto* code = new InventedCode;
    ::setenv("XDG_CACHE_HOME", (code->scratch / "cache").c_str(), 1);
    testing::invent_run(code->scratch / "run", {.trials = 60, .population = 20});
    code->view = read_run(code->scratch / "run");
    code->without = run_document(code->view);
    testing::store_invented_ptx(code->scratch / "run");
    code->with = run_document(code->view);
    return code;
  }();
  return made;
}

std::string text_of(const json::value& texts, const json::value& entry) {
  std::string text;
  for (const json::value& part : entry.at("source").as_array())
    for (std::int64_t i = 0; i < part.at(1).as_int64(); ++i)
      text +=
          std::string(texts.at("lines").at(static_cast<std::size_t>(part.at(0).as_int64() + i)).as_string()) +
          '\n';
  return text;
}

TEST(Code, PtxIsWhatTheCacheHolds) {
  const InventedCode& code = invented_code();
  EXPECT_TRUE(code.without.at("ptx").at("of").as_array().empty());
  EXPECT_EQ(code.without.at("ptx").at("missing").to_number<std::size_t>(),
            code.without.at("sources").at("of").as_array().size());
  const json::value& ptx = code.with.at("ptx");
  EXPECT_EQ(ptx.at("missing").to_number<int>(), 0);
  ASSERT_FALSE(ptx.at("of").as_array().empty());
  const json::value& champion = ptx.at("of").at(0);
  EXPECT_EQ(champion.at("trial"), code.with.at("champion_trial"));
  const auto& trial = code.view.ledger.trials.at(static_cast<std::size_t>(champion.at("trial").as_int64()));
  const model::Template* kernel = code.view.experiment.problem.find_template(trial.template_name);
  const auto context = evaluators::gates::make_context(code.view.experiment, *kernel);
  const auto bound = evaluators::gates::bind_variant(context, trial.genome);
  ASSERT_TRUE(bound);
  EXPECT_EQ(text_of(ptx, champion),
            testing::invented_ptx(model::render_entry(*kernel, context.space, trial.genome),
                                  bound->workloads.front(), trial.template_name + ".cu",
                                  std::hash<std::string>{}(trial.variant)));
}

TEST(Code, CountersAreThoseOfOneLaunch) {
  const InventedCode& code = invented_code();
  for (const json::value& entry : code.without.at("counters").at("of").as_array()) {
    EXPECT_TRUE(entry.at("counts").is_null()) << "no PTX, no count";
    EXPECT_FALSE(entry.at("occupancy").is_null());
  }
  const json::value& counters = code.with.at("counters");
  EXPECT_EQ(counters.at("basis"), "virtual_device");
  EXPECT_EQ(counters.at("uncounted").to_number<int>(), 0);
  // The baseline and each trial of the path, on both workloads.
  std::set<std::int64_t> trials{0};
  for (const json::value& step : code.with.at("path").as_array()) trials.insert(step.at("trial").as_int64());
  ASSERT_EQ(counters.at("of").as_array().size(), 2 * trials.size());
  for (const json::value& entry : counters.at("of").as_array()) {
    const json::value& occupancy = entry.at("occupancy");
    const auto blocks = occupancy.at("blocks").to_number<std::uint64_t>();
    const auto warps = (occupancy.at("threads_per_block").to_number<std::uint64_t>() + 31) / 32;
    EXPECT_EQ(entry.at("counts").at("barriers").to_number<std::uint64_t>(), blocks * warps);
    EXPECT_EQ(entry.at("counts").at("global_accesses").to_number<int>(), 0);
    EXPECT_GT(entry.at("model").at("microseconds").to_number<double>(), 0);
    EXPECT_TRUE(entry.at("model")
                    .at("parts_us")
                    .as_object()
                    .contains(entry.at("model").at("bottleneck").as_string()));
  }
}

TEST(Code, AVariantThatFitsOnNoSmHasCountsAndNoModelledLatency) {
  RunView view = invented_code().view;
  view.experiment.target.registers_per_sm = 1;
  const json::object document = run_document(view);
  const json::array& entries = document.at("counters").at("of").as_array();
  ASSERT_FALSE(entries.empty());
  for (const json::value& entry : entries) {
    EXPECT_EQ(entry.at("occupancy").at("blocks_per_sm"), 0);
    EXPECT_TRUE(entry.at("counts").is_object());
    EXPECT_TRUE(entry.at("model").is_null());
  }
}

TEST(Code, WhatWasCountedIsNotCountedAgain) {
  const InventedCode& code = invented_code();
  Remembered remembered;
  const json::object once = run_document(code.view, &remembered);
  ASSERT_FALSE(remembered.counters.empty());
  for (auto& [key, counted] : remembered.counters) counted["counts"] = json::object{{"barriers", 12345}};
  const json::object again = run_document(code.view, &remembered);
  EXPECT_EQ(again.at("counters").at("of").at(0).at("counts").at("barriers"), 12345);
}

TEST(Code, StoredProfilesComeMeasuredFirstAndBrokenOnesAreTold) {
  const InventedCode& code = invented_code();
  EXPECT_TRUE(code.with.at("profiles").as_array().empty()) << "an old run has none";
  const engine::TrialRecord* champion = code.view.champion();
  ASSERT_NE(champion, nullptr);
  const model::KernelCounters counted{"w0", "k", {{"dram_percent", 71}}, {}, {{"k.cu", 3, 9}}};
  session::StoredProfile profile{champion->variant, champion->template_name, {}, {}};
  profile.modelled = model::CounterReading{model::CounterBasis::modelled, "a model", "l4", {counted}};
  session::store_profile(code.view.folder, profile);
  profile.modelled.reset();
  profile.measured = model::CounterReading{model::CounterBasis::measured, "a profiler", "a GPU", {counted}};
  session::store_profile(code.view.folder, profile);
  const json::object document = run_document(code.view);
  const json::array& profiles = document.at("profiles").as_array();
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles[0].at("basis"), "measured");
  EXPECT_EQ(profiles[1].at("basis"), "modelled") << "kept of the file that was there";
  EXPECT_EQ(profiles[0].at("trial").as_int64(), champion->index);
  EXPECT_EQ(profiles[0].at("limited_by"), "dram_percent");
  EXPECT_EQ(profiles[0].at("counters").at("dram_percent").to_number<double>(), 71);
  std::ofstream(session::profile_file(code.view.folder, champion->variant)) << "{";
  const json::object broken = run_document(code.view);
  EXPECT_TRUE(broken.at("profiles").as_array().empty());
  EXPECT_EQ(broken.at("notices").as_array().size(), document.at("notices").as_array().size() + 1);
  std::filesystem::remove(session::profile_file(code.view.folder, champion->variant));
}

TEST(Code, AChangedProblemHasNoCode) {
  RunView changed = invented_code().view;
  for (engine::TrialRecord& trial : changed.ledger.trials) trial.source_hash = std::string(64, '0');
  const json::object document = run_document(changed);
  EXPECT_TRUE(document.at("ptx").at("of").as_array().empty());
  EXPECT_TRUE(document.at("counters").at("of").as_array().empty());
  EXPECT_FALSE(document.at("notices").as_array().empty());
}

TEST(Code, ChecksOfTheChampionHaveTheirStatus) {
  const Scratch scratch;
  testing::invent_run(scratch / "run", {.trials = 30, .population = 10, .checks = true});
  const json::object document = run_document(read_run(scratch / "run"));
  const json::array& checks = document.at("insight_checks").as_array();
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].at("status"), "confirmed");
  EXPECT_GT(checks[0].at("interval").at(0).to_number<double>(), 1.05);
  EXPECT_EQ(checks[1].at("status"), "refuted");
  EXPECT_EQ(document.at("final_verdict").at("decision"), "promoted");
  for (const json::value& event : document.at("events").as_array())
    EXPECT_FALSE(event.at("details").as_object().contains("check")) << "samples have no place in a page";
}

}  // namespace
}  // namespace evo::report
