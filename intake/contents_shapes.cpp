#include "intake/contents_shapes.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "intake/probe_run.hpp"
#include "intake/size_candidates.hpp"

namespace evo::intake {
namespace {

constexpr std::uint64_t most_of_all_looks = 600'000'000;

class ContentsFinder {
 public:
  ContentsFinder(const Draft& draft, const model::Artifact& reference)
      : draft_(draft),
        run_(draft, reference, Probed::reference, scales_of(draft, Probed::reference).front()) {}

  bool start() { return run_.ready() && launch(); }
  /// Whether other contents stay within the shape.
  bool stays(std::size_t array, const std::vector<std::string>& shape) {
    const auto elements = run_.elements_of(shape);
    return !elements || fits(array, *elements);
  }
  /// Whether the array reaches as far as the axis goes, at two sizes of it.
  bool follows(std::size_t array, std::size_t axis) {
    const std::int64_t many = draft_.axes.size() <= 2 ? 192 : draft_.axes.size() == 3 ? 32 : 12;
    for (const std::int64_t few : {3, 5}) {
      std::vector<std::int64_t> sizes(draft_.axes.size(), many);
      sizes[axis] = few;
      run_.set_sizes(sizes);
      const std::int64_t lanes = draft_.arguments[array].lanes;
      if (!launch() || !fits(array, few * lanes) || fits(array, (few - 1) * lanes)) return false;
    }
    return true;
  }

 private:
  bool launch() {
    const std::vector<ShapeCandidate> candidates = size_candidates(draft_, run_);
    if (candidates.empty() || !launch_reference(draft_, run_, candidates.back().elements)) return false;
    room_.assign(draft_.arguments.size(), room_for(candidates));
    return run_.spent() < most_of_all_looks && run_.fits(room_, ProbeFill::mixed);
  }
  bool fits(std::size_t array, std::int64_t elements) {
    std::vector<std::int64_t> bytes = room_;
    bytes[array] = elements * run_.element_bytes(array);
    return run_.fits(bytes, ProbeFill::mixed);
  }

  const Draft& draft_;
  ProbeRun run_;
  std::vector<std::int64_t> room_;
};

}  // namespace

void settle_by_contents(const Draft& draft, const model::Artifact& reference, const std::vector<bool>& asked,
                        std::vector<std::optional<FoundShape>>& found) {
  std::vector<std::size_t> further;
  ContentsFinder finder(draft, reference);
  if (!finder.start()) return;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (asked[i] && found[i] && found[i]->exact && draft.arguments[i].role != "scalar" &&
        !finder.stays(i, found[i]->shape))
      further.push_back(i);
  }
  for (const std::size_t i : further) {
    found[i]->exact = false;
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < draft.axes.size(); ++axis) {
      if (draft.axes.size() > 1 && !draft.axes[axis].compile_time && finder.follows(i, axis))
        axes.push_back(axis);
    }
    if (axes.size() != 1) continue;
    const std::string& name = draft.axes[axes.front()].name;
    const int lanes = draft.arguments[i].lanes;
    found[i] = FoundShape{{lanes > 1 ? fmt::format("{} * {}", lanes, name) : name}, true};
  }
}

}  // namespace evo::intake
