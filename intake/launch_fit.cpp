#include "intake/launch_fit.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "intake/launch_guess.hpp"
#include "intake/launch_text.hpp"
#include "intake/probe_run.hpp"

namespace evo::intake {
namespace {

constexpr std::uint64_t most_while_fitting = 600'000'000;

/// All orders of all selections of one to `most` of the names, larger selections first.
std::vector<std::vector<std::string>> selections(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::vector<std::string>> all, level{{}};
  for (std::size_t length = 0; length < most; ++length) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& chosen : level) {
      for (const std::string& name : names) {
        if (std::find(chosen.begin(), chosen.end(), name) != chosen.end()) continue;
        longer.push_back(chosen);
        longer.back().push_back(name);
      }
    }
    all.insert(all.begin(), longer.begin(), longer.end());
    level = std::move(longer);
  }
  return all;
}

class LaunchFitter {
 public:
  LaunchFitter(const Draft& draft, const model::Artifact& kernel, std::int64_t scale, bool reversed)
      : draft_(draft), run_(draft, kernel, Probed::kernel, scale, reversed) {}

  /// Whether all arrays have a size here.
  bool ready() {
    if (!run_.ready()) return false;
    bytes_.assign(draft_.arguments.size(), 0);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (draft_.arguments[i].role == "scalar") continue;
      const auto elements = run_.elements_of(draft_.arguments[i].shape);
      if (!elements || *elements > (std::int64_t{4} << 20)) return false;
      bytes_[i] = *elements * run_.element_bytes(i);
    }
    return true;
  }

  /// In bounds, and no output whose last element nothing touches.
  bool correct(const DraftLaunch& launch) {
    if (run_.spent() > most_while_fitting) return false;
    if (!run_.set_launch(launch.grid, launch.block, launch.dynamic_smem)) return false;
    return std::ranges::any_of(std::vector{ProbeFill::zeros, ProbeFill::ones}, [&](ProbeFill fill) {
      if (!run_.fits(bytes_, fill)) return false;
      for (std::size_t i = 0; i < bytes_.size(); ++i) {
        const std::string& role = draft_.arguments[i].role;
        if ((role != "output" && role != "inout") || bytes_[i] == 0) continue;
        std::vector<std::int64_t> shorter = bytes_;
        shorter[i] -= run_.element_bytes(i);
        if (run_.fits(shorter, fill)) return false;
      }
      return true;
    });
  }

 private:
  const Draft& draft_;
  ProbeRun run_;
  std::vector<std::int64_t> bytes_;
};

/// Elements of a thread, where one is too few: the two of a scan, those of a vector.
constexpr std::array<int, 3> elements_of_a_thread{2, 4, 8};
constexpr std::size_t ways = 3 + elements_of_a_thread.size();

/// The launch itself; with a thread for each element, whatever the text multiplies by; with a block for each;
/// with a thread for several along the first side.
std::vector<DraftLaunch> variants_of(const DraftLaunch& launch, std::vector<std::string> shape) {
  std::vector<DraftLaunch> all(ways, launch);
  // Blocks may count along a side that their threads do not have.
  const std::size_t sides = std::max<std::size_t>({1, launch.block.size(), launch.grid.size()});
  for (std::size_t side = 0; side < 3; ++side) {
    if (side >= sides || shape.empty()) break;
    std::string extent = shape.back();
    shape.pop_back();
    // The last side takes what is left.
    while (side + 1 == sides && !shape.empty()) {
      extent = product_of({shape.back(), extent});
      shape.pop_back();
    }
    for (std::size_t which = 1; which < ways; ++which) {
      std::vector<std::string>& grid = all[which].grid;
      grid.resize(std::max(grid.size(), side + 1), "1");
      std::string threads = side < launch.block.size() ? launch.block[side] : "1";
      const bool several = which > 2 && side == 0;
      if (several) threads = fmt::format("{} * {}", elements_of_a_thread[which - 3], threads);
      grid[side] = which == 2 || threads == "1" ? extent : "ceil_div(" + extent + ", " + threads + ")";
    }
  }
  return all;
}

std::int64_t scale_of(const Draft& draft) {
  const std::size_t axes = draft.axes.size();
  return axes == 1 ? 32 : axes == 2 ? 16 : axes == 3 ? 4 : 2;
}

}  // namespace

bool reaches_all(const Draft& draft, const model::Artifact& kernel) {
  return std::ranges::all_of(std::vector{false, true}, [&](bool reversed) {
    LaunchFitter fitter(draft, kernel, scale_of(draft), reversed);
    return fitter.ready() && fitter.correct(draft.launch);
  });
}

std::optional<DraftLaunch> fit_launch(const Draft& draft, const model::Artifact& kernel,
                                      const LaunchFor& launch_for) {
  const std::size_t axes = draft.axes.size();
  const std::int64_t scale = scale_of(draft);
  // A grid that is too small one way round may do where the sizes are swapped.
  LaunchFitter fitter(draft, kernel, scale, false), swapped(draft, kernel, scale, true);
  if (!fitter.ready() || !swapped.ready()) return std::nullopt;
  const auto correct = [&](const DraftLaunch& launch) {
    return fitter.correct(launch) && swapped.correct(launch);
  };
  // A kernel that names warps may still have a thread for each element: fewer blocks, where they do.
  constexpr std::string_view warps = "ceil_div(32 * ";
  if (!draft.launch.grid.empty() && draft.launch.grid.front().starts_with(warps)) {
    DraftLaunch threads = draft.launch;
    threads.grid.front().replace(0, warps.size(), "ceil_div(");
    if (correct(threads)) return threads;
  }
  if (correct(draft.launch)) return std::nullopt;
  std::vector<std::string> names;
  for (const DraftAxis& axis : draft.axes) names.push_back(axis.name);
  std::set<std::vector<std::string>> tried{draft.launch.grid};
  const DraftArgument* output = largest_output(draft);
  std::vector<std::vector<std::string>> shapes;
  if (output != nullptr) {
    std::vector<std::string> shape = output->shape;
    std::sort(shape.begin(), shape.end());
    do shapes.push_back(shape);
    while (shape.size() < 5 && std::next_permutation(shape.begin(), shape.end()));
  }
  for (auto& chosen : selections(names, std::min<std::size_t>(4, axes))) shapes.push_back(std::move(chosen));
  for (std::size_t which = 0; which < ways; ++which) {
    for (const std::vector<std::string>& shape : shapes) {
      DraftLaunch launch = variants_of(launch_for(shape), shape)[which];
      if (!tried.insert(launch.grid).second || !correct(launch)) continue;
      launch.why += (launch.why.empty() ? "" : "; ");
      launch.why += "grid: of those tried the first that reaches all of the outputs and no further";
      return launch;
    }
  }
  return std::nullopt;
}

}  // namespace evo::intake
