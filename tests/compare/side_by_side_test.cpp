// Rounds, turns and references, with contenders that are plain functions.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "evaluators/benchmark/kernel_contender.hpp"
#include "evaluators/benchmark/side_by_side.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::benchmark {
namespace {

class Scripted final : public Contender {
 public:
  Scripted(std::string name, double us, std::vector<std::string>& log)
      : name_(std::move(name)), us_(us), log_(log) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Attempt<Outputs> compute(const model::Case& bound,
                                         const oracle::InputBuffers& inputs) override {
    std::vector<std::byte> out(inputs[0].size());
    for (std::size_t i = 0; i < out.size() / sizeof(float); ++i) {
      float a, b;
      std::memcpy(&a, &inputs[0][i * sizeof a], sizeof a);
      std::memcpy(&b, &inputs[1][i * sizeof b], sizeof b);
      a += b;
      std::memcpy(&out[i * sizeof a], &a, sizeof a);
    }
    (void)bound;
    return Outputs{std::move(out)};
  }
  [[nodiscard]] Attempt<std::vector<double>> time(const TimingRequest& request) override {
    if (fails_after-- == 0) return tl::make_unexpected("it broke");
    log_.push_back(name_);
    turns.push_back(request);
    return std::vector<double>(static_cast<std::size_t>(request.samples), us_);
  }
  void release() override { ++releases; }

  int fails_after = -1, releases = 0;
  std::vector<TimingRequest> turns;

 private:
  std::string name_;
  double us_;
  std::vector<std::string>& log_;
};

struct Arena {
  model::Case bound = tests::vector_add_case(256, false, "even");
  oracle::InputBuffers inputs =
      oracle::make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
  SampledReference reference =
      SampledReference::make(evo::tests::known(), "vector_add", bound, inputs, 1).value();
  std::vector<std::string> log;
  std::vector<Standing> measure(const std::vector<Entry>& entries, Protocol protocol) const {
    return measure_side_by_side(entries, bound, inputs, reference, {"fp32", 1e-6, 1e-5}, protocol);
  }
};

TEST(SideBySide, EveryRoundHasAllAndTheFirstOneChanges) {
  Arena arena;
  Scripted a("a", 5, arena.log), b("b", 6, arena.log);
  Protocol protocol;
  protocol.rounds = 3;
  protocol.cold = false;
  const auto standings = arena.measure({{&a}, {&b}}, protocol);
  EXPECT_THAT(arena.log,
              testing::ElementsAre("a", "b", "a", "b", "b", "a", "a", "b"));  // the pilots come first
  EXPECT_EQ(standings[0].hot->median_us, 5);
  EXPECT_EQ(standings[1].hot->median_us, 6);
  EXPECT_FALSE(standings[0].cold);
}

TEST(SideBySide, SlowOnesGiveFewerSamplesAndBrokenOnesLeave) {
  Arena arena;
  Scripted fast("fast", 5, arena.log), slow("slow", 1e6, arena.log), broken("broken", 5, arena.log);
  broken.fails_after = 2;
  Protocol protocol;
  protocol.rounds = 4;
  protocol.samples = 8;
  protocol.cold = false;
  const auto standings = arena.measure({{&fast}, {&slow}, {&broken}}, protocol);
  EXPECT_EQ(standings[0].hot->samples_us.size(), 32U);
  EXPECT_EQ(standings[1].hot->samples_us.size(), 4U);
  EXPECT_EQ(standings[2].unavailable, "it broke");
  EXPECT_FALSE(standings[2].hot);
  EXPECT_GE(broken.releases, 1);
}

TEST(SideBySide, ASampleThatWouldTakeLongerHasFewerLaunches) {
  Arena arena;
  Scripted fast("fast", 5, arena.log), slow("slow", 400, arena.log), slowest("slowest", 1e6, arena.log);
  Protocol protocol;
  protocol.rounds = 4;
  protocol.cold = false;
  protocol.sample_seconds = 2e-3;
  const auto standings = arena.measure({{&fast}, {&slow}, {&slowest}}, protocol);
  EXPECT_EQ(standings[0].hot->launches, 20);
  EXPECT_EQ(standings[1].hot->launches, 5);
  EXPECT_EQ(standings[2].hot->launches, 1) << "one a buffer set at least";
  EXPECT_EQ(fast.turns.front().launches, 1) << "the pilot does not know yet";
  EXPECT_EQ(fast.turns.back().launches, 20);
  EXPECT_EQ(slowest.turns.back().launches, 1);
}

TEST(SideBySide, OfSmallArraysAColdL2IsEmptiedBeforeEachSample) {
  Arena arena;
  Scripted a("a", 5, arena.log);
  Protocol protocol;
  protocol.l2_bytes = 50 << 20;
  protocol.launches = 200;
  const auto standings = arena.measure({{&a}}, protocol);
  EXPECT_EQ(standings[0].cold->launches, standings[0].cold->sets);
  EXPECT_EQ(a.turns.back().emptying_bytes, 250 << 20);
  EXPECT_EQ(a.turns.front().emptying_bytes, 0);
}

RC_GTEST_PROP(BufferSets, HotFitsAndColdDoesNot, ()) {
  const auto bytes = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 31);
  const std::int64_t l2 = *rc::gen::inRange<std::int64_t>(1 << 20, 100 << 20);
  const auto [hot, cold] = buffer_sets(bytes, l2);
  RC_ASSERT(hot >= 1 && cold.sets >= 2);
  if (hot > 1) RC_ASSERT(hot * bytes <= l2);
  // Between two uses of a set all the others are used, or the L2 is emptied.
  RC_ASSERT(cold.emptied || (cold.sets - 1) * bytes >= 5 * l2);
}

TEST(SampledReference, OfABigCaseSomeRowsAreChecked) {
  model::Case bound;
  bound.name = "big";
  const std::vector<std::int64_t> shape{2, 3, 64, 8}, strides{1536, 512, 8, 1};
  for (const char* name : {"Q", "K", "V"})
    bound.arguments.push_back({name, model::ArgumentRole::input, model::DType::f32, shape, strides});
  bound.arguments.push_back({"O", model::ArgumentRole::output, model::DType::f32, shape, strides});
  bound.arguments.push_back({"scale", model::ArgumentRole::scalar, model::DType::f32, {}, {}, 0.35, 0});
  bound.arguments.push_back({"causal", model::ArgumentRole::scalar, model::DType::i32, {}, {}, 0, 1});
  bound.flops = 6e12;
  const auto inputs =
      oracle::make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
  const auto expected = evo::tests::known().find_oracle("attention_forward")->compute(bound, inputs).value();
  Outputs output(1, std::vector<std::byte>(expected[3].size() * sizeof(float)));
  for (std::size_t i = 0; i < expected[3].size(); ++i) {
    const auto value = static_cast<float>(expected[3][i]);
    std::memcpy(&output.front()[i * sizeof value], &value, sizeof value);
  }
  const model::Tolerance tolerance{"fp32", 1e-6, 1e-5};
  const auto some =
      SampledReference::make(evo::tests::known(), "attention_forward", bound, inputs, 9, 2e6).value();
  EXPECT_TRUE(some.check(output, tolerance).pass) << some.check(output, tolerance).text;
  EXPECT_EQ(some.check(output, tolerance).scope, "64 of 384 rows");
  output.front().back() = std::byte{0x45};  // in the last row
  EXPECT_FALSE(some.check(output, tolerance).pass);
  EXPECT_FALSE(SampledReference::make(evo::tests::known(), "attention_forward", bound, inputs, 9)
                   .value()
                   .check(output, tolerance)
                   .pass);
  output.front().pop_back();
  EXPECT_FALSE(some.check(output, tolerance).pass) << "another size";
  output.clear();
  EXPECT_FALSE(some.check(output, tolerance).pass) << "no output";
}

/// y = x and z = 2 x.
class TwoOutputs final : public oracle::ComputedOracle {
 public:
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute(
      const model::Case&, const oracle::InputBuffers& inputs) const override {
    oracle::ReferenceOutputs outputs(3);
    for (std::size_t i = 0; i < inputs[0].size() / sizeof(float); ++i) {
      float x;
      std::memcpy(&x, &inputs[0][i * sizeof x], sizeof x);
      outputs[1].push_back(x);
      outputs[2].push_back(2 * x);
    }
    return outputs;
  }
  [[nodiscard]] bool computes_rows(const model::Case&) const override { return false; }
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute_rows(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t>) const override {
    return compute(bound, inputs);
  }
};

TEST(SampledReference, EveryOutputIsCompared) {
  model::Case bound;
  bound.arguments.push_back({"x", model::ArgumentRole::input, model::DType::f32, {8}, {1}});
  bound.arguments.push_back({"y", model::ArgumentRole::output, model::DType::f32, {8}, {1}});
  bound.arguments.push_back({"z", model::ArgumentRole::output, model::DType::f32, {8}, {1}});
  oracle::Catalogue known = evo::tests::known();
  known.add("two", std::make_shared<TwoOutputs>());
  const auto inputs = oracle::make_inputs(known, bound, {"normal", "normal", {}}, {.seed = 3}).value();
  const auto reference = SampledReference::make(known, "two", bound, inputs, 9).value();
  std::vector<std::byte> twice = inputs[0];
  for (std::size_t i = 0; i < 8; ++i) {
    float x;
    std::memcpy(&x, &twice[i * sizeof x], sizeof x);
    x *= 2;
    std::memcpy(&twice[i * sizeof x], &x, sizeof x);
  }
  const model::Tolerance tolerance{"fp32", 1e-6, 1e-5};
  EXPECT_TRUE(reference.check({inputs[0], twice}, tolerance).pass);
  EXPECT_FALSE(reference.check({inputs[0], inputs[0]}, tolerance).pass) << "the second one is wrong";
  EXPECT_FALSE(reference.check({twice, twice}, tolerance).pass) << "the first one is wrong";
  EXPECT_FALSE(reference.check({inputs[0]}, tolerance).pass) << "one is missing";
  EXPECT_FALSE(reference.check({inputs[0], twice, twice}, tolerance).pass) << "one too many";
}

TEST(SideBySide, WhatTensorCoresCutOffIsGrantedToWhoMayUseThem) {
  /// Off by more than a plain kernel.
  class CutsOff final : public Contender {
   public:
    explicit CutsOff(bool in_tensor_cores) : in_tensor_cores_(in_tensor_cores) {}
    [[nodiscard]] std::string name() const override { return "cuts off"; }
    [[nodiscard]] Attempt<Outputs> compute(const model::Case&, const oracle::InputBuffers& inputs) override {
      Outputs output(1, std::vector<std::byte>(inputs[0].size()));
      for (std::size_t at = 0; at < output[0].size(); at += sizeof(float)) {
        float a, b;
        std::memcpy(&a, &inputs[0][at], sizeof a);
        std::memcpy(&b, &inputs[1][at], sizeof b);
        a = (a + b) * (1 - 2e-6F);
        std::memcpy(&output[0][at], &a, sizeof a);
      }
      return output;
    }
    [[nodiscard]] Attempt<std::vector<double>> time(const TimingRequest&) override {
      return std::vector<double>{1};
    }
    void release() override {}
    [[nodiscard]] bool adds_in_tensor_cores() const override { return in_tensor_cores_; }

   private:
    bool in_tensor_cores_;
  };
  Arena arena;
  const model::Tolerance tolerance{"auto", 1e-2, 1e-1, {}, model::ReferenceFactor{2, 0}};
  const auto reference = SampledReference::make(evo::tests::known(), "vector_add", arena.bound, arena.inputs,
                                                1, oracle::whole_reference_flops, true)
                             .value();
  CutsOff in_tensor_cores(true), elsewhere(false);
  Protocol protocol;
  protocol.rounds = 1;
  protocol.cut_off = 4e-6;
  const auto standings = measure_side_by_side({{&in_tensor_cores}, {&elsewhere}}, arena.bound, arena.inputs,
                                              reference, tolerance, protocol);
  EXPECT_TRUE(standings[0].unavailable.empty()) << standings[0].unavailable;
  EXPECT_FALSE(standings[1].unavailable.empty()) << "it rounds";
  protocol.cut_off = 1e-9;
  EXPECT_FALSE(
      measure_side_by_side({{&in_tensor_cores}}, arena.bound, arena.inputs, reference, tolerance, protocol)[0]
          .unavailable.empty());
}

TEST(KernelContender, RunsAndTimesOnADevice) {
  Arena arena;
  tests::FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  const auto log = settings.log;
  {
    tests::FakeDevice device(settings);
    KernelContender correct("correct", device, [&](const model::Case& bound) -> Attempt<BoundKernel> {
      return BoundKernel{{}, bound};
    });
    KernelContender illegal("illegal", device, [](const model::Case&) -> Attempt<BoundKernel> {
      return tl::make_unexpected("illegal: constraint");
    });
    Protocol protocol;
    protocol.rounds = 2;
    protocol.l2_bytes = 1 << 14;
    const auto standings = arena.measure({{&correct}, {&illegal}}, protocol);
    EXPECT_TRUE(standings[0].check->pass);
    EXPECT_TRUE(standings[0].hot && standings[0].cold);
    EXPECT_EQ(standings[1].unavailable, "illegal: constraint");
  }
  EXPECT_EQ(log->live_buffers, 0);
  EXPECT_EQ(log->loads, log->unloads);
}

}  // namespace
}  // namespace evo::evaluators::benchmark
