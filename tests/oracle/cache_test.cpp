#include "evaluators/oracle/reference_cache.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

const model::InputSet normal{"normal", "normal", {}};

TEST(ReferenceCache, MakesEachEntryOnce) {
  ReferenceCache cache(evo::tests::known());
  const model::Case bound = tests::vector_add_case(100);
  const auto first = cache.get("vector_add", bound, normal, {.seed = 1});
  EXPECT_EQ(first, cache.get("vector_add", bound, normal, {.seed = 1}));
  EXPECT_EQ(cache.usage().computed, 1);
  EXPECT_NE(first, cache.get("vector_add", bound, normal, {.seed = 2}));
  EXPECT_NE(first, cache.get("vector_add", bound, normal, {.seed = 1, .rotation = 1}));
  EXPECT_NE(first, cache.get("vector_add", bound, {"normal", "normal", {{"mean", 1}}}, {.seed = 1}));
  EXPECT_EQ(cache.usage().computed, 4);
}

// Same name, other strides: the launch plan may differ between variants, the data may not be mixed up.
TEST(ReferenceCache, LayoutsAreToldApart) {
  ReferenceCache cache(evo::tests::known());
  model::Case bound = tests::vector_add_case(10);
  const auto dense = cache.get("vector_add", bound, normal, {.seed = 1});
  bound.arguments[0].strides = {2};
  const auto strided = cache.get("vector_add", bound, normal, {.seed = 1});
  EXPECT_NE(dense->inputs[0].size(), strided->inputs[0].size());
  bound.launch.block = {64, 1, 1};
  EXPECT_EQ(strided, cache.get("vector_add", bound, normal, {.seed = 1}));
}

TEST(ReferenceCache, ScalarsAreToldApart) {
  ReferenceCache cache(evo::tests::known());
  const auto plain =
      cache.get("attention_forward", tests::attention_case(1, 1, 9, 8, false), normal, {.seed = 1});
  const auto causal =
      cache.get("attention_forward", tests::attention_case(1, 1, 9, 8, true), normal, {.seed = 1});
  model::Case scaled = tests::attention_case(1, 1, 9, 8, false);
  scaled.arguments[5].scalar_float *= 2;
  EXPECT_NE(plain->outputs, causal->outputs);
  EXPECT_NE(plain->outputs, cache.get("attention_forward", scaled, normal, {.seed = 1})->outputs);
}

// A cache that holds the data of `before` must not answer `after` with it.
TEST(ReferenceCache, WhateverTheDataDependsOnIsToldApart) {
  struct Question {
    std::string oracle = "vector_add";
    model::Case bound = tests::vector_add_case(10);
    model::InputSet set = normal;
  };
  const auto told_apart = [](const Question& before, const Question& after) {
    ReferenceCache cache(evo::tests::known());
    const auto first = cache.get(before.oracle, before.bound, before.set, {.seed = 1});
    const auto second = cache.get(after.oracle, after.bound, after.set, {.seed = 1});
    return first->inputs != second->inputs || first->outputs != second->outputs;
  };
  EXPECT_FALSE(told_apart({}, {}));
  Question other;
  other.bound.name = "another case";
  EXPECT_TRUE(told_apart({}, other));
  other = {};
  other.set.name = "another set";
  EXPECT_TRUE(told_apart({}, other));
  other = {};
  other.set.parameters["mean"] = 1;
  EXPECT_TRUE(told_apart({}, other));
  other = {};
  other.bound.arguments[0].dtype = model::DType::f16;
  EXPECT_TRUE(told_apart({}, other));
  other = {};
  for (std::size_t i = 0; i < 3; ++i) other.bound.arguments[i].shape = {9};
  EXPECT_TRUE(told_apart({}, other));

  const Question attention{"attention_forward", tests::attention_case(1, 1, 9, 8, false), normal};
  other = attention;
  other.set.kind = "ones_v";
  EXPECT_TRUE(told_apart(attention, other));

  // The arguments of vector_add and of saxpy at once.
  Question both;
  for (const char* name : {"x", "y", "z"}) {
    both.bound.arguments.push_back(both.bound.arguments[*name == 'z' ? 2 : 0]);
    both.bound.arguments.back().name = name;
  }
  both.bound.arguments.push_back(tests::scalar_argument("alpha", model::DType::f32, 2));
  other = both;
  other.oracle = "saxpy";
  EXPECT_TRUE(told_apart(both, other));
}

TEST(ReferenceCache, StaysWithinItsCapacityAndDropsTheOldest) {
  const std::int64_t entry = 2 * 1000 * 4 + 1000 * 8;
  ReferenceCache cache(evo::tests::known(), 3 * entry);
  const model::Case bound = tests::vector_add_case(1000);
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    (void)cache.get("vector_add", bound, normal, {.seed = seed});
  EXPECT_EQ(cache.usage().bytes, 3 * entry);
  (void)cache.get("vector_add", bound, normal, {.seed = 1});  // now 2 is the oldest
  (void)cache.get("vector_add", bound, normal, {.seed = 4});
  EXPECT_EQ(cache.usage().bytes, 3 * entry);
  EXPECT_EQ(cache.usage().computed, 4);
  (void)cache.get("vector_add", bound, normal, {.seed = 1});
  EXPECT_EQ(cache.usage().computed, 4);
  (void)cache.get("vector_add", bound, normal, {.seed = 2});
  EXPECT_EQ(cache.usage().computed, 5);
}

// Least recently used first is the worst order for a run, whose trials ask for all of it in the same order:
// one entry too many, and nothing is ever found.
TEST(ReferenceCache, HoldsWhatATrialOfALongSequenceGoesThrough) {
  const std::int64_t inputs = 3 * 16 * 4096 * 64 * 2;
  const std::int64_t entries = 2 * (9 + 8);
  const std::int64_t gib = std::int64_t{1} << 30;
  EXPECT_GT(cache_bytes_for(64 * gib), inputs * entries);
  EXPECT_EQ(cache_bytes_for(4 * gib), gib / 2);
  EXPECT_EQ(cache_bytes_for(1024 * gib), 4 * gib) << "there is a cache in each of a GPU's workers";
}

TEST(ReferenceCache, OneThreadComputesAndTheOthersWait) {
  ReferenceCache cache(evo::tests::known());
  const model::Case bound = tests::attention_case(1, 2, 64, 32, true);
  std::vector<std::shared_ptr<const ReferenceData>> seen(4);
  {
    std::vector<std::jthread> threads;
    for (auto& slot : seen) {
      threads.emplace_back([&] { slot = cache.get("attention_forward", bound, normal, {.seed = 3}); });
    }
  }
  EXPECT_EQ(cache.usage().computed, 1);
  for (const auto& data : seen) EXPECT_EQ(data, seen.front());
}

TEST(ReferenceCache, ABadProblemIsNobodysCandidate) {
  ReferenceCache cache(evo::tests::known());
  const model::Case bound = tests::vector_add_case(4);
  const auto expect_refusal = [&](const std::string& oracle, const model::InputSet& set) {
    try {
      (void)cache.get(oracle, bound, set, {});
      ADD_FAILURE() << oracle;
    } catch (const model::Exception& error) {
      EXPECT_EQ(error.code(), model::ExitCode::invalid_configuration);
    }
  };
  expect_refusal("nothing", normal);
  expect_refusal("attention_forward", normal);
  expect_refusal("vector_add", {"x", "no kind", {}});
  EXPECT_EQ(cache.usage().entries, 0);
}

// 3e38 - 1e38 is a float, but a kernel that adds magnitudes first, or in another order, is beyond it.
TEST(ReferenceCache, SumsThatOverflowOnTheirWayAreOutsideOfTheDomain) {
  const ReferenceCache cache(evo::tests::known());
  const model::Case bound = tests::vector_add_case(4);
  const auto in_domain = [&](double a, double b, double undeclared) {
    InputBuffers inputs(bound.arguments.size());
    for (const auto& [argument, value] : {std::pair{0U, a}, {1U, b}}) {
      inputs[argument].resize(16);
      for (std::size_t e = 0; e < 4; ++e)
        store_element(model::DType::f32, value, inputs[argument].data() + 4 * e);
    }
    const model::InputSet set{"given", "normal", {{std::string(undeclared_parameter), undeclared}}};
    return cache.make("vector_add", bound, set, {.seed = 1}, false, 0, {}, std::move(inputs))->in_domain;
  };
  EXPECT_FALSE(in_domain(3e38, -1e38, 1));
  EXPECT_TRUE(in_domain(2e38, -1e38, 1));
  EXPECT_TRUE(in_domain(3e38, -1e38, 0)) << "who declares such data has them asked";
}

}  // namespace
}  // namespace evo::evaluators::oracle
