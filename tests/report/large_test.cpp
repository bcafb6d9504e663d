// Large runs: served before they are read, and listed in part. With bounds that a small run passes.
#include <gtest/gtest.h>

#include "report/document.hpp"
#include "report/listing.hpp"
#include "report/page.hpp"
#include "report/run_view.hpp"
#include "report/snapshot.hpp"
#include "session/variants.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

using testing::invent_run;
using testing::Invented;
using testing::Scratch;

TEST(Snapshot, OfALargeLedgerIsThereBeforeItIsRead) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 30});
  Snapshot snapshot({scratch / "run"}, {}, 1000);
  const Snapshot::Data first = snapshot.now();
  EXPECT_EQ(first.version, 0U);
  const auto reading = boost::json::parse(*first.json).as_object();
  EXPECT_TRUE(reading.at("runs").as_array().empty());
  EXPECT_EQ(reading.at("reading").at(0).as_string(), scratch / "run");
  EXPECT_EQ(reading.at("trouble").as_string(), "");
  (void)snapshot.refresh();
  EXPECT_EQ(snapshot.now().version, 1U);
  const std::string whole = embedded_json(document_of({scratch / "run"}, {}));
  EXPECT_TRUE(boost::json::parse(*snapshot.now().json).at("runs") == boost::json::parse(whole).at("runs"));
  EXPECT_NE(snapshot.now().page->find("data-version=\"1\""), std::string::npos);
  (void)snapshot.refresh();
  EXPECT_EQ(snapshot.now().version, 1U) << "nothing has changed";
}

TEST(Snapshot, SaysWhyALargeLedgerCannotBeRead) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "run");
  std::ofstream(scratch / "run/ledger.sqlite") << std::string(4096, 'x');
  EXPECT_THROW(Snapshot({scratch / "run"}, {}), model::Exception);
  Snapshot snapshot({scratch / "run"}, {}, 1000);
  (void)snapshot.refresh();
  EXPECT_EQ(snapshot.now().version, 1U);
  EXPECT_NE(boost::json::parse(*snapshot.now().json).at("trouble").as_string(), "");
  EXPECT_THROW(Snapshot({scratch / "nowhere"}, {}, 0), model::Exception);
}

TEST(Listing, KeepsWhatPeopleOpen) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 900});
  const RunView view = read_run(scratch / "run");
  EXPECT_EQ(view.ledger.trials.size(), 900U) << "all of a run of the usual size";
  const std::vector<engine::TrialRecord> kept = read_run(scratch / "run", {.most = 100}).ledger.trials;
  EXPECT_LT(kept.size(), 500U);
  EXPECT_GE(kept.size(), 100U);
  std::set<std::int64_t> indices;
  for (const engine::TrialRecord& trial : kept) indices.insert(trial.index);
  EXPECT_EQ(indices.size(), kept.size());
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(),
                             [](const auto& a, const auto& b) { return a.index < b.index; }));
  std::set<std::string> ways;
  for (const engine::TrialRecord& trial : view.ledger.trials) {
    const bool first_way =
        !trial.evidence.empty() && ways.insert(trial.template_name + ' ' + trial.reason).second;
    const bool needed = trial.index == 0 || trial.status == model::Status::better || first_way;
    EXPECT_TRUE(!needed || indices.contains(trial.index)) << trial.index;
  }
  EXPECT_TRUE(indices.contains(view.champion()->index));
  for (const engine::TrialRecord& ancestor : session::ancestors(view.ledger.trials, view.champion()->variant))
    EXPECT_TRUE(indices.contains(ancestor.index)) << ancestor.index;
  const boost::json::object whole = run_document(view);
  for (const auto& step : whole.at("path").as_array())
    EXPECT_TRUE(indices.contains(step.at("trial").as_int64()));
  EXPECT_EQ(whole.at("columns").at("left_out").to_number<int>(), 0);
}

// Hundreds were faster alone, none of which had a verdict for it, and it is nobody's parent.
TEST(Listing, WhatLedOnceIsListed) {
  Listing listing(10, 0.01);
  const auto add = [&](std::int64_t index, model::Status status, double us) {
    engine::TrialRecord trial;
    trial.index = index;
    trial.variant = std::to_string(index);
    trial.template_name = "plain";
    trial.status = status;
    trial.latencies = {{"w", 1, {model::LatencyKind::modelled, us, std::nullopt, 1, "fake"}}};
    listing.add(std::move(trial));
  };
  add(0, model::Status::proven, 100);
  add(1, model::Status::better, 90);
  for (std::int64_t index = 2; index < 400; ++index) add(index, model::Status::correct_slower, 50);
  add(400, model::Status::better, 20);
  const std::vector<std::int64_t> wanted = listing.wanted(std::nullopt);
  EXPECT_TRUE(std::ranges::count(wanted, 1));
  EXPECT_TRUE(std::ranges::count(wanted, 400));
  EXPECT_LT(wanted.size(), 300U);
}

TEST(Listing, WhatIsOfAllTrialsDoesNotDependOnIt) {
  const std::vector<Invented> runs{
      {.trials = 250},
      {.trials = 250, .measured = false},
      {.trials = 250, .finished = false, .models = true, .bandit = true},
      {.trials = 250, .screened = true},
      {.trials = 250, .models = true, .bandit = true, .checks = true, .seed = 3}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Scratch scratch;
    invent_run(scratch / "run", runs[i]);
    const boost::json::object whole = run_document(read_run(scratch / "run"));
    const boost::json::object part = run_document(read_run(scratch / "run", {.most = 50}));
    for (const auto& [key, value] : whole) {
      if (key == "columns" || key == "notices" || key.starts_with("evidence")) continue;
      EXPECT_TRUE(part.at(key) == value) << i << ": " << key << "\n" << part.at(key) << "\n" << value;
    }
    const auto& columns = part.at("columns").as_object();
    EXPECT_EQ(
        columns.at("count").to_number<std::int64_t>() + columns.at("left_out").to_number<std::int64_t>(),
        runs[i].trials);
    EXPECT_GT(columns.at("left_out").to_number<std::int64_t>(), 0);
    double until = 0;
    std::size_t row = 0;
    const auto& every = whole.at("columns").at("device_seconds").as_array();
    for (std::size_t trial = 0; trial < every.size(); ++trial) {
      until += every[trial].to_number<double>();
      if (row == columns.at("index").as_array().size() ||
          columns.at("index").at(row).to_number<std::size_t>() != trial)
        continue;
      EXPECT_NEAR(columns.at("device_seconds_until").at(row++).to_number<double>(), until, 1e-4);
    }
  }
}

TEST(Listing, TheChampionThatWasProvenIsListedWhoeverItIs) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 600});
  // The slowest one that nothing else lists.
  std::set<std::int64_t> listed;
  for (const engine::TrialRecord& trial : read_run(scratch / "run", {.most = 100}).ledger.trials)
    listed.insert(trial.index);
  const RunView before = read_run(scratch / "run");
  const engine::TrialRecord* other = nullptr;
  for (const engine::TrialRecord& trial : before.ledger.trials) {
    if (trial.status != model::Status::correct_slower || listed.contains(trial.index)) continue;
    if (other == nullptr || trial.latency()->microseconds > other->latency()->microseconds) other = &trial;
  }
  ASSERT_NE(other, nullptr);
  {
    const auto ledger = engine::open_sqlite_ledger(scratch / "run/ledger.sqlite", engine::LedgerMode::write);
    engine::Commit commit;
    commit.events = {{engine::event_kinds::champion_proven, other->index, {{"variant", other->variant}}}};
    ledger->commit(commit);
  }
  const RunView part = read_run(scratch / "run", {.most = 100});
  ASSERT_NE(part.champion(), nullptr);
  EXPECT_EQ(part.champion()->variant, other->variant);
  EXPECT_TRUE(run_document(part).at("path") == run_document(read_run(scratch / "run")).at("path"));
}

TEST(Listing, EachTrialIsSeenOnceAndInOrder) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 120});
  std::int64_t next = 0;
  const auto see = [&](const RunView& view, const engine::TrialRecord& trial) {
    EXPECT_TRUE(view.has_experiment);
    EXPECT_EQ(trial.index, next++);
  };
  const RunView view = read_run(scratch / "run", {.most = 10, .see = see});
  EXPECT_EQ(next, 120);
  EXPECT_EQ(view.all.count, 120);
}

}  // namespace
}  // namespace evo::report
