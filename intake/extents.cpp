#include "intake/extents.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "intake/shape_candidates.hpp"

namespace evo::intake {
namespace {

constexpr std::uint64_t most_instructions = 1'500'000'000;

/// A reference's launch: threads enough for any of the candidates, sides enough where it asks for y.
bool launch_reference(const Draft& draft, ProbeRun& run, std::int64_t most) {
  if (!draft.reference_grid.empty() && draft.reference_grid.front().find("max(") == std::string::npos)
    return run.set_launch(draft.reference_grid, draft.reference_block, "");
  if (draft.reference_grid.empty()) {
    const auto blocks = static_cast<std::uint32_t>(std::clamp<std::int64_t>((most + 255) / 256, 1, 4096));
    run.set_launch({blocks, 1, 1}, {256, 1, 1});
    return true;
  }
  std::int64_t side = 1;
  for (const DraftAxis& axis : draft.axes) side = std::max(side, run.value_of(axis.name).value_or(1));
  const auto blocks = static_cast<std::uint32_t>(std::clamp<std::int64_t>((2 * side + 15) / 16, 1, 64));
  run.set_launch({blocks, blocks, 1}, {16, 16, 1});
  return true;
}

class ShapeFinder {
 public:
  ShapeFinder(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
              bool reversed = false)
      : draft_(draft), whose_(whose), run_(draft, artifact, whose, scale, reversed) {
    ranges_told_ = std::ranges::any_of(draft.arguments, [](const DraftArgument& argument) {
      return std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "fill"; });
    });
  }

  /// Whether there is a launch at these sizes that stays in bounds where arrays are large.
  bool start() {
    if (!run_.ready()) return false;
    all_ = candidates_of(draft_, run_);
    const bool launched =
        whose_ == Probed::reference
            ? launch_reference(draft_, run_, all_.back().elements)
            : run_.set_launch(draft_.launch.grid, draft_.launch.block, draft_.launch.dynamic_smem);
    // Room for any of them: what fails then, fails for another reason.
    room_.assign(draft_.arguments.size(), all_.back().elements * 8);
    return launched;
  }

  /// How many elements of the argument the launch reaches, whatever arrays hold; nothing where that counts.
  std::optional<std::int64_t> reached(std::size_t index) {
    std::optional<std::int64_t> reached;
    for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
      if (run_.spent() > most_instructions || !run_.fits(room_, fill)) return std::nullopt;
      const std::int64_t size = run_.element_bytes(index);
      std::int64_t least = 0, most = room_[index] / size;
      if (reached) {
        if (fits(index, *reached * size, fill) &&
            (*reached == 0 || !fits(index, (*reached - 1) * size, fill)))
          continue;
        return std::nullopt;
      }
      while (least < most) {
        const std::int64_t middle = least + (most - least) / 2;
        if (fits(index, middle * size, fill)) {
          most = middle;
        } else {
          least = middle + 1;
        }
      }
      reached = least;
    }
    return reached;
  }
  [[nodiscard]] std::optional<std::int64_t> elements_of(const std::vector<std::string>& shape) const {
    return run_.elements_of(shape);
  }
  [[nodiscard]] const std::vector<ShapeCandidate>& candidates() const { return all_; }
  [[nodiscard]] bool takes(std::size_t index) const { return run_.takes(index); }

  /// Adds to `found` what is asked and not there yet.
  void look(const std::vector<bool>& asked, std::vector<std::optional<FoundShape>>& found) {
    if (!start()) return;
    const std::vector<ShapeCandidate>& all = all_;
    for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
      if (!run_.fits(room_, fill)) continue;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!asked[i] || !run_.takes(i) || draft_.arguments[i].role == "scalar") continue;
        if (run_.spent() > most_instructions) return;
        const std::int64_t size = run_.element_bytes(i);
        // What other contents reach, too, is a size; else it hangs on the data, and the most counts if their
        // range was told.
        const bool known = found[i] && found[i]->exact;
        if (known) {
          const auto elements = run_.elements_of(found[i]->shape);
          if (!elements || fits(i, *elements * size, fill)) continue;
        }
        const auto first = std::partition_point(all.begin(), all.end(), [&](const ShapeCandidate& each) {
          return !fits(i, each.elements * size, fill);
        });
        if (first == all.end()) continue;
        // One that is never touched fits anywhere.
        if (first == all.begin() && fits(i, 0, fill)) continue;
        FoundShape shape{first->shape, !fits(i, (first->elements - 1) * size, fill)};
        if (known && !ranges_told_) shape.exact = false;
        if (!found[i] || shape.exact || known) found[i] = std::move(shape);
      }
    }
  }

 private:
  bool fits(std::size_t index, std::int64_t bytes, ProbeFill fill) {
    std::vector<std::int64_t> all = room_;
    all[index] = bytes;
    return run_.fits(all, fill);
  }

  const Draft& draft_;
  Probed whose_;
  ProbeRun run_;
  std::vector<ShapeCandidate> all_;
  bool ranges_told_ = false;  ///< somebody has said what an array holds
  std::vector<std::int64_t> room_;
};

/// Small sizes first; tiles of a kernel fit larger ones.
std::vector<std::int64_t> scales_of(const Draft& draft, Probed whose) {
  const std::size_t axes = draft.axes.size();
  if (whose == Probed::reference) return {axes == 1 ? 32 : axes == 2 ? 4 : axes == 3 ? 2 : 1};
  if (axes <= 2) return {32};
  return axes == 3 ? std::vector<std::int64_t>{4, 16} : std::vector<std::int64_t>{2, 8};
}

/// Shapes that hold in one order of the axes' sizes alone, as a smaller axis in the place of the lesser of
/// two, and those that are none of the candidates: what is reached in two launches of other sizes says
/// whether it is something between two axes.
void settle_between_axes(const Draft& draft, const model::Artifact& artifact, Probed whose,
                         std::int64_t scale, const std::vector<bool>& asked,
                         std::vector<std::optional<FoundShape>>& found) {
  if (draft.axes.size() < 2 || draft.axes.size() > 4) return;
  std::vector<std::unique_ptr<ShapeFinder>> sizes;
  for (const auto& [by, reversed] : {std::pair{std::int64_t{1}, false}, {1, true}, {3, false}, {3, true}}) {
    auto one = std::make_unique<ShapeFinder>(draft, artifact, whose, scale * by, reversed);
    if (one->start()) sizes.push_back(std::move(one));
  }
  const std::vector<std::string> between = between_axes(draft);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!asked[i] || draft.arguments[i].role == "scalar") continue;
    struct Reached {
      const ShapeFinder* at;
      std::int64_t elements;
    };
    std::vector<Reached> reached;
    bool settled = false;
    for (const auto& at : sizes) {
      if (settled || reached.size() == 2 || !at->takes(i)) continue;
      if (const auto elements = at->reached(i); elements && *elements > 0)
        reached.push_back({at.get(), *elements});
      settled = found[i] && found[i]->exact && reached.size() == 2 &&
                std::ranges::all_of(reached, [&](const Reached& one) {
                  return one.at->elements_of(found[i]->shape) == one.elements;
                });
    }
    if (settled || reached.size() < 2) continue;
    const auto is = [&](const std::vector<std::string>& shape) {
      return std::ranges::all_of(
          reached, [&](const Reached& one) { return one.at->elements_of(shape) == one.elements; });
    };
    std::vector<std::vector<std::string>> shapes;
    for (const ShapeCandidate& candidate : reached.front().at->candidates())
      shapes.push_back(candidate.shape);
    for (const std::string& text : between) shapes.push_back({text});
    for (const std::string& text : between) {
      for (const DraftAxis& axis : draft.axes) shapes.push_back({axis.name, text});
      for (const int factor : {2, 3, 4}) shapes.push_back({fmt::format("{} * ({})", factor, text)});
    }
    const auto shape = std::ranges::find_if(shapes, is);
    if (shape != shapes.end()) found[i] = FoundShape{*shape, true};
  }
}

}  // namespace

std::vector<std::optional<FoundShape>> find_shapes(const Draft& draft, const model::Artifact& artifact,
                                                   Probed whose, const std::vector<bool>& asked) {
  std::vector<std::optional<FoundShape>> found(draft.arguments.size());
  for (const std::int64_t scale : scales_of(draft, whose))
    ShapeFinder(draft, artifact, whose, scale).look(asked, found);
  // A fixed count of threads, each with all of the axis: too much work at that size.
  const auto missing = [&] {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (asked[i] && !found[i] && draft.arguments[i].role != "scalar") return true;
    }
    return false;
  };
  if (!draft.numbers.empty() && draft.axes.size() == 1 && missing()) {
    std::vector<bool> rest(asked);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = rest[i] && !found[i];
    ShapeFinder(draft, artifact, whose, 2).look(rest, found);
  }
  if (draft.axes.size() > 1)
    settle_between_axes(draft, artifact, whose, scales_of(draft, whose).front(), asked, found);
  // "One element" may be one block's: at a size of several blocks it is one or it is not.
  std::vector<bool> single(found.size(), false);
  bool any = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    single[i] = found[i] && found[i]->shape == std::vector<std::string>{"1"} && found[i]->exact;
    any = any || single[i];
  }
  if (!any || draft.axes.size() > 2) return found;
  std::vector<std::optional<FoundShape>> larger(found.size());
  ShapeFinder(draft, artifact, whose, draft.axes.size() == 1 ? 2048 : 128).look(single, larger);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (single[i] && larger[i] && larger[i]->exact) found[i] = larger[i];
  }
  return found;
}

std::vector<bool> find_untouched_parts(const Draft& draft, const model::Artifact& reference) {
  ProbeRun run(draft, reference, Probed::reference, scales_of(draft, Probed::reference).front());
  if (!run.ready()) return {};
  std::vector<std::int64_t> bytes(draft.arguments.size(), 0);
  std::int64_t most = 1;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (draft.arguments[i].role == "scalar") continue;
    const auto elements = run.elements_of(draft.arguments[i].shape);
    if (!elements || *elements > most_probed) return {};
    bytes[i] = *elements * run.element_bytes(i);
    most = std::max(most, *elements);
  }
  if (!launch_reference(draft, run, most)) return {};
  const auto alone = run.left_alone(bytes);
  if (!alone) return {};
  std::vector<bool> parts(bytes.size(), false);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = std::ranges::count(alone->at(i), 1) > 0 && std::ranges::count(alone->at(i), 0) > 0;
  return parts;
}

}  // namespace evo::intake
