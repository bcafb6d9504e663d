#include "intake/row_ends.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "intake/shape_finder.hpp"
#include "intake/size_candidates.hpp"

namespace evo::intake {
namespace {

constexpr std::int64_t longest_row = 64;

struct Seen {
  ShapeFinder* at;
  ShapeFinder::Ends ends;
};

/// Elements of a row, where these rows end at what was seen; 0: they do not.
std::int64_t row_length(const std::vector<std::string>& rows, const std::vector<Seen>& seen) {
  std::int64_t length = 0;
  for (const Seen& one : seen) {
    const std::int64_t count = one.at->elements_of(rows).value_or(0);
    const std::int64_t each = count > 0 && one.ends.most % count == 0 ? one.ends.most / count : 0;
    if (each < 2 || each > longest_row || (length != 0 && each != length)) return 0;
    // Zeros may lead nowhere at all; what they lead to another row of is indexed.
    if (one.ends.least > 0 && one.ends.most - one.ends.least >= each) return 0;
    length = each;
  }
  return length;
}

/// Of a shape of at least two axes, each once: the elements behind what was reached; nothing where it is no
/// such shape, or they are a quarter of it.
std::optional<std::int64_t> unread_end(const Draft& draft, const ShapeFinder& at,
                                       const std::vector<std::string>& shape, std::int64_t reached) {
  for (const std::string& size : shape) {
    const bool axis = std::ranges::any_of(draft.axes, [&](const auto& each) { return each.name == size; });
    if (!axis || std::ranges::count(shape, size) > 1) return std::nullopt;
  }
  const std::int64_t elements = at.elements_of(shape).value_or(0), unread = elements - reached;
  if (shape.size() < 2 || unread < 0 || 4 * unread >= elements) return std::nullopt;
  return unread;
}

/// A number of such arrays one behind the other, [3, tokens, width], of whose last row the end is unread: the
/// same share of a row at both sizes, or as many elements. Where the number stands in the shape, else
/// nothing.
std::optional<std::size_t> counted_rows(const Draft& draft, const std::vector<const ShapeFinder*>& sizes,
                                        const std::vector<std::string>& shape,
                                        const std::vector<std::int64_t>& reached) {
  std::optional<std::size_t> count;
  std::string last;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool axis =
        std::ranges::any_of(draft.axes, [&](const auto& each) { return each.name == shape[i]; });
    if (axis && std::ranges::count(shape, shape[i]) == 1) {
      last = shape[i];
    } else if (!axis && !count && shape[i].size() == 1 && shape[i] > "1" && shape[i] <= "9") {
      count = i;
    } else {
      return std::nullopt;
    }
  }
  if (!count || shape.size() < 3) return std::nullopt;
  std::vector<std::int64_t> unread, row;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    unread.push_back(sizes[s]->elements_of(shape).value_or(0) - reached[s]);
    row.push_back(sizes[s]->elements_of({last}).value_or(0));
    if (unread[s] < 1 || unread[s] >= row[s]) return std::nullopt;
  }
  const bool alike = unread[0] == unread[1] || unread[0] * row[1] == unread[1] * row[0];
  return alike ? count : std::nullopt;
}

}  // namespace

void settle_interiors(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                      const std::vector<bool>& asked, std::uint64_t& spent,
                      std::vector<std::optional<FoundShape>>& found) {
  std::vector<std::unique_ptr<ShapeFinder>> sizes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool open = asked[i] && !(found[i] && found[i]->exact) && draft.arguments[i].role == "input";
    if (!open || draft.axes.size() < 2) continue;
    if (sizes.empty()) {
      for (const bool reversed : {false, true}) {
        sizes.push_back(std::make_unique<ShapeFinder>(draft, artifact, whose, scale, spent, reversed));
        if (!sizes.back()->start()) return;
      }
    }
    std::vector<std::int64_t> reached;
    for (const auto& at : sizes) {
      const auto elements = at->takes(i) ? at->reached(i) : std::nullopt;
      if (elements) reached.push_back(*elements);
    }
    if (reached.size() < sizes.size()) continue;
    std::int64_t fewest = 0;
    for (const ShapeCandidate& each : sizes.front()->candidates()) {
      const auto one = unread_end(draft, *sizes[0], each.shape, reached[0]);
      const auto other = unread_end(draft, *sizes[1], each.shape, reached[1]);
      const auto count = counted_rows(draft, {sizes[0].get(), sizes[1].get()}, each.shape, reached);
      if (count && fewest == 0) {
        std::vector<std::string> shape = each.shape;
        std::rotate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(*count),
                    shape.begin() + static_cast<std::ptrdiff_t>(*count) + 1);
        found[i] = FoundShape{std::move(shape), true, *sizes[0]->elements_of(each.shape) - reached[0]};
        continue;
      }
      // A triangle's last row is whole where the matrix is higher than wide.
      if (!one || !other || *one + *other == 0 || (fewest != 0 && *one + *other >= fewest)) continue;
      fewest = *one + *other;
      found[i] = FoundShape{each.shape, true, std::max(*one, *other)};
    }
  }
}

void settle_rows(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                 const std::vector<bool>& asked, std::uint64_t& spent,
                 std::vector<std::optional<FoundShape>>& found) {
  std::vector<std::unique_ptr<ShapeFinder>> sizes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool open = asked[i] && !(found[i] && found[i]->exact) && draft.arguments[i].role != "scalar";
    if (!open) continue;
    if (sizes.empty()) {
      const bool single = draft.axes.size() == 1;
      for (const bool second : {false, true}) {
        sizes.push_back(std::make_unique<ShapeFinder>(
            draft, artifact, whose, single && second ? 2 * scale : scale, spent, !single && second));
        if (!sizes.back()->start()) return;
      }
    }
    std::vector<Seen> seen;
    for (const auto& at : sizes) {
      const auto ends = at->takes(i) ? at->ends(i) : std::nullopt;
      // What is the same for all data was found as it is, or is no such array.
      if (!ends || ends->least == ends->most) break;
      seen.push_back({at.get(), *ends});
    }
    if (seen.size() < sizes.size()) continue;
    const std::vector<ShapeCandidate>& plain = sizes.front()->candidates();
    for (auto each = plain.rbegin(); each != plain.rend(); ++each) {
      const bool sizes_only =
          std::ranges::all_of(each->shape, [&](const auto& size) { return of_axes(draft, size); });
      const bool factor = std::ranges::any_of(
          each->shape, [](const auto& size) { return size.find_first_of("0123456789*") == 0; });
      const std::int64_t length = sizes_only && !factor ? row_length(each->shape, seen) : 0;
      if (length == 0) continue;
      std::vector<std::string> shape = each->shape;
      shape.push_back(std::to_string(length));
      found[i] = FoundShape{std::move(shape), true};
      break;
    }
  }
}

}  // namespace evo::intake
