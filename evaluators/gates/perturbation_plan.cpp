#include <algorithm>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/perturbation.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::size_t batch_launches = 4;
constexpr std::uint64_t input_rotations = 3;
/// Far from those of the correctness and latency gates, so that these inputs are fresh.
constexpr std::uint64_t first_rotation = 1000;
constexpr std::int64_t most_case_bytes = std::int64_t{64} << 20;
constexpr std::uint64_t most_spacer_bytes = std::uint64_t{1} << 20;

std::vector<std::size_t> cases_of(const DeviceJob& job) {
  const std::size_t count = std::min(std::max<std::size_t>(job.workload_count, 1), job.cases.size());
  std::vector<std::size_t> chosen;
  std::size_t smallest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (oracle::case_bytes(job.cases[i]) <= most_case_bytes) chosen.push_back(i);
    if (oracle::case_bytes(job.cases[i]) < oracle::case_bytes(job.cases[smallest])) smallest = i;
  }
  if (chosen.empty() && count > 0) chosen.push_back(smallest);
  return chosen;
}

}  // namespace

std::string text_of(const PerturbedBatch& batch) {
  return fmt::format("{} L2, {}, base addresses {} bytes past 256, {} poison, inputs {}",
                     batch.cold ? "cold" : "warm", batch.load ? "load beside" : "alone",
                     misalignment(batch.alignment_shift), batch.finite_poison ? "finite" : "NaN",
                     batch.rotation - first_rotation + 1);
}

std::vector<PerturbedBatch> plan_perturbation(const DeviceJob& job) {
  const std::vector<std::size_t> cases = cases_of(job);
  std::vector<PerturbedBatch> batches;
  if (cases.empty()) return batches;
  model::RandomStream draws({.seed = job.input_seed, .generation = 0, .slot = 0, .purpose = "perturbation"});
  auto left = static_cast<std::size_t>(std::max(job.perturbed_launches, 0));
  for (std::size_t i = 0; left > 0; ++i) {
    PerturbedBatch batch;
    // Counted through like digits, so that every combination occurs; alignments are not tied to the rest.
    std::size_t digits = i;
    const auto digit = [&digits](std::size_t base) {
      const std::size_t value = digits % base;
      digits /= base;
      return value;
    };
    batch.case_index = cases[digit(cases.size())];
    batch.cold = digit(2) == 1;
    batch.load = digit(2) == 1;
    batch.alignment_shift = static_cast<unsigned>(digit(alignment_count));
    batch.rotation = first_rotation + digit(input_rotations);
    batch.finite_poison = draws.below(3) == 0;
    batch.spacer_bytes = 1 + draws.below(most_spacer_bytes);
    const std::size_t fit = sets_that_fit(job.cases[batch.case_index], batch_launches);
    for (std::size_t launch = 0; launch < std::min(left, fit); ++launch)
      batch.poisons.push_back(draws.next_u32());
    left -= batch.poisons.size();
    batches.push_back(std::move(batch));
  }
  return batches;
}

}  // namespace evo::evaluators::gates
