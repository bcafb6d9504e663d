// The check of proxy fences on what the compiler makes of the hopper template.
#include "evaluators/gates/proxy_fences.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include <fmt/format.h>

#include "tests/kernels/compiled.hpp"
#include "tests/suites/seeded.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;
using evaluators::gates::check_proxy_fences;

/// Machine code takes most of a compile, and nobody looks at it here.
model::Artifact ptx_only(const model::Template& kernel, const std::string& source) {
  evaluators::compile::CompileRequest request;
  request.arch = "compute_90a";
  std::vector<std::string> options = evaluators::compile::fixed_options(request);
  std::erase_if(options, [](const std::string& option) { return option.starts_with("--pre-include"); });
  for (const auto& folder : nvrtc()->include_folders()) options.push_back("--include-path=" + folder);
  const auto output =
      nvrtc()->compile(source, "hopper.cu", {kernel.headers.begin(), kernel.headers.end()}, options);
  if (output.result != evaluators::compile::NvrtcResult::success) throw std::runtime_error(output.log);
  model::Artifact artifact;
  artifact.ptx = output.ptx;
  artifact.source_file = "hopper.cu";
  return artifact;
}

class ProxyFencesOfHopper : public AttentionTemplate {
 protected:
  ProxyFencesOfHopper() : AttentionTemplate("hopper") {}

  [[nodiscard]] std::optional<model::Failure> check(const model::Template& kernel, I head_dim,
                                                    const model::Genome& genome) const {
    const model::Space bound = bound_space(problem_, "hopper", head_dim, "h200");
    return check_proxy_fences(ptx_only(kernel, model::render_source(kernel, bound, genome)));
  }
  [[nodiscard]] model::Genome genome(const Genes& genes) const {
    const model::Space bound = bound_space(problem_, "hopper", 64, "h200");
    const model::Genome made = with_genes(bound.initial(), genes);
    EXPECT_EQ(bound.violation(made), std::nullopt) << made.text();
    return made;
  }
  /// The template with a bug of the table.
  [[nodiscard]] model::Template with_bug(const std::string& name) const {
    model::Template kernel = kernel_;
    for (const suites::SeededBug& bug : seeded_bugs()) {
      if (bug.name == name) or_throw(suites::seed_bug(kernel, bug));
    }
    EXPECT_TRUE(kernel.source != kernel_.source || kernel.headers != kernel_.headers) << name;
    return kernel;
  }
};

const std::string self = "self", warp = "warp", warpgroup = "warpgroup", tma = "tma", cp_async = "cp_async";

/// Whoever copies, and every number of parts.
std::vector<Genes> ways_to_copy() {
  std::vector<Genes> all;
  for (const auto& [copy, producer] :
       {std::pair{tma, self}, std::pair{tma, warp}, std::pair{tma, warpgroup}, std::pair{cp_async, self}}) {
    for (const I parts : {1, 2, 4}) {
      all.push_back({{"COPY", copy},
                     {"PRODUCER", producer},
                     {"SPLIT_KV", parts},
                     {"BLOCK_N", I{32}},
                     {"STAGES", I{3}},
                     {"PINGPONG", I{parts > 1}}});
    }
  }
  return all;
}

TEST_F(ProxyFencesOfHopper, EveryWayToCopyHasThem) {
  for (const Genes& genes : ways_to_copy()) {
    const auto failure = check(kernel_, 64, genome(genes));
    EXPECT_FALSE(failure) << genome(genes).text() << words(*failure);
  }
}

// EVO_PROXY_GENOMES=N: N of each head_dim, in place of 4.
TEST_F(ProxyFencesOfHopper, SampledGenomesHaveThem) {
  const char* const wanted = std::getenv("EVO_PROXY_GENOMES");
  const int each = wanted != nullptr ? std::atoi(wanted) : 4;
  std::mt19937 random(2026);
  int samples = 0;
  for (const I head_dim : {32, 64, 128}) {
    const model::Space bound = space(head_dim);
    for (int sample = 0; sample < each; ++sample, ++samples) {
      // One in four copies by cp.async, which few random genomes may.
      const Genes fixed =
          sample % 4 == 3
              ? Genes{{"COPY", cp_async},  {"PRODUCER", self}, {"WARPGROUPS_M", I{1}}, {"CLUSTER", I{1}},
                      {"QK_CHUNKS", I{1}}, {"K_AHEAD", I{0}},  {"EARLY_LOADS", I{0}},  {"QUERY_BLOCKS", I{1}}}
              : Genes{};
      const auto genome = random_legal_genome(bound, random, Barriers::any, fixed);
      ASSERT_TRUE(genome);
      const auto failure = check(kernel_, head_dim, *genome);
      EXPECT_FALSE(failure) << head_dim << " " << genome->text() << words(*failure);
    }
  }
  fmt::print("{} genomes\n", samples);
}

TEST_F(ProxyFencesOfHopper, OrdinaryCopiesWithoutOneAreFoundWhereverTheyAreHandedOver) {
  const model::Template kernel = with_bug("hopper: no proxy fence after generic stores");
  for (const Genes& genes : ways_to_copy()) {
    const model::Genome made = genome(genes);
    const auto failure = check(kernel, 64, made);
    // With cp_async each reader has a fence of its own behind its waits, and these stores are before them.
    if (made.at("COPY") == model::Value{cp_async}) {
      EXPECT_FALSE(failure) << made.text() << words(*failure);
      continue;
    }
    ASSERT_TRUE(failure) << made.text();
    EXPECT_EQ(failure->reason, "proxy_fence");
    ASSERT_EQ(failure->evidence.size(), 1U) << words(*failure);
    EXPECT_NE(failure->evidence[0].file.find("evo_wgmma_producer.cuh"), std::string::npos);
    const bool handed_over = failure->evidence[0].message.find("mbarrier.arrive") != std::string::npos;
    EXPECT_EQ(handed_over, made.at("PRODUCER") != model::Value{self}) << words(*failure);
  }
}

TEST_F(ProxyFencesOfHopper, AsynchronousCopiesNeedThatOfTheReaders) {
  const model::Template kernel = with_bug("hopper: no proxy fence after cp.async");
  for (const Genes& genes : ways_to_copy()) {
    const model::Genome made = genome(genes);
    const auto failure = check(kernel, 64, made);
    EXPECT_EQ(failure.has_value(), made.at("COPY") == model::Value{cp_async}) << made.text();
    if (!failure) continue;
    EXPECT_NE(failure->evidence[0].message.find("cp.async"), std::string::npos);
  }
}

TEST_F(ProxyFencesOfHopper, BeforeTheWaitItIsNone) {
  model::Template kernel = kernel_;
  std::string& header = kernel.headers.at("evo_wgmma_consumer.cuh");
  const std::string wait = "    mbarrier_wait(full + 8 * barrier, (tiles_before + i) / STAGES & 1);\n";
  const std::string fence = "    if (!USE_TMA) fence_proxy_async();\n";
  const std::size_t place = header.find(wait + fence);
  ASSERT_NE(place, std::string::npos);
  header.replace(place, wait.size() + fence.size(), fence + wait);
  EXPECT_TRUE(check(kernel, 64, genome({{"COPY", cp_async}, {"PRODUCER", self}})));
}

/// Blocks take tiles in turn; the consumers leave their results in shared memory, from where one thread has
/// them copied out. FENCED 1: the writers' fence stands where it belongs; 2: behind the barrier, in all
/// threads but the one that copies; 0: nowhere.
const std::string tiles_in_turn = R"(
__device__ __noinline__ void put(float* place, float value) {
  *place = value;
#if FENCED == 1
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {  // labels of its own
  asm volatile(
      "{\n.reg .pred p;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory");
}
extern "C" __global__ void __launch_bounds__(160) turns(float* out, const float* in, int tiles) {
  __shared__ alignas(128) float results[128];
  __shared__ unsigned long long full, empty;
  const unsigned full_at = static_cast<unsigned>(__cvta_generic_to_shared(&full));
  const unsigned empty_at = static_cast<unsigned>(__cvta_generic_to_shared(&empty));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full_at) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(empty_at) : "memory");
  }
  __syncthreads();
  for (int tile = blockIdx.x, turn = 0; tile < tiles; tile += gridDim.x, ++turn) {
    if (threadIdx.x >= 128) {
      wait(empty_at, turn & 1);
#if FENCED == 2
      if (threadIdx.x > 128) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
      if (threadIdx.x == 128) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(out + 128 * tile),
                     "r"(static_cast<unsigned>(__cvta_generic_to_shared(results))) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(full_at) : "memory");
      }
    } else {
      if (turn > 0) wait(full_at, turn + 1 & 1);
      put(results + threadIdx.x, in[128 * tile + threadIdx.x] * 2.0f);
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty_at) : "memory");
    }
  }
}
)";

TEST_F(ProxyFencesOfHopper, KernelsThatStoreInBulkNeedThemToo) {
  const auto check = [&](int fenced) {
    return check_proxy_fences(
        ptx_only(kernel_, fmt::format("#define FENCED {}\n#line 1 \"turns.cu\"\n", fenced) + tiles_in_turn));
  };
  EXPECT_FALSE(check(1)) << words(*check(1));
  for (const int faulty : {0, 2}) {
    const auto failure = check(faulty);
    ASSERT_TRUE(failure) << faulty;
    ASSERT_EQ(failure->evidence.size(), 1U) << words(*failure);
    EXPECT_EQ(failure->evidence[0].line, 3) << words(*failure);
    EXPECT_NE(failure->evidence[0].message.find("cp.async.bulk.global"), std::string::npos);
  }
}

}  // namespace
}  // namespace evo::tests
