#include "intake/reference_launch.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "intake/draft_maker.hpp"
#include "intake/probe_run.hpp"

namespace evo::intake {
namespace {

constexpr std::int64_t room = std::int64_t{4} << 20;  // bytes an array: more than small sizes ask for

/// Elements that a launch writes to outputs; nothing where it cannot run.
std::optional<std::int64_t> written(ProbeRun& run, const Draft& draft, const ReferenceLaunch& launch) {
  if (!run.set_launch(launch.grid, launch.block, "")) return std::nullopt;
  const std::vector<std::int64_t> bytes(draft.arguments.size(), room);
  const auto alone = run.left_alone(bytes, 1);  // both launches get the same
  if (!alone) return std::nullopt;
  std::int64_t count = 0;
  for (const auto& argument : *alone) count += std::ranges::count(argument, 0);
  return count;
}

/// Whether twice the blocks of each side that it asks for write no more than `once`.
bool covers(ProbeRun& run, const Draft& draft, const ReferenceLaunch& launch, const std::string& body,
            std::int64_t once) {
  for (std::size_t side = 0; side < launch.grid.size(); ++side) {
    if (body.find(fmt::format("threadIdx.{}", "xyz"[side])) == std::string::npos) continue;
    ReferenceLaunch wider = launch;
    wider.grid[side] = fmt::format("2 * ({})", wider.grid[side]);
    if (written(run, draft, wider) != once) return false;
  }
  return true;
}

}  // namespace

std::optional<ReferenceLaunch> launch_like_kernel(const Draft& draft, const model::Artifact& reference,
                                                  const KernelUse& use, const std::string& body) {
  ReferenceLaunch launch;
  const auto with_first_values = [&](std::string text) {
    for (const DraftGene& gene : draft.genes)
      text = with_name(text, gene.name, gene.initial.empty() ? gene.values.front() : gene.initial);
    return text;
  };
  for (const std::string& side : draft.launch.grid) launch.grid.push_back(with_first_values(side));
  for (const std::string& side : draft.launch.block) launch.block.push_back(with_first_values(side));
  const std::size_t asked = use.z ? 3 : use.y ? 2 : 1;
  if (std::max(launch.grid.size(), launch.block.size()) < asked) return std::nullopt;
  // Along a side that it does not ask for, all blocks would do the same.
  launch.grid.resize(std::min(launch.grid.size(), asked));
  launch.block.resize(std::min(launch.block.size(), asked));
  // Larger than the threads of a block, so that elements are left for several of them to do, if there is
  // room.
  std::int64_t threads = 1;
  if (ProbeRun run(draft, reference, Probed::reference, 1); run.set_launch(launch.grid, launch.block, ""))
    threads = run.threads_of_a_block();
  for (const std::int64_t scale :
       {threads, std::int64_t{64}, std::int64_t{16}, std::int64_t{4}, std::int64_t{1}}) {
    ProbeRun run(draft, reference, Probed::reference, scale);
    if (!run.ready()) return std::nullopt;
    const auto once = written(run, draft, launch);
    if (!once) continue;
    if (!covers(run, draft, launch, body, *once)) return std::nullopt;
    // A grid that counts along another axis than the threads does where that one is long.
    for (std::size_t axis = 0; axis < draft.axes.size() && draft.axes.size() > 1; ++axis) {
      ProbeRun narrow(draft, reference, Probed::reference, scale, false, axis);
      if (!narrow.ready()) continue;
      const auto there = written(narrow, draft, launch);
      if (there && !covers(narrow, draft, launch, body, *there)) return std::nullopt;
    }
    return *once > 0 ? std::optional(launch) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace evo::intake
