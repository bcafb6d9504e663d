// `evo characterize` on fakes: the grid, what is proven before it is timed, shares and speed-ups.
#include "session/characterize.hpp"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "session/measured_ceilings.hpp"
#include "tests/session/fake_stack.hpp"
#include "tests/support/known.hpp"

namespace evo::session {
namespace {

/// The message of a usage error; empty without one.
std::string usage_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::usage);
    return error.what();
  }
  return {};
}

struct GridText : ::testing::Test {
  GridText() {
    for (const char* name : {"batch", "heads", "rows", "row_stride"}) {
      model::Axis axis;
      axis.name = name;
      axis.minimum = 1;
      problem.axes.push_back(axis);
    }
    problem.name = "p";
    problem.axes[0].allowed = {1, 2, 8};
  }
  std::vector<GridAxis> read(const std::vector<std::string>& texts) const {
    return read_grid(texts, problem);
  }
  std::string refused(const std::vector<std::string>& texts) const {
    return usage_of([&] { static_cast<void>(read(texts)); });
  }
  model::Problem problem;
};

TEST_F(GridText, ValuesAndDoublings) {
  const auto grid = read({"heads=3,5", "rows=16..100"});
  ASSERT_EQ(grid.size(), 2U);
  EXPECT_EQ(grid[0].name, "heads");
  EXPECT_EQ(grid[0].values, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(grid[1].values, (std::vector<std::int64_t>{16, 32, 64}));
}

TEST_F(GridText, ABeginningThatFitsOneAxisIsIt) {
  EXPECT_EQ(read({"B=2"}).front().name, "batch");
  EXPECT_EQ(read({"rows=2"}).front().name, "rows") << "the whole name comes first";
  EXPECT_NE(refused({"r=2"}).find("rows or row_stride"), std::string::npos);
}

TEST_F(GridText, MistakesAreNamedWithTheNearestRightWord) {
  EXPECT_NE(refused({"haeds=2"}).find("did you mean 'heads'"), std::string::npos);
  EXPECT_NE(refused({"batch=7"}).find("the nearest legal value is 8"), std::string::npos);
  EXPECT_NE(refused({"heads=0"}).find("below the minimum"), std::string::npos);
  EXPECT_NE(refused({"heads=2,x"}).find("not 'x'"), std::string::npos);
  EXPECT_NE(refused({"heads=2,"}).find("not ''"), std::string::npos);
  EXPECT_NE(refused({"heads=2,2"}).find("2 comes twice"), std::string::npos);
  EXPECT_NE(refused({"heads=2", "heads=3"}).find("heads comes twice"), std::string::npos);
  EXPECT_NE(refused({"heads"}).find("expected AXIS=VALUE"), std::string::npos);
  EXPECT_NE(refused({"heads=8..4"}).find("upwards"), std::string::npos);
  EXPECT_NE(refused({"heads=99999999999999999999"}).find("64 bits"), std::string::npos);
  EXPECT_NE(refused({"heads=1..70000", "rows=1..70000", "row_stride=1..70000"}).find("at most 4096"),
            std::string::npos);
}

TEST_F(GridText, ShapesAreAllCombinationsTheLastAxisFastest) {
  const auto shapes = shapes_of(read({"heads=1,2", "rows=3,4"}), {"base", 2, {{"batch", 8}, {"rows", 9}}});
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[1].workload.name, "heads=1,rows=4");
  EXPECT_EQ(shapes[1].at, (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(shapes[2].workload.axes.at("heads"), 2);
  EXPECT_EQ(shapes[2].workload.axes.at("batch"), 8) << "what the grid does not name";
  const auto alone = shapes_of({}, {"base", 1, {{"rows", 9}}});
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].workload.name, "base");
}

TEST(Ceilings, OfATargetAreItsDataAndSaySo) {
  const model::Experiment experiment = tests::vector_add_experiment();
  const Ceilings ceilings = ceilings_of(experiment.target);
  EXPECT_EQ(ceilings.kind, "target_data");
  EXPECT_EQ(ceilings.of, "l4");
  EXPECT_DOUBLE_EQ(ceilings.rate("dram"), 300e9);
  EXPECT_DOUBLE_EQ(ceilings.rate("l2"), 1500e9);
  EXPECT_DOUBLE_EQ(ceilings.rate("fp32"), 2.04e9 * 58 * 256);
  EXPECT_DOUBLE_EQ(ceilings.rate("tensor_fp16"), 2.04e9 * 58 * 1024);
  model::TargetProfile without = experiment.target;
  without.tensor_flops_per_cycle = 0;
  EXPECT_EQ(ceilings_of(without).missing.at(0).first, "tensor_fp16");
}

TEST(Ceilings, TheLowestRoofBounds) {
  const Ceilings ceilings{"measured", "x", {{"dram", 100e9, ""}, {"l2", 500e9, ""}, {"fp32", 1e12, ""}}};
  const auto memory = share_of_roof(ceilings, "dram", "fp32", 1e6, 1e6, 20);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->bound, "dram");
  EXPECT_DOUBLE_EQ(memory->limit_us, 10);
  EXPECT_DOUBLE_EQ(memory->share, 0.5);
  EXPECT_DOUBLE_EQ(memory->intensity, 1);
  const auto compute = share_of_roof(ceilings, "dram", "fp32", 1e9, 1e6, 2000);
  EXPECT_EQ(compute->bound, "fp32");
  EXPECT_DOUBLE_EQ(compute->share, 0.5);
  EXPECT_EQ(share_of_roof(ceilings, "l2", "", 1e9, 1e6, 20)->bound, "l2") << "no ceiling for its arithmetic";
  EXPECT_FALSE(share_of_roof(ceilings, "dram", "fp32", 0, 0, 20));
}

TEST(Ceilings, ArithmeticIsThatOfTheProblemsFloats) {
  model::Experiment experiment = tests::vector_add_experiment();
  EXPECT_EQ(arithmetic_of(experiment.problem), "fp32");
  experiment.problem.arguments[0].dtype = model::DType::f16;
  EXPECT_EQ(arithmetic_of(experiment.problem), "tensor_fp16");
  experiment.problem.arguments[1].dtype = model::DType::f64;
  EXPECT_EQ(arithmetic_of(experiment.problem), "");
}

TEST(GpuStates, LeastMedianAndGreatestAndEveryReasonOnce) {
  GpuReading a, b, c;
  a.sm_mhz = 1980;
  b.sm_mhz = 1500;
  c.sm_mhz = 1755;
  b.power_w = 650.5;
  b.throttle = "power cap";
  c.throttle = "power cap, thermal slowdown";
  const auto state = state_of({a, b, c});
  ASSERT_TRUE(state);
  EXPECT_EQ(*state->sm_mhz, (std::array<double, 3>{1500, 1755, 1980}));
  EXPECT_EQ(*state->power_w, (std::array<double, 3>{650.5, 650.5, 650.5}));
  EXPECT_FALSE(state->temperature_c);
  EXPECT_EQ(state->throttle, (std::vector<std::string>{"power cap", "thermal slowdown"}));
  EXPECT_FALSE(state_of({}));
  GpuWatch watch([&] { return a; });
  EXPECT_GE(watch.stop()->readings, 2U) << "at the beginning and at the end";
  EXPECT_FALSE(GpuWatch({}).stop());
}

/// A kernel of vector addition over sizes, on a scripted ladder and a fake GPU.
struct Characterize : ::testing::Test {
  Characterize() {
    Compared kernel;
    kernel.given = "new";
    kernel.kind = "source";
    kernel.experiment = run.experiment;
    kernel.variant = {"", "v1", "plain", run.experiment.baseline};
    kernel.variant.genome.set("THREADS", std::int64_t{32});
    Compared baseline = kernel;
    baseline.given = "old";
    baseline.variant = {"", "v0", "plain", run.experiment.baseline};
    subject.kernels = {kernel, baseline};
    set_sizes("n=100,1000,3000");
    settings.kernel = tests::correct_kernel();
    settings.kernel_of_cubin["32"] = timed_as(0);
    settings.kernel_of_cubin["64"] = timed_as(1);
    settings.clock = [this] {
      return std::vector<double>(4, us[current] * (1 + 0.001 * (static_cast<double>(ticks++ % 7) - 3)));
    };
    request.rounds = 8;
  }
  void set_sizes(const std::string& text) {
    subject.grid = read_grid({text}, run.experiment.problem);
    subject.shapes = shapes_of(subject.grid, {"small", 1, {{"c_stride", 1}}});
  }
  tests::FakeKernel timed_as(std::size_t side) {
    return [this, side](
               tests::FakeLaunch& launch) -> evaluators::devices::Outcome<evaluators::devices::LaunchReport> {
      current = side;
      if (settings.log->being_timed) return evaluators::devices::LaunchReport{};
      tests::vector_add(launch);
      if (wrong_n == launch.scalar<std::int32_t>(3)) launch.pointer<float>(2)[0] += 100;
      return evaluators::devices::LaunchReport{};
    };
  }
  StackOf stack_of() {
    return [this](const model::Experiment& experiment) {
      ++stacks;
      return std::make_unique<EvaluationStack>(experiment, testing::scripted_parts(run.script), 7);
    };
  }
  ProofsOf proofs_of() {
    return [this](const std::vector<GridShape>& shapes) {
      if (parts++ == broken_part) throw model::Exception(model::ExitCode::environment, "the GPU is gone");
      std::vector<std::vector<ProvenShape>> all;
      for (const Compared& kernel : subject.kernels)
        all.push_back(prove_shapes(kernel, shapes, stack_of(), {}, stop.get_token()));
      for (const Compared& kernel : subject.others) {
        all.push_back(prove_shapes(kernel, shapes, stack_of(), {}, stop.get_token()));
        for (std::size_t i = 0; i < shapes.size(); ++i)
          if (shapes[i].workload.axes.at("n") == wrong_others_n)
            all.back()[i].refused = ShapeRefusal{"correctness", "mismatch"};
      }
      return all;
    };
  }
  Characterization measure() {
    device = std::make_unique<tests::FakeDevice>(settings);
    CharacterizeDevice on{{device.get(), &compiler}, {}};
    on.bench.l2_bytes = 24'000;
    on.bench.known = tests::known();
    on.ceilings = {"measured", "fake GPU", {{"dram", 1e9, ""}, {"l2", 4e9, ""}, {"fp32", 1e15, ""}}};
    on.look = [] {
      GpuReading reading;
      reading.sm_mhz = 1000;
      return reading;
    };
    return characterize_measured(subject, request, proofs_of(), std::move(on), stop.get_token(), tell);
  }
  testing::FakeRun run;
  CharacterizeSubject subject;
  CharacterizeRequest request;
  tests::FakeDeviceSettings settings;
  std::unique_ptr<tests::FakeDevice> device;
  std::array<double, 2> us{10, 20};
  std::size_t current = 0, ticks = 0;
  int wrong_n = 0, wrong_others_n = 0, stacks = 0, parts = 0, broken_part = -1;
  std::stop_source stop{};
  Tell tell{};
  tests::FakeCompiler compiler{[](const tests::FakeCompiler::Request& wanted) -> tests::FakeCompiler::Result {
    model::Artifact artifact = tests::FakeCompiler::plain(wanted);
    artifact.cubin = wanted.source.find("#define THREADS 64") != std::string::npos ? "64" : "32";
    artifact.resources = {.registers = 32, .static_smem_bytes = 256};
    return artifact;
  }};
};

TEST_F(Characterize, ShapesThatAreRightAreProvenTogether) {
  const auto proven = prove_shapes(subject.kernels[0], subject.shapes, stack_of(), {});
  EXPECT_EQ(stacks, 1);
  ASSERT_EQ(proven.size(), 3U);
  for (const ProvenShape& shape : proven) {
    EXPECT_FALSE(shape.refused);
    EXPECT_DOUBLE_EQ(shape.latency->microseconds, 10);
  }
}

TEST_F(Characterize, AShapeThatIsWrongIsRefusedAloneWithItsGate) {
  run.script->verdict = [](const testing::SeenJob& seen) {
    for (const model::Case& one : seen.job.timed_cases) {
      if (one.axes.at("n") == 1000)
        return std::optional(testing::failure_of(model::Status::wrong, "mismatch"));
    }
    return std::optional<model::Failure>();
  };
  const auto proven = prove_shapes(subject.kernels[0], subject.shapes, stack_of(), {});
  EXPECT_FALSE(proven[0].refused);
  ASSERT_TRUE(proven[1].refused);
  EXPECT_EQ(proven[1].refused->gate, "correctness");
  EXPECT_NE(proven[1].refused->reason.find("mismatch"), std::string::npos);
  EXPECT_FALSE(proven[1].latency);
  EXPECT_FALSE(proven[2].refused);
}

TEST_F(Characterize, AShapeForWhichTheKernelIsNotWrittenIsNotLegal) {
  model::Template& kernel = subject.kernels[0].experiment.problem.templates.front();
  kernel.domain = {{tests::parsed("n % 100 == 0"), "a hundred at a time"}};
  set_sizes("n=100,150");
  const auto proven = prove_shapes(subject.kernels[0], subject.shapes, stack_of(), {});
  EXPECT_FALSE(proven[0].refused);
  ASSERT_TRUE(proven[1].refused);
  EXPECT_EQ(proven[1].refused->gate, "legality");
}

TEST_F(Characterize, ModelledRatiosAreExactAndSaidToBeModelled) {
  run.script->kind = "virtual";
  run.script->microseconds = [](const evaluators::gates::DeviceJob& job) {
    return job.artifact.resources.static_smem_bytes == 4 * 64 ? 15.0 : 10.0;
  };
  const Characterization found = characterize_modelled(subject, stack_of(), {});
  EXPECT_EQ(found.latency_kind, "modelled");
  EXPECT_EQ(found.ceilings.kind, "target_data");
  EXPECT_FALSE(found.no_state.empty());
  ASSERT_EQ(found.shapes.size(), 3U);
  const CharacterizedShape& shape = found.shapes[2];
  ASSERT_EQ(shape.figures.size(), 2U);
  EXPECT_EQ(shape.figures[1].contender, "baseline");
  EXPECT_DOUBLE_EQ(shape.figures[1].speedup->ratio, 1.5);
  EXPECT_EQ(shape.flops, 3000);
  EXPECT_EQ(shape.bytes, 36000);
  EXPECT_EQ(shape.share->bound, "dram");
  EXPECT_DOUBLE_EQ(shape.share->share, 36000 / 300e9 * 1e6 / 10);
  EXPECT_EQ(found.fixed.at("c_stride"), 1);
  EXPECT_FALSE(found.fixed.contains("n"));
}

TEST_F(Characterize, AKernelThatIsAComparatorIsModelledBesideIt) {
  run.script->kind = "virtual";
  run.script->microseconds = [](const evaluators::gates::DeviceJob& job) {
    return job.artifact.resources.static_smem_bytes == 4 * 128 ? 30.0 : 10.0;
  };
  const Compared& kernel = subject.kernels.front();
  Compared theirs{"theirs", "comparator", kernel.experiment, kernel.variant};
  theirs.variant.genome.set("THREADS", std::int64_t{128});
  subject.others = {theirs};
  const Characterization found = characterize_modelled(subject, stack_of(), {});
  const ShapeFigure* figure = found.shapes.at(2).find("theirs");
  ASSERT_NE(figure, nullptr);
  EXPECT_EQ(figure->role, Role::comparator);
  EXPECT_DOUBLE_EQ(figure->speedup->ratio, 3);
  ASSERT_EQ(found.comparators.size(), 1U);
  EXPECT_EQ(found.comparators[0].name, "theirs");
  EXPECT_EQ(found.comparators[0].unavailable, "");
}

TEST_F(Characterize, AKernelThatIsAComparatorIsProvenBeforeItIsTimedBesideIt) {
  Compared theirs = subject.kernels[1];
  theirs.given = "theirs";
  theirs.kind = "comparator";
  subject.others = {theirs};
  wrong_others_n = 1000;
  const Characterization found = measure();
  EXPECT_EQ(found.comparators.at(0).name, "theirs");
  for (const CharacterizedShape& shape : found.shapes) {
    ASSERT_FALSE(shape.refused) << shape.refused->reason;
    const ShapeFigure* figure = shape.find("theirs");
    ASSERT_NE(figure, nullptr);
    EXPECT_EQ(figure->role, Role::comparator);
    const bool wrong = shape.shape.workload.axes.at("n") == 1000;
    EXPECT_EQ(figure->latency.has_value(), !wrong);
    EXPECT_EQ(figure->unavailable.empty(), !wrong);
  }
}

TEST_F(Characterize, MeasuredInTurnWithAnIntervalOfTheSpeedUp) {
  const Characterization found = measure();
  EXPECT_EQ(found.latency_kind, "measured");
  EXPECT_EQ(found.ceilings.of, "fake GPU");
  for (const CharacterizedShape& shape : found.shapes) {
    ASSERT_FALSE(shape.refused) << shape.refused->reason;
    const ShapeFigure* baseline = shape.find("baseline");
    ASSERT_NE(baseline, nullptr);
    ASSERT_TRUE(baseline->speedup);
    EXPECT_NEAR(baseline->speedup->ratio, 2, 0.02);
    EXPECT_LT(baseline->speedup->interval[0], baseline->speedup->ratio);
    EXPECT_GT(baseline->speedup->interval[1], baseline->speedup->ratio);
    EXPECT_LT(baseline->speedup->interval[1], 2.05);
    EXPECT_NEAR(shape.subject()->latency->microseconds, 10, 0.1);
    EXPECT_EQ(shape.subject()->latency->samples, 32U) << "eight rounds of four samples";
    EXPECT_DOUBLE_EQ(shape.state->sm_mhz->at(1), 1000);
  }
  EXPECT_EQ(found.shapes[1].memory_roof, "l2") << "12 kB of 24 kB";
  EXPECT_EQ(found.shapes[2].memory_roof, "dram") << "36 kB of 24 kB";
  EXPECT_EQ(found.shapes[2].share->bound, "dram");
}

TEST_F(Characterize, WhatIsWrongWhereItIsTimedHasNoSpeed) {
  wrong_n = 1000;
  const Characterization found = measure();
  ASSERT_TRUE(found.shapes[1].refused);
  EXPECT_EQ(found.shapes[1].refused->gate, "timing");
  EXPECT_NE(found.shapes[1].refused->reason.find("wrong"), std::string::npos);
  EXPECT_TRUE(found.shapes[1].figures.empty());
  EXPECT_EQ(found.shapes[1].subject(), nullptr);
  EXPECT_FALSE(found.shapes[0].refused);
  EXPECT_FALSE(found.all_refused());
}

TEST_F(Characterize, OfAWrongSubjectAndARefusedBaselineNothingIsLeft) {
  wrong_n = 1000;
  run.script->verdict = [](const testing::SeenJob& seen) {
    return seen.job.artifact.resources.static_smem_bytes == 4 * 64
               ? std::optional(testing::failure_of(model::Status::wrong, "mismatch"))
               : std::nullopt;
  };
  const Characterization found = measure();
  EXPECT_TRUE(found.shapes[1].refused);
  EXPECT_TRUE(found.shapes[1].figures.empty()) << "the baseline is not the subject";
  EXPECT_FALSE(found.shapes[1].share);
}

TEST_F(Characterize, WhatTheLadderRefusedIsNotTimed) {
  run.script->verdict = [](const testing::SeenJob& seen) {
    for (const model::Case& one : seen.job.timed_cases) {
      if (one.axes.at("n") == 3000)
        return std::optional(testing::failure_of(model::Status::wrong, "mismatch"));
    }
    return std::optional<model::Failure>();
  };
  const Characterization found = measure();
  ASSERT_TRUE(found.shapes[2].refused);
  EXPECT_EQ(found.shapes[2].refused->gate, "correctness");
  EXPECT_TRUE(found.shapes[2].figures.empty());
  EXPECT_FALSE(found.shapes[2].state);
  EXPECT_FALSE(found.shapes[1].figures.empty());
}

TEST_F(Characterize, ABaselineThatIsRefusedLeavesTheSubjectItsLatency) {
  run.script->verdict = [](const testing::SeenJob& seen) {
    return seen.job.artifact.resources.static_smem_bytes == 4 * 64
               ? std::optional(testing::failure_of(model::Status::wrong, "mismatch"))
               : std::nullopt;
  };
  const Characterization found = measure();
  const CharacterizedShape& shape = found.shapes.front();
  ASSERT_FALSE(shape.refused);
  EXPECT_TRUE(shape.subject()->latency);
  ASSERT_NE(shape.find("baseline"), nullptr);
  EXPECT_FALSE(shape.find("baseline")->latency);
  EXPECT_NE(shape.find("baseline")->unavailable.find("mismatch"), std::string::npos);
}

TEST_F(Characterize, LargeShapesAreNotHeldTogether) {
  std::vector<std::size_t> together;
  const StackOf never = [&](const model::Experiment& experiment) -> std::unique_ptr<EvaluationStack> {
    together.push_back(experiment.workloads.size());
    throw model::Exception(model::ExitCode::invalid_configuration, "not today");
  };
  set_sizes("n=90000000,90000001,90000002,1");
  static_cast<void>(prove_shapes(subject.kernels[0], subject.shapes, never, {}));
  // 1.1 GB each: the first goes with the smallest, then each of both; then the others.
  EXPECT_EQ(together, (std::vector<std::size_t>{2, 1, 1, 1, 1}));
}

TEST_F(Characterize, WhereTheOracleHasNoAnswerTheShapeIsRefused) {
  const StackOf without = [&](const model::Experiment& experiment) {
    for (const model::Workload& workload : experiment.workloads) {
      if (workload.axes.at("n") == 3000)
        throw model::Exception(model::ExitCode::invalid_configuration, "no answer to that");
    }
    return stack_of()(experiment);
  };
  const auto proven = prove_shapes(subject.kernels[0], subject.shapes, without, {});
  EXPECT_FALSE(proven[0].refused);
  EXPECT_FALSE(proven[1].refused);
  ASSERT_TRUE(proven[2].refused);
  EXPECT_EQ(proven[2].refused->gate, "oracle");
  EXPECT_EQ(proven[2].refused->reason, "no answer to that");
  const StackOf broken = [](const model::Experiment&) -> std::unique_ptr<EvaluationStack> {
    throw model::Exception(model::ExitCode::environment, "no compiler");
  };
  EXPECT_THROW(static_cast<void>(prove_shapes(subject.kernels[0], subject.shapes, broken, {})),
               model::Exception);
}

TEST_F(Characterize, WhatIsStoppedHasTheShapesThatWereDone) {
  request.part_bytes = 1;
  tell = [this](const std::string& line) {
    if (line.find("timing") != std::string::npos) stop.request_stop();
  };
  const Characterization found = measure();
  ASSERT_EQ(found.shapes.size(), 3U);
  EXPECT_FALSE(found.shapes[0].refused);
  EXPECT_TRUE(found.shapes[0].subject()->latency);
  for (const std::size_t i : {1, 2}) {
    ASSERT_TRUE(found.shapes[i].refused);
    EXPECT_EQ(found.shapes[i].refused->reason, "interrupted");
  }
}

TEST_F(Characterize, WhatBreaksLaterLeavesWhatWasMeasured) {
  request.part_bytes = 1;
  broken_part = 1;
  const Characterization found = measure();
  EXPECT_FALSE(found.shapes[0].refused);
  ASSERT_TRUE(found.shapes[2].refused);
  EXPECT_EQ(found.shapes[2].refused->gate, "environment");
  parts = 0, broken_part = 0;
  EXPECT_THROW(static_cast<void>(measure()), model::Exception);
}

TEST_F(Characterize, AStopRefusesTheRest) {
  stop.request_stop();
  const auto proven = prove_shapes(subject.kernels[0], subject.shapes, stack_of(), {}, stop.get_token());
  EXPECT_EQ(stacks, 0);
  EXPECT_EQ(proven[2].refused->reason, "interrupted");
}

}  // namespace
}  // namespace evo::session
