// A kernel and another contender in turn: who begins, what is loaded afresh, and whose fault a failure is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "evaluators/benchmark/against.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::benchmark {
namespace {

class OneThatNotesTurns final : public Contender {
 public:
  OneThatNotesTurns(std::string name, double us, std::string& turns)
      : name_(std::move(name)), us_(us), turns_(turns) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Attempt<Outputs> compute(const model::Case&, const oracle::InputBuffers&) override {
    ++computed;
    return Outputs{std::vector<std::byte>(1, std::byte{computed == wrong_at})};
  }
  [[nodiscard]] Attempt<std::vector<double>> time(const TimingRequest& request) override {
    if (fails) return tl::make_unexpected(std::string("it broke"));
    requests.push_back(request);
    turns_ += name_;
    return std::vector<double>(static_cast<std::size_t>(request.samples), us_);
  }
  void release() override { ++releases; }

  int computed = 0, wrong_at = -1, releases = 0;
  bool fails = false;
  std::vector<TimingRequest> requests;

 private:
  std::string name_;
  double us_;
  std::string& turns_;
};

struct Against : ::testing::Test {
  model::Case bound = tests::vector_add_case(256, false, "even");
  oracle::InputBuffers inputs =
      oracle::make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
  std::string turns;
  OneThatNotesTurns kernel{"k", 5, turns}, other{"o", 6, turns};
  AgainstProtocol protocol;
  Attempt<AgainstTimes> time() {
    protocol.l2_bytes = 1 << 20;
    return time_against(
        kernel, other, bound, inputs,
        [](const Contender&, const Outputs& outputs) {
          return outputs[0][0] == std::byte{0} ? std::string() : std::string("bad");
        },
        protocol);
  }
};

TEST_F(Against, EachHasATurnInEveryRoundAndBeginsOneOfTwo) {
  const auto times = time();
  ASSERT_TRUE(times);
  EXPECT_EQ(times->kernel_us, std::vector<double>(28, 5));
  EXPECT_EQ(times->other_us, std::vector<double>(28, 6));
  ASSERT_EQ(turns.size(), 1U + 2 * 28) << "one turn says how many launches fill a sample";
  for (std::size_t i = 1; i < turns.size(); i += 4) {
    EXPECT_NE(turns[i], turns[i + 1]);
    EXPECT_NE(turns[i], turns[i + 2]);
  }
  protocol.seed = 2;
  const std::string before = std::exchange(turns, {});
  ASSERT_TRUE(time());
  EXPECT_NE(turns, before) << "who begins is drawn";
}

TEST_F(Against, TheKernelIsLoadedAfreshEverySecondRound) {
  ASSERT_TRUE(time());
  EXPECT_EQ(kernel.computed, 14);
  EXPECT_EQ(kernel.releases, 14);
  EXPECT_EQ(other.computed, 1);
}

TEST_F(Against, BothGetTheSameLaunchesHotAndCold) {
  ASSERT_TRUE(time());
  EXPECT_EQ(kernel.requests.back().sets, other.requests.back().sets);
  EXPECT_EQ(kernel.requests.back().launches, other.requests.back().launches);
  const int hot = kernel.requests.back().sets;
  protocol.cold = true;
  ASSERT_TRUE(time());
  EXPECT_GT(other.requests.back().sets, hot);
  EXPECT_EQ(other.requests.back().launches, other.requests.back().sets) << "the L2 is emptied once a sample";
  EXPECT_EQ(other.requests.back().emptying_bytes, 5 << 20);
  EXPECT_EQ(kernel.requests.back().emptying_bytes, 5 << 20);
  EXPECT_EQ(kernel.requests.front().emptying_bytes, 0) << "hot";
}

TEST_F(Against, WhoFailsIsTold) {
  other.wrong_at = 1;
  const auto wrong = time();
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().find("the champion"), std::string::npos);
  EXPECT_NE(wrong.error().find("bad"), std::string::npos);
  EXPECT_TRUE(turns.empty()) << "a wrong one is never timed";
  other.wrong_at = -1;
  other.fails = true;
  EXPECT_EQ(time().error(), "it broke");
  kernel.wrong_at = kernel.computed + 1;
  EXPECT_NE(time().error().find("the champion"), std::string::npos);
}

TEST_F(Against, AKernelThatIsWrongAtALaterLoadIsSeen) {
  kernel.wrong_at = 9;
  ASSERT_FALSE(time());
}

}  // namespace
}  // namespace evo::evaluators::benchmark
