#include "evaluators/gates/block_sample.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::gates {
namespace {

/// Up to this much a launch costs some milliseconds, and runs whole on its first input set.
constexpr double whole_flops = 4194304;  // 2^22
/// A job that runs whole launches still samples those that would take seconds.
constexpr double most_whole_flops = 134217728;  // 2^27
constexpr std::uint64_t most_whole_threads = std::uint64_t{1} << 20;
constexpr double sampled_flops = 8388608;  // 2^23
/// Of crossed cases there are dozens.
constexpr double crossed_flops_whole = 1048576;  // 2^20
constexpr std::uint64_t most_crossed_blocks = 32;
/// The first launch of each: those of an axis beyond 20 bits among them, some of whose elements no sample
/// has.
constexpr double first_crossed_flops = 16777216;  // 2^24
constexpr std::uint64_t first_crossed_threads = std::uint64_t{3} << 20;
constexpr std::uint64_t fewest_blocks = 2, most_blocks = 16, most_in_search = 4, most_whole_blocks = 64;

/// What the host gave an output counts as written: nothing tells there what a sample of blocks has made. Of
/// an output that is reduced a sample has no whole element.
bool has_given_outputs(const model::Case& bound) {
  return std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    return model::is_judged(argument.role) &&
           (model::is_given(argument.role) || argument.zeroed || argument.reduce != model::Reduction::none);
  });
}

}  // namespace

std::vector<std::uint64_t> sample_blocks(const DeviceJob& job, std::size_t case_index, LaunchOfCase which,
                                         model::RandomStream& stream) {
  const model::Case& bound = job.cases[case_index];
  const auto& grid = bound.launch.grid;
  const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  const CaseUse use = use_of(job, case_index);
  const bool crossed = use == CaseUse::crossed || use == CaseUse::rescaled;
  const bool stretched = use == CaseUse::stretched || use == CaseUse::alone || crossed;
  if (!bound.launch.then.empty()) return {};  // each kernel has what the one before it wrote
  if (blocks <= 2 * fewest_blocks || oracle::has_64bit_strides(bound)) return {};
  if (has_given_outputs(bound)) return {};
  const std::uint64_t threads =
      blocks * bound.launch.block[0] * bound.launch.block[1] * bound.launch.block[2];
  // A block may do the work of a whole tile for a single row, so that operations do not tell what many cost.
  const bool affordable_whole = crossed ? bound.flops <= crossed_flops_whole && blocks <= most_crossed_blocks
                                        : bound.flops <= most_whole_flops && threads <= most_whole_threads;
  if (job.whole_launches && (!stretched || affordable_whole)) return {};
  if (job.whole_launches && crossed && which.first && bound.flops <= first_crossed_flops &&
      threads <= first_crossed_threads)
    return {};
  const bool small = bound.flops <= whole_flops;
  if (small && which.first_set && !crossed && !(stretched && blocks > most_whole_blocks)) return {};
  if (crossed && affordable_whole) return {};
  const double of_a_block = std::max(bound.flops / static_cast<double>(blocks), 1.0);
  const double most_sampled = crossed ? crossed_flops_whole : sampled_flops;
  const auto affordable = static_cast<std::uint64_t>(std::min(most_sampled / of_a_block, 1e6));
  const std::uint64_t count =
      small && !stretched ? fewest_blocks
                          : std::clamp<std::uint64_t>(affordable, fewest_blocks,
                                                      job.whole_launches ? most_blocks : most_in_search);
  if (count * 2 > blocks) return {};
  // The last block has the tail.
  std::set<std::uint64_t> chosen{blocks - 1};
  while (chosen.size() < count) chosen.insert(stream.below(blocks));
  return {chosen.begin(), chosen.end()};
}

}  // namespace evo::evaluators::gates
