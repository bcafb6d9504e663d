// The hopper template on the virtual device: with cp.async, which asks for no tensor maps, its products are
// wgmma's alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "model/random.hpp"
#include "tests/kernels/compiled.hpp"
#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;
using evaluators::devices::CheckLevel;
namespace sem = evaluators::virtual_device::semantics;

struct AttentionSize {
  int head_dim, seq, heads;
  bool causal;
};

class HopperRuns : public AttentionTemplate {
 protected:
  HopperRuns() : AttentionTemplate("hopper") {}

  void check(const AttentionSize& size, const Genes& genes, int stages, int keys) {
    const model::Space bound = space(size.head_dim, "h200");
    Genes all = {{"COPY", "cp_async"}, {"PRODUCER", "self"}, {"STAGES", I{stages}}, {"BLOCK_N", I{keys}}};
    all = also(all, genes);
    const model::Genome genome = with_genes(bound.initial(), all);
    ASSERT_EQ(bound.violation(genome), std::nullopt) << genome.text();
    SCOPED_TRACE(genome.text());
    const auto artifact = compile_genome(kernel_, bound, genome, "sm_90a");
    ASSERT_TRUE(artifact) << words(artifact.error());
    for (const CheckLevel checks : {CheckLevel::exact, CheckLevel::none})
      run(size, *artifact, stages, keys, checks);
  }

 private:
  void run(const AttentionSize& size, const model::Artifact& artifact, int stages, int keys,
           CheckLevel checks) {
    const auto elements = static_cast<std::size_t>(size.heads * size.seq * size.head_dim);
    model::RandomStream random({5, static_cast<std::uint64_t>(size.seq), 0, "hopper"});
    std::vector<std::uint16_t> inputs[3];
    for (auto& input : inputs) {
      for (std::size_t i = 0; i < elements; ++i)
        input.push_back(static_cast<std::uint16_t>(sem::to_half(static_cast<float>(random.normal())).bits));
    }
    Rig rig(artifact.ptx, artifact.entry);
    rig.options.checks = checks;
    const auto out = rig.empty<std::uint16_t>("O", elements);
    const std::int64_t head = std::int64_t{size.seq} * size.head_dim, batch = size.heads * head,
                       row = size.head_dim;
    const std::array<std::byte, 128> no_map{};
    const float scale = 1 / std::sqrt(static_cast<float>(size.head_dim));
    const auto smem =
        static_cast<std::uint32_t>(2 * size.head_dim * (64 + 2 * stages * keys) + 8 + 8 * stages * 4);
    const auto done = rig.launch(
        {{static_cast<std::uint32_t>((size.seq + 63) / 64), static_cast<std::uint32_t>(size.heads), 1},
         {128, 1, 1},
         smem},
        {pointer(rig.buffer("Q", inputs[0])), pointer(rig.buffer("K", inputs[1])),
         pointer(rig.buffer("V", inputs[2])), pointer(out), scalar(batch), scalar(head), scalar(row),
         scalar(batch), scalar(head), scalar(row), scalar(size.seq), scalar(size.causal ? 1 : 0),
         scalar(scale), scalar(no_map), scalar(no_map), scalar(no_map)});
    ASSERT_TRUE(done) << words(done.error());
    const auto got = rig.contents<std::uint16_t>(out, elements);
    EXPECT_LT(worst(size, inputs, got), 4e-3);
  }

  static double worst(const AttentionSize& size, const std::vector<std::uint16_t> (&inputs)[3],
                      const std::vector<std::uint16_t>& got) {
    const auto value = [](const std::vector<std::uint16_t>& of, int head, int row, int column,
                          const AttentionSize& s) {
      return double{
          sem::to_f32(sem::Half{of[static_cast<std::size_t>((head * s.seq + row) * s.head_dim + column)]})};
    };
    double largest = 0;
    for (int head = 0; head < size.heads; ++head) {
      for (int row = 0; row < size.seq; row += 7) {
        std::vector<double> weights;
        double most = -1e30, sum = 0;
        for (int key = 0; key < (size.causal ? row + 1 : size.seq); ++key) {
          double score = 0;
          for (int i = 0; i < size.head_dim; ++i)
            score += value(inputs[0], head, row, i, size) * value(inputs[1], head, key, i, size);
          weights.push_back(score / std::sqrt(static_cast<double>(size.head_dim)));
          most = std::max(most, weights.back());
        }
        for (double& weight : weights) sum += weight = std::exp(weight - most);
        for (int i = 0; i < size.head_dim; ++i) {
          double expected = 0;
          for (std::size_t key = 0; key < weights.size(); ++key)
            expected += weights[key] * value(inputs[2], head, static_cast<int>(key), i, size);
          largest = std::max(largest, std::fabs(expected / sum - value(got, head, row, i, size)));
        }
      }
    }
    return largest;
  }
};

TEST_F(HopperRuns, AsItsPlainAndItsOverlappedLoopsGo) {
  check({64, 200, 2, false}, {}, 2, 64);
  check({64, 200, 1, true}, {{"OVERLAP", I{0}}, {"PV_CHUNKS", I{2}}}, 2, 64);
  check({32, 150, 1, true}, {{"Q_SOURCE", "registers"}, {"MASK_PLACE", "accumulators"}}, 2, 32);
}

TEST_F(HopperRuns, WithLargeHeads) {
  check({128, 512, 1, true}, {{"O_STORE", "quad"}, {"POWERS_PINNED", I{1}}}, 1, 64);
}

}  // namespace
}  // namespace evo::tests
