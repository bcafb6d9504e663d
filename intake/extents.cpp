#include "intake/extents.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "intake/size_candidates.hpp"

namespace evo::intake {
namespace {

/// Thread instructions of all looks at one code: seconds, also where many arrays have many axes.
constexpr std::uint64_t most_of_all_looks = 1'500'000'000;
constexpr std::int64_t most_times = 4096;  ///< rows of an array that no axis counts

class ShapeFinder {
 public:
  /// `spent`: thread instructions of all looks, to which this one's are added.
  ShapeFinder(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
              std::uint64_t& spent, bool reversed = false)
      : draft_(draft), whose_(whose), run_(draft, artifact, whose, scale, reversed), spent_(spent) {
    ranges_told_ = std::ranges::any_of(draft.arguments, [](const DraftArgument& argument) {
      return std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "fill"; });
    });
  }

  /// Whether there is a launch at these sizes that stays in bounds where arrays are large.
  bool start() {
    if (!run_.ready()) return false;
    all_ = size_candidates(draft_, run_);
    const bool launched =
        whose_ == Probed::reference
            ? launch_reference(draft_, run_, all_.back().elements)
            : run_.set_launch(draft_.launch.grid, draft_.launch.block, draft_.launch.dynamic_smem);
    // Room for any of them: what fails then, fails for another reason.
    room_.assign(draft_.arguments.size(), room_for(draft_, all_));
    return launched;
  }

  /// How many elements of the argument the launch reaches, whatever arrays hold; nothing where that counts.
  std::optional<std::int64_t> reached(std::size_t index) {
    std::optional<std::int64_t> reached;
    for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
      if (tired() || !run_.fits(room_, fill)) return std::nullopt;
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
    // The last member of a struct or a vector may be left alone.
    const std::int64_t lanes = draft_.arguments[index].lanes;
    if (reached) reached = (*reached + lanes - 1) / lanes * lanes;
    return reached;
  }
  [[nodiscard]] std::optional<std::int64_t> elements_of(const std::vector<std::string>& shape) const {
    return run_.elements_of(shape);
  }
  /// Whether the launch stays within the array at this shape, whatever arrays hold, or cannot be asked.
  bool stays_within(std::size_t index, const std::vector<std::string>& shape) {
    const auto elements = run_.elements_of(shape);
    if (!elements) return true;
    return std::ranges::all_of(std::array{ProbeFill::zeros, ProbeFill::ones}, [&](ProbeFill fill) {
      return !run_.fits(room_, fill) || fits(index, *elements * run_.element_bytes(index), fill);
    });
  }
  /// Whether no more launches are to be made.
  bool tired() {
    spent_ += run_.spent() - counted_;
    counted_ = run_.spent();
    return spent_ > most_of_all_looks;
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
        if (tired()) return;
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
        const std::int64_t lanes =
            first->elements % draft_.arguments[i].lanes == 0 ? draft_.arguments[i].lanes : 1;
        FoundShape shape{first->shape, !fits(i, (first->elements - lanes) * size, fill)};
        if ((known || less_with_zeros(i, first->elements - lanes, fill)) && !ranges_told_)
          shape.exact = false;
        if (!found[i] || shape.exact || known) found[i] = std::move(shape);
      }
    }
  }

 private:
  /// Whether zeros lead into the array, and no further than this: ones lead further, and others may, too.
  bool less_with_zeros(std::size_t index, std::int64_t elements, ProbeFill fill) {
    if (fill == ProbeFill::zeros || !run_.fits(room_, ProbeFill::zeros)) return false;
    return !fits(index, 0, ProbeFill::zeros) &&
           fits(index, elements * run_.element_bytes(index), ProbeFill::zeros);
  }
  bool fits(std::size_t index, std::int64_t bytes, ProbeFill fill) {
    std::vector<std::int64_t> all = room_;
    all[index] = bytes;
    return run_.fits(all, fill);
  }

  const Draft& draft_;
  Probed whose_;
  ProbeRun run_;
  std::uint64_t& spent_;
  std::uint64_t counted_ = 0;  // of this run's, what spent_ has
  std::vector<ShapeCandidate> all_;
  bool ranges_told_ = false;  ///< somebody has said what an array holds
  std::vector<std::int64_t> room_;
};

/// Of a single axis: a * n + b, seen at three sizes.
void settle_line(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                 const std::vector<bool>& asked, std::uint64_t& spent,
                 std::vector<std::optional<FoundShape>>& found) {
  std::vector<std::unique_ptr<ShapeFinder>> sizes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!asked[i] || !found[i] || found[i]->exact || draft.arguments[i].role == "scalar") continue;
    if (sizes.empty()) {
      for (const std::int64_t by : {1, 2, 3}) {
        sizes.push_back(std::make_unique<ShapeFinder>(draft, artifact, whose, scale * by, spent));
        if (!sizes.back()->start()) return;
      }
    }
    std::vector<std::int64_t> n, reached;
    for (const auto& at : sizes) {
      const auto size = at->elements_of({draft.axes[0].name});
      const auto elements = at->takes(i) ? at->reached(i) : std::nullopt;
      if (!size || !elements) break;
      n.push_back(*size);
      reached.push_back(*elements);
    }
    const std::int64_t share = reached.size() == 3 && reached[0] > 0 ? n[0] / reached[0] : 0;
    const auto shares = [&](std::size_t at) { return reached[at] == (n[at] + share - 1) / share; };
    if (share > 1 && shares(0) && shares(1) && shares(2)) {
      found[i] = FoundShape{{fmt::format("ceil_div({}, {})", draft.axes[0].name, share)}, true};
      continue;
    }
    if (reached.size() < 3 || n[1] <= n[0] || (reached[1] - reached[0]) % (n[1] - n[0]) != 0) continue;
    const std::int64_t times = (reached[1] - reached[0]) / (n[1] - n[0]);
    const std::int64_t more = reached[0] - times * n[0];
    if (times < 0 || times > most_times || reached[2] != times * n[2] + more || times + more < 1) continue;
    const std::string& name = draft.axes[0].name;
    std::string text = times == 1 ? name : fmt::format("{} * {}", times, name);
    if (times == 0) text = std::to_string(more);
    if (times != 0 && more != 0) text += fmt::format(" {} {}", more > 0 ? '+' : '-', std::abs(more));
    found[i] = FoundShape{{std::move(text)}, true};
  }
}

/// "32 * m", [m, 64].
bool has_large_factor(const std::vector<std::string>& shape) {
  return std::ranges::any_of(shape, [](const std::string& size) {
    std::int64_t number = 0;
    return std::from_chars(size.data(), size.data() + size.size(), number).ec == std::errc{} && number >= 16;
  });
}

/// Shapes that hold in one order of the axes' sizes alone, as a smaller axis in the place of the lesser of
/// two, and those that are none of the candidates: what is reached in two launches of other sizes says
/// whether it is something between two axes.
void settle_between_axes(const Draft& draft, const model::Artifact& artifact, Probed whose,
                         std::int64_t scale, const std::vector<bool>& asked, std::uint64_t& spent,
                         std::vector<std::optional<FoundShape>>& found) {
  if (draft.axes.size() < 2) return;
  std::vector<std::unique_ptr<ShapeFinder>> sizes;
  const std::int64_t more = draft.axes.size() > 2 ? 2 : 3;
  const bool many = draft.axes.size() > 4;
  for (const auto& [by, reversed] :
       {std::pair{std::int64_t{1}, false}, {1, true}, {more, false}, {more, true}}) {
    if (many && by > 1) continue;
    auto one = std::make_unique<ShapeFinder>(draft, artifact, whose, scale * by, spent, reversed);
    if (one->start()) sizes.push_back(std::move(one));
  }
  const std::vector<std::string> between = many ? std::vector<std::string>{} : between_axes(draft);
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
    // 32 times one axis may be another one rounded up, whose sizes here are alike: larger ones tell.
    if (settled && has_large_factor(found[i]->shape)) {
      const bool holds = std::ranges::all_of(sizes, [&](const auto& at) {
        const auto elements = at->takes(i) ? at->reached(i) : std::nullopt;
        return !elements || at->elements_of(found[i]->shape) == elements;
      });
      if (!holds) found[i]->exact = false;
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
    // Points between which degrees lie: NI + 1 by NJ + 1, of two or three numbers each.
    for (std::size_t a = 0; a < draft.axes.size(); ++a) {
      for (std::size_t b = a; b < draft.axes.size(); ++b) {
        for (const int lanes : {1, 2, 3, 4}) {
          std::vector<std::string> points{draft.axes[a].name + " + 1"};
          if (a != b) points.push_back(draft.axes[b].name + " + 1");
          if (lanes > 1) points.push_back(std::to_string(lanes));
          if (points.size() > 1) shapes.push_back(std::move(points));
        }
      }
    }
    const auto shape = std::ranges::find_if(shapes, is);
    if (shape != shapes.end()) {
      found[i] = FoundShape{*shape, true};
      continue;
    }
    // Two orders of the same sizes have products in common: what is no plain shape has to hold at all sizes.
    const auto everywhere = [&](const std::vector<std::string>& several) {
      return std::ranges::all_of(sizes, [&](const auto& at) {
        const auto elements = at->takes(i) ? at->reached(i) : std::nullopt;
        return elements && at->elements_of(several) == elements;
      });
    };
    const std::vector<std::string> constant{std::to_string(reached.front().elements)};
    if (is(constant) && reached.front().elements <= most_times && everywhere(constant)) {
      found[i] = FoundShape{constant, true};
      continue;
    }
    // Any multiple of a product: five planes of n.
    const std::vector<ShapeCandidate>& plain = reached.front().at->candidates();
    for (auto largest = plain.rbegin(); largest != plain.rend(); ++largest) {
      const ShapeCandidate& candidate = *largest;
      const std::int64_t times = candidate.elements > 0 ? reached.front().elements / candidate.elements : 0;
      if (times < 2 || times > most_times || times * candidate.elements != reached.front().elements) continue;
      std::vector<std::string> several = candidate.shape;
      several.push_back(std::to_string(times));
      const bool sizes_only =
          std::ranges::all_of(candidate.shape, [&](const auto& size) { return of_axes(draft, size); });
      if (is(several) && sizes_only && everywhere(several)) {
        found[i] = FoundShape{std::move(several), true};
        break;
      }
    }
  }
}

}  // namespace

std::vector<std::optional<FoundShape>> find_shapes(const Draft& draft, const model::Artifact& artifact,
                                                   Probed whose, const std::vector<bool>& asked) {
  std::vector<std::optional<FoundShape>> found(draft.arguments.size());
  std::uint64_t spent = 0;
  for (const std::int64_t scale : scales_of(draft, whose))
    ShapeFinder(draft, artifact, whose, scale, spent).look(asked, found);
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
    ShapeFinder(draft, artifact, whose, 2, spent).look(rest, found);
  }
  if (draft.axes.size() == 1)
    settle_line(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
  if (draft.axes.size() > 1)
    settle_between_axes(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
  // "One element" may be one block's: at a size of several blocks it is one or it is not.
  std::vector<bool> single(found.size(), false);
  bool any = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    single[i] = found[i] && found[i]->shape == std::vector<std::string>{"1"} && found[i]->exact;
    any = any || single[i];
  }
  if (!any || draft.axes.size() > 2) return found;
  std::vector<std::optional<FoundShape>> larger(found.size());
  ShapeFinder(draft, artifact, whose, draft.axes.size() == 1 ? 2048 : 128, spent).look(single, larger);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (single[i] && larger[i] && larger[i]->exact) found[i] = larger[i];
  }
  return found;
}

bool stays_within(const Draft& draft, const model::Artifact& artifact, Probed whose, std::size_t argument,
                  const std::vector<std::string>& shape) {
  std::uint64_t spent = 0;
  ShapeFinder finder(draft, artifact, whose, scales_of(draft, whose).front(), spent);
  return !finder.start() || !finder.takes(argument) || finder.stays_within(argument, shape);
}

}  // namespace evo::intake
