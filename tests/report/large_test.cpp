// Large runs: served before they are read, and listed in part. With bounds that a small run passes.
#include <gtest/gtest.h>

#include "report/document.hpp"
#include "report/page.hpp"
#include "report/snapshot.hpp"
#include "report/thin.hpp"
#include "session/variants.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

using testing::invent_run;
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

TEST(Thin, KeepsWhatPeopleOpen) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 900});
  const RunView view = read_run(scratch / "run");
  EXPECT_EQ(thinned(view).size(), 900U) << "all of a run of the usual size";
  const std::vector<engine::TrialRecord> kept = thinned(view, 100);
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
  const boost::json::object whole = run_document(view);
  for (const auto& step : whole.at("path").as_array())
    EXPECT_TRUE(indices.contains(step.at("trial").as_int64()));
  EXPECT_EQ(whole.at("columns").at("left_out").to_number<int>(), 0);
}

}  // namespace
}  // namespace evo::report
