#include "intake/part_shapes.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "intake/shape_finder.hpp"
#include "intake/size_candidates.hpp"

namespace evo::intake {
namespace {

using Shape = std::vector<std::string>;

/// Shapes with a part for each so many of the axis, the plainest first: as the grid shares it out, and words
/// of bits and usual blocks.
std::vector<Shape> shapes_of_parts(const Draft& draft) {
  const std::string& axis = draft.axes[0].name;
  std::vector<std::string> parts;
  const auto add = [&](const std::string& part) {
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  };
  for (const std::string& side : draft.launch.grid) {
    if (side.find(axis) != std::string::npos && of_axes(draft, side)) add(side);
  }
  for (const int each : {32, 64, 128, 256, 512, 1024}) add(fmt::format("ceil_div({}, {})", axis, each));
  std::vector<Shape> shapes;
  for (const std::string& part : parts) shapes.push_back({part});
  for (const std::string& part : parts) shapes.push_back({axis, part});
  for (const int times : {2, 3, 4, 8, 16, 32, 64, 128, 256}) {
    for (const std::string& part : parts) shapes.push_back({std::to_string(times), part});
  }
  return shapes;
}

}  // namespace

void settle_parts(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                  const std::vector<bool>& asked, std::uint64_t& spent,
                  std::vector<std::optional<FoundShape>>& found) {
  std::vector<std::unique_ptr<ShapeFinder>> sizes;
  const Shape whole{draft.axes[0].name};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool doubtful = asked[i] && found[i] && found[i]->exact && found[i]->shape != whole &&
                          found[i]->unread == 0;  // those hold at three sizes
    if (!doubtful || draft.arguments[i].role == "scalar") continue;
    if (sizes.empty()) {
      for (const std::int64_t by : {1, 3, 5}) {
        sizes.push_back(std::make_unique<ShapeFinder>(draft, artifact, whose, scale * by, spent));
        if (!sizes.back()->start()) return;
      }
    }
    std::vector<std::int64_t> reached;
    bool holds = true;
    for (const auto& at : sizes) {
      const auto guess = at->elements_of(found[i]->shape);
      const auto elements = at->takes(i) ? at->reached(i, guess) : std::nullopt;
      if (!elements) break;
      holds = holds && guess == elements;
      reached.push_back(*elements);
    }
    // What no look shows, or data leads to, is as it was found.
    if (holds || reached.size() < sizes.size()) continue;
    const std::vector<Shape> shapes = shapes_of_parts(draft);
    const auto shape = std::ranges::find_if(shapes, [&](const Shape& each) {
      for (std::size_t at = 0; at < sizes.size(); ++at) {
        if (sizes[at]->elements_of(each) != reached[at]) return false;
      }
      return true;
    });
    found[i] = shape != shapes.end() ? FoundShape{*shape, true} : FoundShape{found[i]->shape, false};
  }
}

}  // namespace evo::intake
