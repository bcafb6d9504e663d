// Known bugs of attention kernels as edits of the scalar template: is the cause that was seeded the one that
// is stated, and how far is the line from the edit? Twenty of the table are drawn at random
// (EVO_DIAGNOSE_SEED; the number is printed). EVO_DIAGNOSE_ALL=1: all of them. EVO_DIAGNOSE_BLIND=1: without
// the template's own source to compare with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "model/random.hpp"
#include "tests/diagnose/support.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

struct Bug {
  std::string name;
  std::string from, to;  ///< in scalar.cu, once
  std::vector<std::string> causes;
  Genes genes{};
};

const std::vector<Bug>& bugs() {
  static const std::vector<Bug> all{
      {"pitch",
       "ROW_PITCH = HEAD_DIM + SMEM_PAD;",
       "ROW_PITCH = HEAD_DIM + SMEM_PAD / 8;",
       {"misaligned_shared_pitch"}},
      {"no barrier before K", "    EVO_SYNC(SYNC_KV_LOADED);\n#endif", "\n#endif", {"missing_barrier"}},
      {"no barrier before softmax",
       "    EVO_SYNC(SYNC_S_READY);\n",
       "\n",
       {"missing_barrier", "missing_warp_barrier"}},
      {"no barrier before PV",
       "    EVO_SYNC(SYNC_P_READY);\n",
       "\n",
       {"missing_barrier", "missing_warp_barrier"}},
      {"no barrier before overwrite", "    EVO_SYNC(SYNC_BEFORE_OVERWRITE);\n", "\n", {"missing_barrier"}},
      {"O not rescaled", "out[i][d] *= alpha;", "out[i][d] *= 1.0f;", {"output_not_rescaled"}},
      {"O rescaled inversely",
       "out[i][d] *= alpha;",
       "out[i][d] *= alpha > 0.0f ? 1.0f / alpha : 0.0f;",
       {"output_not_rescaled"}},
      {"O overwritten", "out[i][d] *= alpha;", "out[i][d] = 0.0f;", {"output_not_rescaled"}},
      {"l not rescaled",
       "sum = fmaf(row_sum[row], alpha, sum);",
       "sum = row_sum[row] + sum;",
       {"sum_not_rescaled"}},
      {"l lost",
       "sum = fmaf(row_sum[row], alpha, sum);",
       "sum = fmaf(0.0f, alpha, sum);",
       {"sum_not_rescaled"}},
      {"alpha inverted",
       "alpha = exponential(row_max[row] - top);",
       "alpha = exponential(top - row_max[row]);",
       {"sum_not_rescaled", "output_not_rescaled"}},
      {"no maximum",
       "      float sum = 0.0f;\n",
       "      top = 0.0f; float sum = 0.0f;\n",
       {"maximum_not_subtracted"}},
      {"maximum from zero",
       "      float top = minus_infinity();\n",
       "      float top = 0.0f;\n",
       {"maximum_clamped"}},
      {"mask one late",
       "min(seq - 1, first_query + row)",
       "min(seq - 1, first_query + row + 1)",
       {"causal_mask"}},
      {"mask one early",
       "min(seq - 1, first_query + row)",
       "min(seq - 1, max(0, first_query + row - 1))",
       {"causal_mask"}},
      {"mask by local row", "min(seq - 1, first_query + row)", "min(seq - 1, row)", {"causal_mask"}},
      {"no causal mask",
       "const int last_key = causal ? min(seq - 1, first_query + row) : seq - 1;",
       "const int last_key = seq - 1;",
       {"causal_mask"}},
      {"tail not masked",
       "    const bool masked = true;\n",
       "    const bool masked = causal != 0;\n",
       {"tail_not_masked"}},
      {"load past the end",
       "    if (first_row + row < end_row) {\n",
       "    if (first_row + row < end_row + 64) {\n",
       {"tail_access_out_of_bounds"}},
      {"store past the end",
       "    if (first_query + row >= seq) continue;\n",
       "    if (first_query + row < 0) continue;\n",
       {"tail_access_out_of_bounds"}},
      {"V rows swapped",
       "v_tile + (key + n) * ROW_PITCH",
       "v_tile + ((key + n) ^ 1) * ROW_PITCH",
       {"wrong_product_pv"}},
      {"one key left out of PV",
       "for (int key = 0; key < BLOCK_N; key += P_VEC) {",
       "for (int key = P_VEC; key < BLOCK_N; key += P_VEC) {",
       {"wrong_product_pv"}},
      {"K rows swapped",
       "k_tile + (column + j * COL_THREADS) * ROW_PITCH + d",
       "k_tile + ((column + j * COL_THREADS) ^ 1) * ROW_PITCH + d",
       {"wrong_product_qk"}},
      {"part of the dot product",
       "for (int d = 0; d < HEAD_DIM; d += READ_VEC) {",
       "for (int d = 0; d < HEAD_DIM - READ_VEC; d += READ_VEC) {",
       {"wrong_product_qk"}},
      {"maximum of half a row",
       "for (int step = THREADS_PER_ROW / 2; step > 0; step /= 2) {\n        top =",
       "for (int step = THREADS_PER_ROW / 2; step > 1; step /= 2) {\n        top =",
       {"row_maximum_incomplete"}},
      {"sum of half a row",
       "for (int step = THREADS_PER_ROW / 2; step > 0; step /= 2)\n        sum +=",
       "for (int step = THREADS_PER_ROW / 2; step > 1; step /= 2)\n        sum +=",
       {"row_sum_incomplete"}},
      {"last tile left out",
       "first_key < end_key; first_key += BLOCK_N",
       "first_key + BLOCK_N < end_key + 1; first_key += BLOCK_N",
       {"keys_dropped", "uninitialised_shared"}},
      {"no scale",
       "const float score_scale = scale * EXPONENT_SCALE;",
       "const float score_scale = EXPONENT_SCALE;",
       {"wrong_scale"}},
      {"scale twice",
       "const float score_scale = scale * EXPONENT_SCALE;",
       "const float score_scale = scale * scale * EXPONENT_SCALE;",
       {"wrong_scale"}},
      {"exp2 without log2(e)", "  return expf(x);\n", "  return exp2f(x);\n", {"wrong_scale"}},
      {"barrier in a branch",
       "    EVO_SYNC(SYNC_S_READY);\n",
       "    if (thread < 64) EVO_SYNC(SYNC_S_READY);\n",
       {"barrier_not_reached"}},
      {"view taken for dense",
       "blockIdx.z * batch_stride + blockIdx.y * head_stride;",
       "(blockIdx.z * gridDim.y + blockIdx.y) * static_cast<long long>(seq) * HEAD_DIM;",
       {"stride_ignored"}},
      {"row stride of O ignored",
       "o + (first_query + row) * o_row_stride;",
       "o + (first_query + row) * HEAD_DIM;",
       {"stride_ignored", "wrong_store_place"}},
      {"S in FP16",
       "Score to_score(float value) {\n  return value;",
       "Score to_score(float value) {\n  return __half2float(__float2half(value));",
       {"storage_precision"}},
      {"exponential of degree 2",
       "  return expf(x);\n",
       "  const float y = fmaxf(x, -80.0f) * 1.4426950f, w = floorf(y), f = y - w; return x < -80.0f ? 0.0f "
       ": ldexpf(1.0f + f * (0.6565f + f * 0.3435f), static_cast<int>(w));\n",
       {"approximate_exponential"}},
      {"sum of another row", "1.0f / row_sum[row];", "1.0f / row_sum[my_row];", {"wrong_epilogue"}},
  };
  return all;
}

struct Outcome {
  bool cause = false, line = false, fast = false;
};

/// Lines of `text` before position `at`, plus one.
int line_of(const std::string& text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

Outcome diagnose_bug(const model::Problem& problem, const Bug& bug, bool blind) {
  std::string source = problem.find_template("scalar")->source;
  const std::size_t at = source.find(bug.from);
  if (at == std::string::npos || source.find(bug.from, at + 1) != std::string::npos)
    throw std::runtime_error(bug.name + ": its place is not in scalar.cu, or not once");
  source.replace(at, bug.from.size(), bug.to);
  std::size_t same = 0;
  while (same < std::min(bug.from.size(), bug.to.size()) && bug.from[same] == bug.to[same]) ++same;
  const int line = line_of(source, at + same);
  diagnose::Subject subject = make_subject(problem, "scalar", bug.genes, source);
  subject.known_genome.reset();
  if (blind) subject.known_source.reset();
  const diagnose::PostMortem report = run_diagnosis(subject, 60).post_mortem;
  const std::string stated = first_cause(report);
  Outcome outcome;
  outcome.cause = std::find(bug.causes.begin(), bug.causes.end(), stated) != bug.causes.end();
  int distance = 999;
  for (std::size_t i = 0; i < std::min<std::size_t>(report.places.size(), 1); ++i)
    distance = std::min(distance, std::abs(report.places[i].line - line));
  outcome.line = distance <= 3;
  outcome.fast = report.seconds < 60;
  fmt::print("{:<26} {} {:<26} line {} {} ({}){} {:5.1f} s\n", bug.name,
             outcome.cause ? "cause ok " : "CAUSE NOT", stated, line, outcome.line ? "ok" : "NOT",
             report.places.empty() ? 0 : report.places[0].line, report.failing ? "" : " NOTHING FAILED",
             report.seconds);
  if (!outcome.cause) fmt::print("{}", text_report(report));
  std::fflush(stdout);
  return outcome;
}

TEST(SeededBugs, TheStatedCauseIsTheSeededOne) {
  if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  const model::Problem problem = shipped_problem("attention_forward");
  const char* const text = std::getenv("EVO_DIAGNOSE_SEED");
  const std::uint64_t seed = text ? std::strtoull(text, nullptr, 10) : 1;
  const bool all = std::getenv("EVO_DIAGNOSE_ALL") != nullptr,
             blind = std::getenv("EVO_DIAGNOSE_BLIND") != nullptr;
  std::vector<Bug> chosen = bugs();
  model::RandomStream stream({.seed = seed, .generation = 0, .slot = 0, .purpose = "seeded bugs"});
  for (std::size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[stream.below(i)]);
  if (!all) chosen.resize(20);
  fmt::print("seed {}, {} of {} bugs{}\n", seed, chosen.size(), bugs().size(), blind ? ", blind" : "");
  int causes = 0, lines = 0;
  for (const Bug& bug : chosen) {
    const Outcome outcome = diagnose_bug(problem, bug, blind);
    causes += outcome.cause;
    lines += outcome.line;
  }
  const int count = static_cast<int>(chosen.size());
  fmt::print("cause right in {} of {}, line within three in {} of {}\n", causes, count, lines, count);
  EXPECT_GE(causes * 20, count * 17);
  if (!blind) {
    EXPECT_GE(lines * 20, count * 15);
  }
}

}  // namespace
}  // namespace evo::tests
