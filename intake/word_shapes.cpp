#include "intake/word_shapes.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "intake/shape_finder.hpp"
#include "model/expression.hpp"

namespace evo::intake {
namespace {

/// How much longer an axis is than at small sizes: more than a word of 64 bits, and than two or three of
/// them.
constexpr std::array<std::int64_t, 3> steps_to_long{90, 173, 210};

bool says_axis(const std::string& size, const std::string& axis) {
  const auto expression = model::Expression::parse(size);
  return expression && std::ranges::find(expression->names(), axis) != expression->names().end();
}

/// Parts of an axis that small sizes show may be others: 84 columns are two words of 64, and two of 77.
bool is_part(const std::string& size) {
  return size.find("ceil_div(") != std::string::npos || size.find('/') != std::string::npos;
}

bool has_whole_axis(const std::vector<std::string>& shape, const std::string& axis) {
  return std::ranges::any_of(
      shape, [&](const std::string& size) { return says_axis(size, axis) && !is_part(size); });
}

/// The code with one axis long, at three sizes.
class LongAxis {
 public:
  LongAxis(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
           std::uint64_t& spent, std::size_t axis) {
    for (const std::int64_t more : steps_to_long) {
      auto one = std::make_unique<ShapeFinder>(draft, artifact, whose, scale, spent);
      std::vector<std::int64_t> steps(draft.axes.size(), 0);
      steps[axis] = more;
      one->step_sizes(steps);
      if (!one->start()) return;
      at_.push_back(std::move(one));
    }
    ready_ = true;
  }

  [[nodiscard]] bool ready() const { return ready_; }
  /// What the array reaches at each size, `shape` asked first. Empty where no look shows it.
  [[nodiscard]] std::vector<std::int64_t> reached(std::size_t index, const std::vector<std::string>& shape) {
    std::vector<std::int64_t> all;
    for (const auto& at : at_) {
      const auto elements = at->takes(index) ? at->reached(index, at->elements_of(shape)) : std::nullopt;
      if (!elements) return {};
      all.push_back(*elements);
    }
    return all;
  }
  [[nodiscard]] bool holds(const std::vector<std::string>& shape,
                           const std::vector<std::int64_t>& reached) const {
    for (std::size_t at = 0; at < at_.size(); ++at) {
      if (at_[at]->elements_of(shape) != reached[at]) return false;
    }
    return true;
  }

 private:
  std::vector<std::unique_ptr<ShapeFinder>> at_;
  bool ready_ = false;
};

}  // namespace

void settle_words(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                  const std::vector<bool>& asked, std::uint64_t& spent,
                  std::vector<std::optional<FoundShape>>& found) {
  if (draft.axes.size() < 2 || draft.axes.size() > 4) return;
  for (std::size_t axis = 0; axis < draft.axes.size(); ++axis) {
    // What the launch itself has at compile time keeps its size.
    if (draft.axes[axis].compile_time) continue;
    const std::string& name = draft.axes[axis].name;
    std::unique_ptr<LongAxis> at;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool open = asked[i] && found[i] && found[i]->exact && draft.arguments[i].role != "scalar";
      if (!open || has_whole_axis(found[i]->shape, name)) continue;
      if (at == nullptr) at = std::make_unique<LongAxis>(draft, artifact, whose, scale, spent, axis);
      if (!at->ready()) break;
      const std::vector<std::int64_t> reached = at->reached(i, found[i]->shape);
      if (reached.empty() || at->holds(found[i]->shape, reached)) continue;
      std::vector<std::string> parts;
      for (const int each : {32, 64, 128, 8, 16, 256}) {
        std::vector<std::string> shape = found[i]->shape;
        std::erase_if(shape, [&](const std::string& size) { return size == "1" || says_axis(size, name); });
        shape.push_back(fmt::format("ceil_div({}, {})", name, each));
        if (parts.empty() && at->holds(shape, reached)) parts = std::move(shape);
      }
      found[i] = parts.empty() ? FoundShape{found[i]->shape, false} : FoundShape{std::move(parts), true};
    }
  }
}

}  // namespace evo::intake
