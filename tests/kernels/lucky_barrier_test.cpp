// A barrier that only happens to work: in the order in which a machine ran the warps the numbers are correct,
// and the variant is refused all the same.
#include <gtest/gtest.h>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/compare_outputs.hpp"
#include "tests/kernels/on_ladder.hpp"
#include "tests/support/known.hpp"

namespace evo::tests {
namespace {

namespace gates = evaluators::gates;

/// True if every case's output is correct when the virtual device runs it once, in its natural order, without
/// looking.
bool numbers_are_correct(const OnLadder& ladder, const model::Genome& genome) {
  const model::Experiment& experiment = ladder.experiment();
  const auto artifact = compile_genome(ladder.kernel(), ladder.space(), genome);
  const auto bound = gates::bind_variant(gates::make_context(experiment, ladder.kernel()), genome);
  if (!artifact || !bound) return false;
  evaluators::devices::VirtualDevice device(experiment.target);
  const auto module = device.load(*artifact);
  if (!module) return false;
  gates::DeviceJob job;
  job.oracle = experiment.problem.oracle;
  job.tolerance = *experiment.problem.find_tolerance(experiment.accuracy_class);
  evaluators::oracle::ReferenceCache cache(evo::tests::known());
  const gates::JobContext context{device, *module, job, cache};
  const model::InputSet& set = experiment.problem.input_sets.front();
  std::vector<model::Case> cases = bound->workloads;
  cases.insert(cases.end(), bound->check_workloads.begin(), bound->check_workloads.end());
  for (const model::Case& one : cases) {
    if (one.axes.at("far") != 0) continue;
    auto buffers = gates::CaseBuffers::create(device, one, gates::in_turn(one, 0));
    if (!buffers) return false;
    const auto data = context.reference(one, set, {.seed = 1, .rotation = 0});
    if (!buffers->write_inputs(data->inputs) || !buffers->poison(1, false)) return false;
    evaluators::devices::LaunchOptions blind;
    blind.checks = evaluators::devices::CheckLevel::none;
    if (!device.launch(*module, one.launch, buffers->arguments(), blind)) return false;
    const gates::Snapshot snapshot = take_snapshot(context, *buffers, gates::Guards::check);
    if (gates::judge({job.tolerance}, one, snapshot, *data, {})) return false;
  }
  return true;
}

TEST(RightNumbers, AWeakenedBarrierThatHappensToWorkIsARace) {
  if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  model::Experiment experiment = small_attention();
  experiment.baseline_template = "scalar";
  OnLadder ladder(experiment);
  const model::Space space = ladder.space();
  // One warp, whose lanes run in step when nobody permutes them.
  const model::Genome full = with_genes(
      space.initial(),
      {{"NUM_WARPS", std::int64_t{1}}, {"BLOCK_M", std::int64_t{16}}, {"BLOCK_N", std::int64_t{16}}});
  ASSERT_EQ(space.violation(full), std::nullopt);
  int races = 0, needless = 0;
  for (const model::Gene& gene : space.genes()) {
    if (gene.role != model::GeneRole::sync) continue;
    const model::Genome genome = with_genes(full, {{gene.name, "none"}});
    if (space.violation(genome) || !numbers_are_correct(ladder, genome)) continue;
    const auto report = ladder.prove(genome);
    if (report.valid()) {  // truly not needed: a barrier behind it does its work
      ++needless;
      continue;
    }
    ++races;
    EXPECT_EQ(report.failed_gate(), "sanitize") << gene.name;
    EXPECT_EQ(report.failure()->status, model::Status::sanitizer_fail);
    EXPECT_EQ(report.failure()->reason, "race_shared") << gene.name;
    EXPECT_GT(report.failure()->evidence.front().line, 0);
  }
  EXPECT_GE(races, 3) << "barriers whose absence does not show in the numbers";
  EXPECT_GE(needless, 1) << "and one that may go";
}

}  // namespace
}  // namespace evo::tests
