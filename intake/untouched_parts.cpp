#include "intake/untouched_parts.hpp"

#include <algorithm>

#include "intake/probe_run.hpp"
#include "intake/size_candidates.hpp"

namespace evo::intake {
namespace {

/// Thread instructions of all launches that look for parts that only some data leaves.
constexpr std::uint64_t most_for_parts = 200'000'000;

void forget_what_more_blocks_write(ProbeRun& run, const std::vector<std::int64_t>& bytes,
                                   std::vector<std::vector<std::uint8_t>>& alone) {
  const auto grid = run.grid(), block = run.block();
  for (std::size_t side = 0; side < 3; ++side) {
    const bool any =
        std::ranges::any_of(alone, [](const auto& left) { return std::ranges::count(left, 1) > 0; });
    // Along a side that the launch does not have, all blocks would do the same.
    if (!any || (side > 0 && grid[side] == 1 && block[side] == 1)) continue;
    auto more = grid;
    more[side] *= 2;
    run.set_launch(more, block);
    const auto beyond = run.left_alone(bytes);
    for (std::size_t i = 0; beyond && i < alone.size(); ++i) {
      bool writes_more = false;
      for (std::size_t e = 0; e < alone[i].size() && e < beyond->at(i).size(); ++e)
        writes_more = writes_more || (alone[i][e] == 1 && beyond->at(i)[e] == 0);
      // Nor is what still more would write, which nobody knows.
      if (writes_more) std::ranges::fill(alone[i], std::uint8_t{0});
    }
  }
  run.set_launch(grid, block);
}

}  // namespace

std::vector<bool> find_untouched_parts(const Draft& draft, const model::Artifact& reference) {
  ProbeRun run(draft, reference, Probed::reference, scales_of(draft, Probed::reference).front());
  if (!run.ready()) return {};
  const auto sizes = launch_reference(draft, run);
  if (!sizes) return {};
  const std::vector<std::int64_t>& bytes = *sizes;
  std::vector<bool> parts(bytes.size(), false);
  std::vector<bool> written(bytes.size(), false);  // in part at least, by some data
  const auto look = [&] {
    auto alone = run.left_alone(bytes);
    if (!alone) return false;
    // What more blocks write is no part that is to keep what was there: the launch is too small.
    forget_what_more_blocks_write(run, bytes, *alone);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool some = std::ranges::count(alone->at(i), 1) > 0;
      written[i] = written[i] || std::ranges::count(alone->at(i), 0) > 0;
      parts[i] = parts[i] || (some && written[i]);
    }
    return true;
  };
  if (!look()) return {};
  // Rows that no index leads to, and those of one that says "none".
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto range = run.told_range(i);
    const std::string& role = draft.arguments[i].role;
    // A permutation held at one number is none: of what it leads to, only one place would be written.
    const bool once = std::ranges::any_of(draft.arguments[i].keys, [](const auto& key) {
      const auto says = [&](const char* form) { return key.second.find(form) != std::string::npos; };
      return key.first == "fill" && (says("permutation") || says("distinct"));
    });
    if (!range || once || draft.arguments[i].role == "scalar" || (role != "input" && role != "inout"))
      continue;
    if (run.spent() > most_for_parts) break;
    for (const std::int64_t end : {range->first, range->second}) {
      run.hold(ProbeRun::Held{i, end, false});
      (void)look();  // offsets that are all the same may be none that the reference can take
      run.hold(std::nullopt);
    }
  }
  return parts;
}

}  // namespace evo::intake
