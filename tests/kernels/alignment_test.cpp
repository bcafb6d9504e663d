// attention_forward's templates on arrays that stand at any multiple of their element's size, each apart from
// the others, with any strides, O's apart from those of Q, K and V, and with any scale.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/kernels/attention_genomes.hpp"
#include "tests/kernels/compiled.hpp"
#include "tests/support/known.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;
namespace devices = evaluators::devices;
namespace oracle = evaluators::oracle;

/// Elements behind each row, head and batch of a view.
struct Gaps {
  I row = 0, head = 0, batch = 0;
};

/// How the arguments Q, K, V and O lie.
struct Placement {
  std::string name;
  std::array<std::uint32_t, 4> bases{};  ///< bytes past a multiple of 256
  Gaps inputs{}, output{};
  double scale = 1;  ///< in units of 1 / sqrt(head_dim)
};

constexpr std::uint32_t pattern = 0x7e017e01U;  // two NaNs

std::string text(const model::Failure& failure) {
  std::string all = failure.reason;
  for (const model::Evidence& item : failure.evidence)
    all += "\n  " + item.file + ":" + std::to_string(item.line) + ": " + item.message;
  return all;
}

class Alignment : public NeedsNvrtc, public testing::WithParamInterface<std::string> {
 protected:
  /// Small shapes, in which each template has a whole tile and a tail.
  model::Case place(const model::Genome& genome, const model::Space& space, const Placement& placement,
                    bool causal) const {
    constexpr I batch = 2, heads = 2;
    const I seq = 32 + 9, dim = head_dim_;
    model::Workload shape{"w", 1, {{"batch", batch}, {"heads", heads}, {"seq", seq}, {"head_dim", dim}}};
    for (const auto& [axis, value] : {std::pair{"causal", causal ? 1 : 0}, {"layout", 0}, {"far", 0}})
      shape.axes[axis] = value;
    model::Case bound = model::bind_case(problem_, kernel_, space, genome, shape).value();
    const auto strides = [&](const Gaps& gaps) {
      const I row = dim + gaps.row, head = seq * row + gaps.head;
      return std::vector<I>{heads * head + gaps.batch, head, row, 1};
    };
    for (std::size_t i = 0; i < 3; ++i) bound.arguments[i].strides = strides(placement.inputs);
    bound.arguments[3].strides = strides(placement.output);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bound.arguments[4 + axis].scalar_integer = bound.arguments[0].strides[axis];
      bound.arguments[7 + axis].scalar_integer = bound.arguments[3].strides[axis];
    }
    bound.arguments.back().scalar_float = placement.scale / std::sqrt(static_cast<double>(dim));
    return bound;
  }

  /// "" if the kernel is correct there.
  std::string verdict(const model::Artifact& artifact, const model::Genome& genome, const model::Case& bound,
                      const Placement& placement) const {
    const model::InputSet& set = problem_.input_sets.front();
    const oracle::InputBuffers inputs =
        oracle::make_inputs(evo::tests::known(), bound, set, {.seed = 5}).value();
    devices::VirtualDevice device(tests::shipped_target("l4"));
    const auto module = device.load(artifact);
    if (!module) return text(module.error());
    std::vector<devices::KernelArgument> arguments;
    std::vector<devices::BufferId> buffers;
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      const model::BoundArgument& argument = bound.arguments[i];
      if (argument.role == model::ArgumentRole::scalar) {
        arguments.emplace_back(evaluators::gates::scalar_bytes(argument));
        continue;
      }
      const auto bytes = static_cast<std::uint64_t>(oracle::buffer_bytes(argument));
      buffers.push_back(device.allocate({bytes, placement.bases[i], argument.name, {}}).value());
      arguments.emplace_back(devices::BufferArgument{buffers.back()});
      const auto filled = argument.role == model::ArgumentRole::input
                              ? device.write(buffers.back(), inputs[i])
                              : device.poison(buffers.back(), pattern);
      EXPECT_TRUE(filled);
    }
    const auto report = device.launch(*module, bound.launch, arguments, {});
    if (!report) return text(report.error());
    const model::BoundArgument& output = bound.arguments[3];
    std::vector<std::byte> bytes(static_cast<std::size_t>(oracle::buffer_bytes(output)));
    EXPECT_TRUE(device.read(buffers[3], bytes));
    oracle::Reference reference;
    reference.rules = oracle::rules_of(evo::tests::known(), set);
    const oracle::Oracle& exact = *evo::tests::known().find_oracle(problem_.oracle);
    reference.outputs = exact.compute(bound, inputs).value();
    oracle::CompareOptions options =
        oracle::options_for(*problem_.find_tolerance(accuracy_class_of(genome)), reference, 3);
    options.poison = pattern;
    const oracle::Comparison compared = oracle::compare(output, bytes, reference.outputs[3], options);
    return compared.pass ? "" : compared.text("O");
  }

  void expect_correct(const model::Genome& genome, const std::vector<Placement>& placements) {
    SCOPED_TRACE(genome.text());
    const model::Space space = bound_space(problem_, GetParam(), head_dim_);
    ASSERT_EQ(space.violation(genome), std::nullopt);
    const auto artifact = compile_genome(kernel_, space, genome);
    ASSERT_TRUE(artifact) << words(artifact.error());
    bool causal = false;
    for (const Placement& placement : placements) {
      causal = !causal;
      const model::Case bound = place(genome, space, placement, causal);
      EXPECT_EQ(verdict(*artifact, genome, bound, placement), "") << placement.name;
    }
  }
  /// The template's initial genome and its starts, and a few with other ways of copying and storing.
  std::vector<model::Genome> genomes() {
    const model::Space space = bound_space(problem_, GetParam(), head_dim_);
    std::vector<model::Genome> found{space.initial()};
    for (const model::TemplateDesign& start : kernel_.initial_designs) found.push_back(start.genome);
    std::mt19937 random(3);
    const Genes small{{"BLOCK_M", I{32}}, {"BLOCK_N", I{32}}};
    for (int i = 0; i < 2; ++i) found.push_back(random_full_strength_genome(space, random, small).value());
    return found;
  }

  I head_dim_ = 64;
  model::Problem problem_ = shipped_problem("attention_forward");
  const model::Template& kernel_ = *problem_.find_template(GetParam());
};

TEST_P(Alignment, EachArrayMayStandAnywhere) {
  std::vector<Placement> placements;
  for (std::size_t array = 0; array < 4; ++array) {
    for (const std::uint32_t distance : {2, 8, 14}) {
      Placement placement{"array " + std::to_string(array) + " at " + std::to_string(distance), {}, {}, {}};
      placement.bases[array] = distance;
      placements.push_back(placement);
    }
  }
  placements.push_back({"all at 4 times an odd number", {4, 12, 20, 28}, {}, {}});
  for (const model::Genome& genome : genomes()) expect_correct(genome, placements);
}

TEST_P(Alignment, StridesOfRowsHeadsAndBatchesMayBeAnything) {
  const std::vector<Placement> placements{
      {"odd heads of aligned rows", {}, {0, 1, 0}, {}},
      {"odd batches of aligned heads", {}, {0, 0, 3}, {0, 0, 1}},
      {"odd rows", {}, {1, 0, 0}, {8, 0, 0}},
      {"odd rows of O", {}, {8, 0, 0}, {1, 0, 0}},
      {"odd heads of O", {}, {}, {0, 5, 0}},
      {"rows of 4 elements' multiples", {}, {4, 0, 0}, {2, 0, 0}},
      {"base and stride that cancel", {14, 14, 14, 14}, {0, 1, 0}, {0, 7, 0}},
  };
  for (const model::Genome& genome : genomes()) expect_correct(genome, placements);
}

TEST_P(Alignment, ScaleIsWhatIsGiven) {
  const std::vector<Placement> placements{{"small", {}, {}, {}, 0.3},
                                          {"large", {}, {}, {}, 3},
                                          {"large, apart", {2, 4, 6, 8}, {3, 1, 1}, {1, 3, 2}, 2.9}};
  for (const model::Genome& genome : genomes()) expect_correct(genome, placements);
}

INSTANTIATE_TEST_SUITE_P(Templates, Alignment, testing::Values("scalar", "wmma", "mma"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace evo::tests
