// What a kernel's code asks of several sizes at once.
#include "evaluators/gates/size_predicates.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates::size_predicates_cases {
namespace {

using Truths = std::vector<std::optional<bool>>;
constexpr auto nobody = std::nullopt;

/// k(y, s32 m, s32 n), whose body begins with %r1 = m, %r2 = n.
class Asked {
 public:
  explicit Asked(const std::string& body)
      : module_(
            ".version 8.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, .param .u32 k_param_2)\n{\n"
            ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"
            "ld.param.u32 %r1, [k_param_1];\nld.param.u32 %r2, [k_param_2];\nmov.u32 %r9, %tid.x;\n" +
            body + "ret;\n}\n"),
        predicates_(module_, "k") {
    EXPECT_FALSE(module_.unreadable());
  }
  [[nodiscard]] std::size_t count() const { return predicates_.count(); }
  [[nodiscard]] Truths at(std::int64_t m, std::int64_t n) const {
    return predicates_.values(std::vector<std::int64_t>{0, m, n});
  }

 private:
  code::PtxModule module_;
  SizePredicates predicates_;
};

TEST(SizePredicates, EqualsAndNeighbours) {
  const Asked next("add.s32 %r3, %r2, 1;\nsetp.eq.s32 %p1, %r1, %r3;\n");
  ASSERT_EQ(next.count(), 1U);
  EXPECT_EQ(next.at(5, 4), Truths{true});
  EXPECT_EQ(next.at(5, 5), Truths{false});
}

// Each has two ways down to the one before.
TEST(SizePredicates, SquaresOfSquaresAreLookedAtOnce) {
  std::string body = ".reg .b32 %s<50>;\nmul.lo.s32 %s1, %r1, %r1;\n";
  for (int i = 1; i < 40; ++i)
    body += "mul.lo.s32 %s" + std::to_string(i + 1) + ", %s" + std::to_string(i) + ", %s" +
            std::to_string(i) + ";\n";
  const Asked asked(body + "setp.eq.s32 %p1, %s40, %r2;\n");
  ASSERT_EQ(asked.count(), 1U);
  EXPECT_EQ(asked.at(1, 1), Truths{true});
  EXPECT_EQ(asked.at(1, 2), Truths{false});
}

TEST(SizePredicates, QuotientsAndRemainders) {
  const Asked twice("div.s32 %r3, %r1, %r2;\nsetp.eq.s32 %p1, %r3, 2;\n");
  EXPECT_EQ(twice.at(9, 4), Truths{true});
  EXPECT_EQ(twice.at(12, 4), Truths{false});
  EXPECT_EQ(twice.at(9, 0), Truths{nobody}) << "a division by 0";
  const Asked whole("rem.s32 %r3, %r1, %r2;\nsetp.ne.s32 %p1, %r3, 0;\n");
  EXPECT_EQ(whole.at(12, 4), Truths{false});
  EXPECT_EQ(whole.at(-13, 4), Truths{true});
}

TEST(SizePredicates, WhatIsMadeOfOthersIsOneToo) {
  const Asked both(
      "setp.gt.s32 %p1, %r1, %r2;\nrem.s32 %r3, %r1, %r2;\nsetp.eq.s32 %p2, %r3, 0;\n"
      "and.pred %p3, %p1, %p2;\nnot.pred %p4, %p3;\n");
  ASSERT_EQ(both.count(), 4U);
  EXPECT_EQ(both.at(8, 4), (Truths{true, true, true, false}));
  EXPECT_EQ(both.at(4, 4), (Truths{false, true, false, true}));
}

TEST(SizePredicates, InTheWidthOfTheInstruction) {
  const Asked wide(
      "mul.lo.s32 %r3, %r1, %r2;\nsetp.lt.s32 %p1, %r3, 0;\nmul.wide.s32 %rd1, %r1, %r2;\n"
      "setp.lt.s64 %p2, %rd1, 0;\nshr.u32 %r4, %r3, 31;\nsetp.ne.s32 %p3, %r4, 0;\n");
  EXPECT_EQ(wide.at(65536, 40000), (Truths{true, false, true}));
  EXPECT_EQ(wide.at(65536, 2), (Truths{false, false, false}));
  EXPECT_EQ(wide.at(-3, 2), (Truths{true, true, true}));
}

TEST(SizePredicates, NotOfOneSizeNorOfAThread) {
  EXPECT_EQ(Asked("setp.eq.s32 %p1, %r1, 7;\n").count(), 0U) << "named sizes are shown anyway";
  EXPECT_EQ(Asked("add.s32 %r3, %r2, %r9;\nsetp.eq.s32 %p1, %r1, %r3;\n").count(), 0U);
  EXPECT_EQ(Asked("mov.u32 %r3, %r2;\nsetp.eq.s32 %p1, %r1, %r3;\nadd.s32 %r3, %r3, 1;\n").count(), 0U)
      << "written twice";
  EXPECT_EQ(Asked("@%p8 mov.u32 %r3, %r2;\nsetp.eq.s32 %p1, %r1, %r3;\n").count(), 0U)
      << "in some threads alone";
}

}  // namespace
}  // namespace evo::evaluators::gates::size_predicates_cases
