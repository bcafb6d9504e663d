// What every ledger must do; each implementation runs the same suite.
#include <gtest/gtest.h>

#include <stdexcept>

#include "engine/record_hash.hpp"
#include "tests/engine/campaign_support.hpp"
#include "tests/engine/sample_records.hpp"

namespace evo::engine {
namespace {

struct MemoryFixture {
  std::unique_ptr<Ledger> make() { return make_memory_ledger(); }
};
struct SqliteFixture {
  TemporaryFolder folder;
  std::unique_ptr<Ledger> make() { return open_sqlite_ledger(folder / "ledger.sqlite", LedgerMode::create); }
};
/// The same file, opened anew before it is read.
struct ReopenedFixture : SqliteFixture {};

template <class Fixture>
class LedgerConformance : public ::testing::Test {
 protected:
  void SetUp() override { ledger_ = fixture_.make(); }
  Ledger& reopened() {
    if constexpr (std::is_same_v<Fixture, ReopenedFixture>) {
      ledger_.reset();
      ledger_ = open_sqlite_ledger(fixture_.folder / "ledger.sqlite", LedgerMode::write);
    }
    return *ledger_;
  }
  Fixture fixture_;
  std::unique_ptr<Ledger> ledger_;
};

using Implementations = ::testing::Types<MemoryFixture, SqliteFixture, ReopenedFixture>;
TYPED_TEST_SUITE(LedgerConformance, Implementations);

TYPED_TEST(LedgerConformance, ANewOneIsEmpty) {
  Ledger& ledger = this->reopened();
  EXPECT_FALSE(ledger.meta());
  EXPECT_TRUE(ledger.trials().empty());
  EXPECT_TRUE(ledger.generations().empty());
  EXPECT_TRUE(ledger.insights().empty());
  EXPECT_TRUE(ledger.events().empty());
  EXPECT_TRUE(ledger.verify().empty());
}

// A model that predicts a factor of 1 predicts a change of -0: what comes back as 0 was not altered.
TYPED_TEST(LedgerConformance, AZeroHasNoSign) {
  this->ledger_->begin(sample_meta());
  TrialRecord trial = sample_trial(0);
  trial.predicted_effect = -0.0;
  this->ledger_->commit({trial, std::nullopt, sample_insights(0), {}, sample_samples()});
  EXPECT_TRUE(this->reopened().verify().empty());
}

TYPED_TEST(LedgerConformance, KeepsEveryFieldExactly) {
  this->ledger_->begin(sample_meta());
  this->ledger_->commit({sample_trial(0),
                         std::nullopt,
                         sample_insights(0),
                         {sample_event(0), sample_event(0)},
                         sample_samples()});
  this->ledger_->commit({bare_trial(1), sample_generation(0), sample_insights(1), {}});
  Ledger& ledger = this->reopened();
  // The hash of a row covers all of its fields.
  ASSERT_TRUE(ledger.meta());
  EXPECT_EQ(row_hash("", *ledger.meta()), row_hash("", sample_meta()));
  const auto trials = ledger.trials();
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(row_hash("", trials[0]), row_hash("", sample_trial(0)));
  EXPECT_EQ(row_hash("", trials[1]), row_hash("", bare_trial(1)));
  EXPECT_EQ(trials[0].evidence, sample_trial(0).evidence);
  EXPECT_EQ(trials[0].latencies[0].latency.microseconds, 1.0 / 7);
  ASSERT_TRUE(trials[0].paired.has_value());
  EXPECT_EQ(trials[0].paired->incumbent, "incumbent");
  EXPECT_EQ(trials[0].paired->ratio, 1.0 / 3);
  EXPECT_EQ(trials[0].paired->interval, (std::array{0.3, 0.4}));
  EXPECT_EQ(trials[0].paired->rounds, 16U);
  EXPECT_EQ(trials[0].paired->timing, sample_trial(0).paired->timing);
  EXPECT_EQ(trials[0].timing, sample_trial(0).timing);
  EXPECT_EQ(ledger.samples(0), sample_samples());
  EXPECT_FALSE(trials[1].timing.has_value());
  EXPECT_TRUE(ledger.samples(1).empty()) << "none were kept";
  EXPECT_TRUE(ledger.samples(2).empty()) << "there is no such trial";
  EXPECT_TRUE(ledger.samples(-1).empty());
  ASSERT_EQ(ledger.generations().size(), 1u);
  EXPECT_EQ(row_hash("", ledger.generations()[0]), row_hash("", sample_generation(0)));
  ASSERT_EQ(ledger.insights().size(), 2u);
  EXPECT_EQ(ledger.insights()[0], sample_insights(0));
  EXPECT_EQ(ledger.insights()[1], sample_insights(1));
  ASSERT_EQ(ledger.events().size(), 2u);
  EXPECT_EQ(row_hash("", ledger.events()[0]), row_hash("", sample_event(0)));
  EXPECT_TRUE(ledger.verify().empty());
}

TYPED_TEST(LedgerConformance, GoesOnWhereItEnded) {
  this->ledger_->begin(sample_meta());
  for (int i = 0; i < 5; ++i) {
    Ledger& ledger = this->reopened();
    ledger.commit(
        {sample_trial(i), sample_generation(i), sample_insights(i), {sample_event(i)}, sample_samples()});
  }
  Ledger& ledger = this->reopened();
  EXPECT_EQ(ledger.trials().size(), 5u);
  EXPECT_EQ(ledger.samples(4), sample_samples());
  EXPECT_EQ(ledger.events().size(), 5u);
  EXPECT_EQ(ledger.events()[4].trial, 4);
  EXPECT_TRUE(ledger.verify().empty());
}

TYPED_TEST(LedgerConformance, RefusesATrialOutOfOrderAndKeepsNothingOfThatCommit) {
  this->ledger_->begin(sample_meta());
  this->ledger_->commit({sample_trial(0), std::nullopt, std::nullopt, {}});
  EXPECT_THROW(this->ledger_->commit({sample_trial(0), std::nullopt, std::nullopt, {sample_event(0)}}),
               std::logic_error);
  EXPECT_THROW(this->ledger_->commit({sample_trial(2), std::nullopt, std::nullopt, {sample_event(2)}}),
               std::logic_error);
  Ledger& ledger = this->reopened();
  EXPECT_EQ(ledger.trials().size(), 1u);
  EXPECT_TRUE(ledger.events().empty());
}

TYPED_TEST(LedgerConformance, BeginsOnce) {
  this->ledger_->begin(sample_meta());
  EXPECT_THROW(this->reopened().begin(sample_meta()), std::logic_error);
}

}  // namespace
}  // namespace evo::engine
