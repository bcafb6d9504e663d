// When outputs agree with a mistake: much better than with what is correct, and only where that is another
// answer.
#include "diagnose/answer_list.hpp"

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::diagnose {
namespace {

constexpr std::size_t count = 4, output = 2;

struct Weighed : ::testing::Test {
  /// How many answers there are where the outputs are `actual`, correct is `correct`, and a mistake would
  /// give `mistaken`; all elements alike.
  [[nodiscard]] std::size_t answers(double actual, double correct, double mistaken,
                                    bool fitting = false) const {
    Observation seen;
    seen.bound = tests::vector_add_case(count);
    seen.contents.resize(seen.bound.arguments.size());
    seen.references.resize(seen.bound.arguments.size());
    seen.contents[output].resize(4 * count);
    for (std::size_t e = 0; e < count; ++e)
      evaluators::oracle::store_element(model::DType::f32, actual, seen.contents[output].data() + 4 * e);
    seen.references[output].assign(count, correct);
    AnswerList list(subject, seen, *tests::known().find_oracle("vector_add"), fitting);
    list.look_at(output);
    list.weigh("mistake", "a", "a mistake", std::vector<double>(count, mistaken));
    return list.take().size();
  }
  Weighed() { subject.tolerance.relative_frobenius = 1e-4; }
  Subject subject;
};

TEST_F(Weighed, AnAnswerAgreesClosely) {
  EXPECT_EQ(answers(2, 1, 2), 1U);
  EXPECT_EQ(answers(2, 1, 2.01), 0U) << "five thousandths off, and a half nearer than what is correct";
  EXPECT_EQ(answers(2, 1, 2.01, true), 0U);
}

TEST_F(Weighed, AnAnswerAgreesMuchBetterThanTheCorrectOneDoes) {
  EXPECT_EQ(answers(1.0003, 1, 1.00055), 0U) << "outputs that lie between both";
  EXPECT_EQ(answers(1.0005, 1, 1.0005), 1U);
}

TEST_F(Weighed, AnAnswerThatIsCorrectHereSaysNothing) {
  EXPECT_EQ(answers(1, 1, 1), 0U);
  EXPECT_EQ(answers(1, 1, 1, true), 1U) << "what would fit is asked for";
}

}  // namespace
}  // namespace evo::diagnose
