// A comparator's process: what it says is used, and what goes wrong with it is one line and ends nothing
// else.
#include <gmock/gmock.h>

#include "evaluators/benchmark/comparator_process.hpp"
#include "evaluators/benchmark/side_by_side.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::benchmark {
namespace {

using testing::HasSubstr;

Attempt<std::unique_ptr<ComparatorProcess>> start(const std::string& mode) {
  ComparatorOptions options;
  options.command = {EVO_FAKE_COMPARATOR, mode};
  options.timeout = std::chrono::milliseconds(500);
  return ComparatorProcess::start(options);
}

class Comparator : public testing::Test {
 protected:
  Comparator()
      : bound_(tests::vector_add_case(256, false, "even")),
        inputs_(
            oracle::make_inputs(evo::tests::known(), bound_, {"normal", "normal", {}}, {.seed = 3}).value()),
        reference_(SampledReference::make(evo::tests::known(), "vector_add", bound_, inputs_, 1).value()) {}

  std::vector<Standing> measure(ComparatorProcess& process, std::int64_t l2_bytes = 1 << 16) {
    std::vector<std::unique_ptr<Contender>> backends;
    std::vector<Entry> entries;
    for (const std::string& name : process.backends()) {
      backends.push_back(process.contender(name));
      entries.push_back({backends.back().get()});
    }
    Protocol protocol;
    protocol.rounds = 2;
    protocol.samples = 3;
    protocol.l2_bytes = l2_bytes;
    return measure_side_by_side(entries, bound_, inputs_, reference_, {"fp32", 1e-6, 1e-5}, protocol);
  }

  model::Case bound_;
  oracle::InputBuffers inputs_;
  SampledReference reference_;
};

TEST_F(Comparator, MeasuresEachBackend) {
  const auto process = start("good");
  ASSERT_TRUE(process) << process.error();
  EXPECT_EQ((*process)->name(), "Fake 1.0");
  EXPECT_EQ((*process)->uuid(), "GPU-1");
  const auto standings = measure(**process);
  ASSERT_EQ(standings.size(), 2U);
  for (const Standing& standing : standings) {
    EXPECT_EQ(standing.unavailable, "");
    ASSERT_TRUE(standing.check && standing.hot && standing.cold);
    EXPECT_TRUE(standing.check->pass);
    EXPECT_EQ(standing.hot->samples_us.size(), 6U);
    EXPECT_EQ(standing.hot->median_us, 8);
    EXPECT_GE(standing.cold->launches, standing.cold->sets);
  }
}

// It would be timed on a warm L2 beside others on a cold one.
TEST_F(Comparator, WhoDoesNotEmptyTheL2WhenAskedToGetsNoColdNumber) {
  for (const bool warm : {true, false}) {
    const auto process = start(warm ? "warm" : "good");
    ASSERT_TRUE(process) << process.error();
    for (const Standing& standing : measure(**process, 1 << 24)) {
      EXPECT_TRUE(standing.hot);
      EXPECT_NE(standing.cold.has_value(), warm);
      EXPECT_NE(standing.unavailable.empty(), warm);
    }
    for (const Standing& standing : measure(**process, 1 << 14))
      EXPECT_TRUE(standing.cold) << "enough sets need no emptying";
  }
}

TEST_F(Comparator, AWrongOutputGetsNoNumber) {
  for (const char* mode : {"wrong", "short"}) {
    const auto process = start(mode);
    ASSERT_TRUE(process);
    for (const Standing& standing : measure(**process)) {
      EXPECT_FALSE(standing.hot || standing.cold);
      EXPECT_NE(standing.unavailable, "");
    }
  }
}

TEST_F(Comparator, ABackendThatRefusesLeavesTheOthers) {
  const auto process = start("refuses");
  ASSERT_TRUE(process);
  const auto standings = measure(**process);
  EXPECT_TRUE(standings[0].hot);
  EXPECT_EQ(standings[1].unavailable, "two takes no such shape");
}

TEST_F(Comparator, OneThatDiesHangsOrLiesIsGoneForGood) {
  for (const auto& [mode, words] : {std::pair{"dies", "out of luck"},
                                    {"hangs", "no answer within 500 ms"},
                                    {"nonsense", "no JSON of its protocol"},
                                    {"negative", "no positive numbers"}}) {
    const auto process = start(mode);
    ASSERT_TRUE(process);
    for (const Standing& standing : measure(**process)) {
      EXPECT_FALSE(standing.hot) << mode;
      EXPECT_THAT(standing.unavailable, HasSubstr(words)) << mode;
      EXPECT_THAT(standing.unavailable, testing::Not(HasSubstr("\n")));
    }
  }
}

TEST(ComparatorStart, TellsWhichBackendsTakeNoPartInSweeps) {
  const auto process = start("good");
  ASSERT_TRUE(process);
  EXPECT_FALSE((*process)->contender("one")->skips_sweeps());
  EXPECT_TRUE((*process)->contender("two")->skips_sweeps());
}

TEST(ComparatorStart, SaysInOneLineWhyThereIsNone) {
  const auto none = start("no_hello");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), "no library here");
  ComparatorOptions options;
  options.command = {"/usr/bin/env", "no-such-python-anywhere"};
  const auto missing = ComparatorProcess::start(options);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error(), HasSubstr("no-such-python-anywhere"));
}

}  // namespace
}  // namespace evo::evaluators::benchmark
