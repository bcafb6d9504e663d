#include "intake/extents.hpp"

#include <algorithm>
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "intake/mixed_terms.hpp"
#include "intake/packed_shapes.hpp"
#include "intake/part_shapes.hpp"
#include "intake/row_ends.hpp"
#include "intake/shape_finder.hpp"
#include "intake/size_candidates.hpp"
#include "intake/word_shapes.hpp"

namespace evo::intake {
namespace {

constexpr std::int64_t most_whole_rows = 4096;  ///< rows of an array that no axis counts

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
    if (times < 0 || times > most_whole_rows || reached[2] != times * n[2] + more || times + more < 1)
      continue;
    const std::string& name = draft.axes[0].name;
    // Rows whose last members nobody reads: the score of a box. An output is as large as it is written.
    if (draft.arguments[i].role == "input" && times > 2 && more < 0 && -more < times) {
      found[i] = FoundShape{{name, std::to_string(times)}, true, -more};
      continue;
    }
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

/// An axis twice, or a number of elements that is no vector's.
bool is_far_fetched(const std::vector<std::string>& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t number = 0;
    const std::string& size = shape[i];
    const bool counts = std::from_chars(size.data(), size.data() + size.size(), number).ec == std::errc{};
    if (counts && number > 4) return true;
    if (!counts && std::ranges::count(shape, size) > 1) return true;
  }
  return false;
}

/// Of a size that is shared out to several elements, whether the rest of one that is no multiple has an
/// element, too: by what is reached at sizes that are odd.
std::vector<std::string> whole_or_rest(const PackedShape& packed, ShapeFinder* odd, std::size_t argument) {
  if (packed.without_rest.empty() || odd == nullptr || !odd->takes(argument)) return packed.shape;
  const auto reached = odd->reached(argument);
  const bool whole = reached && odd->elements_of(packed.without_rest) == reached &&
                     odd->elements_of(packed.shape) != reached;
  return whole ? packed.without_rest : packed.shape;
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
  std::unique_ptr<ShapeFinder> odd;
  const auto odd_sizes = [&]() -> ShapeFinder* {
    if (odd == nullptr) {
      odd = std::make_unique<ShapeFinder>(draft, artifact, whose, 1, spent);
      if (!odd->start()) return nullptr;
    }
    return odd.get();
  };
  const std::vector<PackedShape> several_an_element =
      many ? std::vector<PackedShape>{} : packed_shapes(draft);
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
      const auto guess = found[i] && found[i]->exact ? at->elements_of(found[i]->shape) : std::nullopt;
      if (const auto elements = at->reached(i, guess); elements && *elements > 0)
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
    if (is(constant) && reached.front().elements <= most_whole_rows && everywhere(constant)) {
      found[i] = FoundShape{constant, true};
      continue;
    }
    if (const auto packed = std::ranges::find_if(
            several_an_element,
            [&](const PackedShape& each) { return is(each.shape) && everywhere(each.shape); });
        packed != several_an_element.end()) {
      found[i] = FoundShape{whole_or_rest(*packed, odd_sizes(), i), true};
      continue;
    }
    // Any multiple of a product: five planes of n.
    const std::vector<ShapeCandidate>& plain = reached.front().at->candidates();
    for (auto largest = plain.rbegin(); largest != plain.rend(); ++largest) {
      const ShapeCandidate& candidate = *largest;
      const std::int64_t times = candidate.elements > 0 ? reached.front().elements / candidate.elements : 0;
      if (times < 2 || times > most_whole_rows || times * candidate.elements != reached.front().elements)
        continue;
      std::vector<std::string> several = candidate.shape;
      several.push_back(std::to_string(times));
      const bool sizes_only =
          std::ranges::all_of(candidate.shape, [&](const auto& size) { return of_axes(draft, size); });
      if (is(several) && sizes_only && everywhere(several)) {
        found[i] = FoundShape{std::move(several), true};
        break;
      }
    }
    // Sizes of the other order say another shape: this one was met by chance, or holds for some sizes only.
    const auto contradicts = [&](const Reached& one) {
      const auto elements = one.at->elements_of(found[i]->shape);
      return elements &&
             (one.elements > *elements || (one.elements < *elements && is_far_fetched(found[i]->shape)));
    };
    if (found[i] && found[i]->exact && std::ranges::any_of(reached, contradicts)) found[i]->exact = false;
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
  // So is a square of it, and more, than fits.
  if (draft.axes.size() == 1 && missing()) {
    std::vector<bool> rest(asked);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = rest[i] && !found[i];
    ShapeFinder(draft, artifact, whose, 2, spent).look(rest, found);
  }
  if (draft.axes.size() == 1) {
    settle_line(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
    settle_parts(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
  }
  if (draft.axes.size() > 1)
    settle_between_axes(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
  settle_words(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
  settle_rows(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
  settle_interiors(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
  settle_mixed_terms(draft, artifact, whose, scales_of(draft, whose).front(), asked, spent, found);
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

bool leaves_alone(const Draft& draft, const model::Artifact& artifact, Probed whose, std::size_t argument) {
  std::uint64_t spent = 0;
  ShapeFinder finder(draft, artifact, whose, scales_of(draft, whose).front(), spent);
  if (!finder.start()) return false;
  if (!finder.takes(argument)) return true;
  const auto ends = finder.ends(argument);
  return ends && ends->most == 0;
}

std::string reach_text(const Draft& draft, const model::Artifact& artifact, Probed whose,
                       std::size_t argument) {
  std::uint64_t spent = 0;
  ShapeFinder finder(draft, artifact, whose, scales_of(draft, whose).front(), spent);
  if (!finder.start() || !finder.takes(argument)) return {};
  const auto ends = finder.ends(argument);
  if (!ends || ends->most == 0) return {};
  std::string sizes;
  for (const DraftAxis& axis : draft.axes)
    sizes += fmt::format("{}{}={}", sizes.empty() ? "" : ", ", axis.name,
                         finder.elements_of({axis.name}).value_or(0));
  return fmt::format("with {} it goes up to {} elements", sizes, ends->most);
}

bool stays_within(const Draft& draft, const model::Artifact& artifact, Probed whose, std::size_t argument,
                  const std::vector<std::string>& shape) {
  std::uint64_t spent = 0;
  ShapeFinder finder(draft, artifact, whose, scales_of(draft, whose).front(), spent);
  return !finder.start() || !finder.takes(argument) || finder.stays_within(argument, shape);
}

}  // namespace evo::intake
