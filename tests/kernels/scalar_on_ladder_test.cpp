// The scalar template on the virtual device: legal genomes are right, each constraint forbids what fails, and
// each barrier is needed in one part of the space and can be weakened in another.
#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "evaluators/gates/sanitize.hpp"
#include "tests/kernels/on_ladder.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class ScalarOnLadder : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }
};

TEST_F(ScalarOnLadder, RandomLegalGenomesWithAllBarriersAreRight) {
  std::mt19937 random(11);
  for (const std::int64_t head_dim : {32, 64, 128}) {
    OnLadder ladder(small_attention(head_dim));
    const model::Space space = ladder.space();
    for (int proven = 0; proven < 2;) {
      model::Genome genome;
      for (const model::Gene& gene : space.genes()) {
        const std::size_t last = gene.values.size() - 1;
        genome.set(gene.name, gene.values[gene.role == model::GeneRole::sync ? last : random() % (last + 1)]);
      }
      // Short sequences: the tiles of 128 turn in the sanitize shapes only.
      if (!space.legal(genome) || genome.at("BLOCK_N") == model::Value{I{128}}) continue;
      const auto report = ladder.prove(genome);
      if (!report.valid() && report.failure()->status == model::Status::over_budget) continue;
      EXPECT_TRUE(report.valid()) << genome.text() << "\n" << verdict(report);
      ++proven;
    }
  }
}

TEST_F(ScalarOnLadder, EachConstraintForbidsWhatFails) {
  const std::vector<Genes> breakers = scalar_constraint_breakers();
  const std::vector<std::string> reasons{
      "", "", "", "misaligned", "misaligned", "misaligned", "shared_memory"};
  ASSERT_EQ(breakers.size(), reasons.size());
  for (std::size_t i = 0; i < breakers.size(); ++i) {
    model::Experiment experiment = small_attention();
    model::Template& kernel = experiment.problem.templates.front();
    std::vector<model::Constraint> others = kernel.space.constraints();
    const std::string reason = others[i].reason;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    kernel.space = model::Space(kernel.space.genes(), others, kernel.space.fixed());
    OnLadder ladder(experiment);
    const auto report = ladder.prove(with_genes(ladder.space().initial(), breakers[i]));
    ASSERT_FALSE(report.valid()) << "the constraint '" << reason << "' forbids what works";
    EXPECT_NE(report.failure()->reason, "constraint") << verdict(report);
    if (reasons[i].empty()) continue;
    EXPECT_EQ(report.failure()->reason, reasons[i]) << verdict(report);
  }
}

TEST_F(ScalarOnLadder, PredictedDynamicSharedMemoryIsTouchedToItsLastRow) {
  const model::Experiment experiment = small_attention();
  OnLadder ladder(experiment);
  const model::Space space = ladder.space();
  const auto context = evaluators::gates::make_context(experiment, ladder.kernel());
  const std::vector<Genes> samples{{},
                                   {{"S_DTYPE", "half"}, {"S_PAD", I{1}}},
                                   {{"KV_BUFFERS", I{2}}, {"BLOCK_N", I{16}}, {"S_PAD", I{4}}},
                                   {{"SMEM_PAD", I{0}}, {"S_PAD", I{0}}, {"LANE_ORDER", "rows"}}};
  for (const Genes& sample : samples) {
    const model::Genome genome = with_genes(space.initial(), sample);
    ASSERT_EQ(space.violation(genome), std::nullopt);
    const auto artifact = compile_genome(ladder.kernel(), space, genome);
    ASSERT_TRUE(artifact) << words(artifact.error());
    const auto bound = evaluators::gates::bind_variant(context, genome);
    ASSERT_TRUE(bound) << bound.error().text();
    evaluators::devices::VirtualDevice device(experiment.target);
    const auto report = evaluators::gates::sanitize(device, *artifact, bound->sanitize_shapes,
                                                    experiment.problem.input_sets.front(), experiment.gates);
    ASSERT_FALSE(report.failure) << genome.text() << words(*report.failure);
    const I columns = std::get<I>(genome.at("BLOCK_N")) + std::get<I>(genome.at("S_PAD"));
    const I row_bytes = columns * (genome.at("S_DTYPE") == model::Value{"half"} ? 2 : 4);
    ASSERT_EQ(report.notes.size(), bound->sanitize_shapes.size());
    for (const model::Evidence& note : report.notes) {
      std::map<std::string, std::string> details(note.details.begin(), note.details.end());
      const I predicted = std::stoll(details["predicted"]), touched = std::stoll(details["touched"]);
      EXPECT_LE(touched, predicted) << note.message;
      EXPECT_LT(predicted - touched, row_bytes) << note.message;
    }
  }
}

struct BarrierCase {
  std::string name;
  bool enough;
  Genes genes;
};
void PrintTo(const BarrierCase& site, std::ostream* out) {
  *out << site.name;
}

class ScalarBarriers : public ScalarOnLadder, public testing::WithParamInterface<BarrierCase> {};

// The initial genome has 4 warps and COL_THREADS 8; tiles of 16 keys keep the shapes small.
std::vector<BarrierCase> barrier_cases() {
  const Genes same_threads{{"THREADS_PER_ROW", I{8}}};  // COL_THREADS == THREADS_PER_ROW
  const Genes one_thread{
      {"BLOCK_M", I{64}}, {"NUM_WARPS", I{2}}, {"ROWS_PER_THREAD", I{1}}, {"THREADS_PER_ROW", I{1}}};
  const Genes two_buffers{{"KV_BUFFERS", I{2}}};
  const Genes one_warp{{"NUM_WARPS", I{1}}};
  const auto also = [](Genes genes, const Genes& more) {
    genes.insert(genes.end(), more.begin(), more.end());
    return genes;
  };
  return {
      {"q_none_covered_by_the_first_tile", true, {{"SYNC_Q_LOADED", "none"}}},
      {"q_none_with_two_buffers_is_covered_too", true, also(two_buffers, {{"SYNC_Q_LOADED", "none"}})},
      {"q_and_tile_none", false, also(two_buffers, {{"SYNC_Q_LOADED", "none"}, {"SYNC_KV_LOADED", "none"}})},
      {"tile_none", false, {{"SYNC_KV_LOADED", "none"}}},
      {"tile_none_with_two_buffers", true, also(two_buffers, {{"SYNC_KV_LOADED", "none"}})},
      {"scores_none", false, {{"SYNC_S_READY", "none"}}},
      {"scores_none_in_own_threads", true, also(same_threads, {{"SYNC_S_READY", "none"}})},
      {"scores_warp", false, {{"SYNC_S_READY", "warp"}}},
      {"weights_none", false, also(same_threads, {{"SYNC_P_READY", "none"}})},
      {"weights_warp_in_own_warp", true, also(same_threads, {{"SYNC_P_READY", "warp"}})},
      {"weights_warp", false, {{"SYNC_P_READY", "warp"}}},
      {"weights_none_in_own_thread", true, also(one_thread, {{"SYNC_P_READY", "none"}})},
      {"overwrite_none", false, {{"SYNC_BEFORE_OVERWRITE", "none"}}},
      {"overwrite_warp", false, {{"SYNC_BEFORE_OVERWRITE", "warp"}}},
      {"overwrite_none_with_two_buffers", true, also(two_buffers, {{"SYNC_BEFORE_OVERWRITE", "none"}})},
      {"all_warp_in_one_warp", true,
       also(one_warp, {{"SYNC_Q_LOADED", "warp"},
                       {"SYNC_KV_LOADED", "warp"},
                       {"SYNC_S_READY", "warp"},
                       {"SYNC_P_READY", "warp"},
                       {"SYNC_BEFORE_OVERWRITE", "warp"}})},
      // Lanes in lockstep would hide this one; nothing promises it.
      {"scores_none_in_one_warp", false, also(one_warp, {{"SYNC_S_READY", "none"}})},
  };
}

TEST_P(ScalarBarriers, AreNeededOrNot) {
  const model::Experiment experiment = small_attention();
  OnLadder ladder(experiment);
  const model::Space space = ladder.space();
  const model::Genome genome =
      with_genes(with_genes(space.initial(), {{"BLOCK_N", I{16}}}), GetParam().genes);
  ASSERT_EQ(space.violation(genome), std::nullopt);
  const auto report = ladder.prove(genome);
  if (GetParam().enough) {
    EXPECT_TRUE(report.valid()) << verdict(report);
    return;
  }
  ASSERT_FALSE(report.valid()) << "a race that nobody saw";
  EXPECT_EQ(report.failed_gate(), "sanitize") << verdict(report);
  EXPECT_EQ(report.failure()->reason, "race_shared") << verdict(report);
  EXPECT_EQ(report.failure()->evidence.front().file, "scalar.cu");
  EXPECT_GT(report.failure()->evidence.front().line, 0);
}

INSTANTIATE_TEST_SUITE_P(Sites, ScalarBarriers, testing::ValuesIn(barrier_cases()),
                         [](const auto& site) { return site.param.name; });

}  // namespace
}  // namespace evo::tests
