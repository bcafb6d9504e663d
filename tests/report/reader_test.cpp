// A run that is read again while it goes on, and what differs between two of its documents.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "engine/economics.hpp"
#include "report/bandit_output.hpp"
#include "report/changes.hpp"
#include "report/columns.hpp"
#include "report/document.hpp"
#include "report/economics_output.hpp"
#include "report/json_output.hpp"
#include "report/model_counts.hpp"
#include "report/run_reader.hpp"
#include "report/screen_output.hpp"
#include "report/snapshot.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;
using testing::invent_run;
using testing::Invented;
using testing::Scratch;

/// The trials of `whole` from its ledger, committed to another one bit by bit.
class Grown {
 public:
  Grown(const Scratch& scratch, const Invented& wanted) : folder_(scratch / "grown") {
    invent_run(scratch / "whole", wanted);
    all_ = engine::read_remains(scratch / "whole/ledger.sqlite");
    std::filesystem::create_directories(folder_);
    std::filesystem::copy(scratch / "whole/experiment.yaml", folder_ + "/experiment.yaml");
    ledger_ = engine::open_sqlite_ledger(folder_ + "/ledger.sqlite", engine::LedgerMode::create);
    ledger_->begin(*all_.meta);
  }

  /// Trials up to `end`, with the records of generations that end there and the events up to there.
  void grow(std::int64_t end) {
    for (; at_ < end; ++at_) {
      engine::Commit commit;
      commit.trial = all_.trials.at(static_cast<std::size_t>(at_));
      if (generation_ < all_.generations.size() && ++of_it_ == all_.generations[generation_].trials) {
        commit.generation = all_.generations[generation_];
        if (generation_ < all_.insights.size()) commit.insights = all_.insights[generation_];
        ++generation_;
        of_it_ = 0;
      }
      for (; event_ < all_.events.size() && all_.events[event_].trial <= at_; ++event_)
        commit.events.push_back(all_.events[event_]);
      ledger_->commit(commit);
    }
  }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  engine::LedgerRemains all_;
  std::unique_ptr<engine::Ledger> ledger_;
  std::int64_t at_ = 0, of_it_ = 0;
  std::size_t generation_ = 0, event_ = 0;
};

json::value applied(json::value before, const json::value& change) {
  const json::object& one = change.as_object();
  if (const json::value* value = one.if_contains("=")) return *value;
  if (const json::value* more = one.if_contains("+")) {
    json::array& list = before.as_array();
    list.insert(list.end(), more->as_array().begin(), more->as_array().end());
    return before;
  }
  for (const auto& [key, inner] : one.at("at").as_object()) {
    json::value& place =
        before.is_array() ? before.as_array()[std::stoul(std::string(key))] : before.as_object()[key];
    place = applied(std::move(place), inner);
  }
  if (const json::value* gone = one.if_contains("-"))
    for (const json::value& key : gone->as_array()) before.as_object().erase(key.as_string());
  return before;
}

/// What a view says, but for what takes long: sources, and launches that are counted.
json::object said(const RunView& view) {
  json::array until, notices;
  for (const double seconds : view.all.device_seconds_until) until.emplace_back(seconds);
  for (const std::string& notice : view.notices) notices.emplace_back(notice);
  const auto& champion = view.result.progress.champion;
  return {
      {"run", run_to_json("run", view.experiment, view.ledger.meta.value(), view.result)},
      {"columns", columns_of(view.ledger.trials)},
      {"until", std::move(until)},
      {"missing", view.all.missing},
      {"funnel", to_json(view.all.funnel)},
      {"bandit", bandit_json(view.all.bandit)},
      {"models", models_json(view.experiment, view.ledger.events, view.all.models)},
      {"screening", screen_json(session::screen_report(view.all.screened, view.ledger.events))},
      {"economics", economics_json(engine::economics_of(view.experiment, view.all.costs, view.ledger.events,
                                                        false, champion ? &*champion : nullptr))},
      {"insights", insights_to_json(view.ledger.insights)},
      {"generations", view.ledger.generations.size()},
      {"events", view.ledger.events.size()},
      {"state", name_of(view.state)},
      {"notices", std::move(notices)}};
}

TEST(RunReader, OfALedgerThatGrowsSaysWhatAWholeReadingSays) {
  // All of it listed, a part from the begin, and a part from the middle on.
  const std::vector<std::pair<std::size_t, Invented>> runs{
      {most_trials, {.trials = 300, .models = true, .bandit = true, .checks = true}},
      {20, {.trials = 300, .measured = false, .finished = false}},
      {120, {.trials = 300, .models = true, .bandit = true}},
      {120, {.trials = 300, .screened = true}}};
  for (const auto& [most, wanted] : runs) {
    const Scratch scratch;
    Grown run(scratch, wanted);
    Remembered remembered;  // how large the space is takes a while to find out
    std::int64_t seen = 0;
    const auto see = [&](const RunView&, const engine::TrialRecord& trial) {
      EXPECT_EQ(trial.index, seen++);
    };
    RunReader reader(run.folder(), {.remembered = &remembered, .most = most, .see = see});
    for (const std::int64_t end : {1, 2, 50, 119, 121, 121, 250, 300}) {
      run.grow(end);
      const json::object grown = said(reader.read());
      const json::object whole = said(read_run(run.folder(), {.remembered = &remembered, .most = most}));
      for (const auto& [key, value] : whole)
        EXPECT_TRUE(grown.at(key) == value) << end << " of at most " << most << ": " << key;
      EXPECT_EQ(seen, end);
    }
    EXPECT_EQ(reader.rounds(), 1) << "the whole was read once";
  }
}

TEST(RunReader, ReadsAllAgainWhereTheLedgerIsAnotherOne) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 60});
  RunReader reader(scratch / "run");
  EXPECT_EQ(reader.read().all.count, 60);
  EXPECT_EQ(reader.read().all.count, 60);
  EXPECT_EQ(reader.rounds(), 1);
  // As many trials, so that nothing is new but all is different.
  std::filesystem::remove_all(scratch / "run");
  invent_run(scratch / "run", {.trials = 60, .seed = 8});
  EXPECT_EQ(reader.read().all.count, 60);
  EXPECT_EQ(reader.rounds(), 2);
  EXPECT_TRUE(said(reader.read()) == said(read_run(scratch / "run")));
}

// No other table has rows that would tell.
TEST(RunReader, ReadsAllAgainWhereTheTrialsAloneAreOthers) {
  const Scratch scratch;
  const auto write = [&](std::uint32_t seed) {
    for (const char* folder : {"whole", "run"}) std::filesystem::remove_all(scratch / folder);
    invent_run(scratch / "whole", {.trials = 40, .seed = seed});
    std::filesystem::create_directories(scratch / "run");
    std::filesystem::copy(scratch / "whole/experiment.yaml", scratch / "run/experiment.yaml");
    const engine::LedgerRemains all = engine::read_remains(scratch / "whole/ledger.sqlite");
    const auto ledger = engine::open_sqlite_ledger(scratch / "run/ledger.sqlite", engine::LedgerMode::create);
    ledger->begin(*all.meta);
    for (const engine::TrialRecord& trial : all.trials) {
      engine::Commit commit;
      commit.trial = trial;
      ledger->commit(commit);
    }
  };
  write(7);
  RunReader reader(scratch / "run");
  EXPECT_EQ(reader.read().all.count, 40);
  EXPECT_EQ(reader.read().all.count, 40);
  EXPECT_EQ(reader.rounds(), 1);
  write(8);
  EXPECT_TRUE(said(reader.read()) == said(read_run(scratch / "run")));
  EXPECT_EQ(reader.rounds(), 2);
}

TEST(RunReader, TellsOfDamageInWhatIsNew) {
  const Scratch scratch;
  Grown run(scratch, {.trials = 60, .finished = false});
  run.grow(50);
  RunReader reader(run.folder());
  EXPECT_TRUE(reader.read().ledger.issues.empty());
  run.grow(60);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((run.folder() + "/ledger.sqlite").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "UPDATE trials SET operator = 'another' WHERE trial = 55", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const RunView& view = reader.read();
  ASSERT_FALSE(view.ledger.issues.empty());
  EXPECT_EQ(view.ledger.issues.front().row, 55);
  EXPECT_EQ(view.all.count, 60);
  EXPECT_EQ(reader.rounds(), 2);
}

TEST(Changes, LeadFromOneDocumentToTheNext) {
  const Scratch scratch;
  Grown run(scratch, {.trials = 300, .models = true, .bandit = true, .checks = true});
  RunReader reader(run.folder());
  run.grow(50);
  json::value before = said(reader.read());
  for (const std::int64_t end : {51, 52, 299, 300}) {
    run.grow(end);
    const json::value after = said(reader.read());
    const auto change = changes(before, after);
    ASSERT_TRUE(change);
    EXPECT_TRUE(applied(before, *change) == after) << end;
    EXPECT_TRUE(change->at("at").at("columns").at("at").at("variant").as_object().contains("+"))
        << "rows that are there are not sent again";
    before = after;
  }
  EXPECT_FALSE(changes(before, before));
}

TEST(Changes, SayWhatIsGoneAndWhatIsAnother) {
  const json::value a =
      json::parse(R"({"x":[1,2],"gone":1,"same":{"k":[1]},"list":[{"v":1},{"v":2}],"kind":1})");
  const json::value b =
      json::parse(R"({"x":[2,2,3],"same":{"k":[1]},"list":[{"v":1},{"v":3}],"kind":"one"})");
  const auto change = changes(a, b);
  ASSERT_TRUE(change);
  EXPECT_EQ(
      json::serialize(*change),
      R"({"at":{"x":{"=":[2,2,3]},"list":{"at":{"1":{"at":{"v":{"=":3}}}}},"kind":{"=":"one"}},"-":["gone"]})");
  EXPECT_TRUE(applied(a, *change) == b);
}

TEST(Snapshot, KeepsWhatHasChangedForThoseWhoFollow) {
  const Scratch scratch;
  Grown run(scratch, {.trials = 200, .finished = false});
  const engine::RunLock held(run.folder());
  run.grow(50);
  Snapshot snapshot({run.folder()}, {});
  json::value shown = json::parse(*snapshot.now().json);
  for (const std::int64_t end : {60, 70, 120}) {
    // The clock of a file system may be coarse.
    run.grow(end);
    std::filesystem::last_write_time(
        run.folder() + "/ledger.sqlite",
        std::filesystem::file_time_type::clock::now() + std::chrono::seconds(end));
    (void)snapshot.refresh();
  }
  EXPECT_EQ(snapshot.now().version, 4U);
  const json::value steps = json::parse(snapshot.now().since(1));
  ASSERT_EQ(steps.as_array().size(), 3U);
  for (const json::value& step : steps.as_array()) shown = applied(shown, step);
  EXPECT_TRUE(shown == json::parse(*snapshot.now().json));
  EXPECT_EQ(snapshot.now().since(4), "[]");
  EXPECT_EQ(snapshot.now().since(0), "null");
  EXPECT_EQ(snapshot.now().since(5), "null") << "of a version that is not there yet";
  EXPECT_LT(snapshot.now().since(3).size(), snapshot.now().json->size());
}

}  // namespace
}  // namespace evo::report
