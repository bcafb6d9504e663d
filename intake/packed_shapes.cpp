#include "intake/packed_shapes.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

namespace evo::intake {
namespace {

/// Whether the axis is always a multiple of so many.
bool is_multiple(const DraftAxis& axis, std::int64_t of) {
  return std::ranges::any_of(axis.keys, [&](const auto& key) {
    std::int64_t number = 0;
    const std::string& text = key.second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return key.first == "multiple_of" && error == std::errc{} && end == text.data() + text.size() &&
           number % of == 0;
  });
}

}  // namespace

std::vector<PackedShape> packed_shapes(const Draft& draft) {
  std::vector<PackedShape> all;
  const std::size_t count = draft.axes.size();
  for (std::size_t others = 0; others < count; ++others) {
    for (const int share : {2, 4, 8, 16, 32, 64, 128}) {
      // An axis that is told to be whole groups first: of even sizes of another a half is as large.
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_partition(order.begin(), order.end(),
                            [&](std::size_t i) { return is_multiple(draft.axes[i], share); });
      for (const std::size_t axis : order) {
        const bool whole = is_multiple(draft.axes[axis], share);
        const std::string divided = fmt::format("{} / {}", draft.axes[axis].name, share);
        const std::string rounded = fmt::format("ceil_div({}, {})", draft.axes[axis].name, share);
        for (std::size_t set = 0; set < (std::size_t{1} << count); ++set) {
          if ((set >> axis & 1) != 0 || static_cast<std::size_t>(std::popcount(set)) != others) continue;
          PackedShape packed;
          for (std::size_t i = 0; i < count; ++i) {
            if ((set >> i & 1) != 0) packed.shape.push_back(draft.axes[i].name);
          }
          if (!whole) {
            packed.without_rest = packed.shape;
            packed.without_rest.push_back(divided);
          }
          packed.shape.push_back(whole ? divided : rounded);
          all.push_back(std::move(packed));
        }
      }
    }
  }
  // Both sides of whole groups: a zero of 4 bits, eight in a word, for each 32 rows. Only what is told to be
  // whole, so that few products are asked.
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      for (const int first : {2, 4, 8, 16, 32, 64, 128}) {
        for (const int second : {2, 4, 8, 16, 32, 64, 128}) {
          if (!is_multiple(draft.axes[a], first) || !is_multiple(draft.axes[b], second)) continue;
          for (std::size_t set = 0; set < (std::size_t{1} << count); ++set) {
            if ((set >> a & 1) != 0 || (set >> b & 1) != 0) continue;
            PackedShape packed;
            for (std::size_t i = 0; i < count; ++i) {
              if ((set >> i & 1) != 0) packed.shape.push_back(draft.axes[i].name);
            }
            packed.shape.push_back(fmt::format("{} / {}", draft.axes[a].name, first));
            packed.shape.push_back(fmt::format("{} / {}", draft.axes[b].name, second));
            all.push_back(std::move(packed));
          }
        }
      }
    }
  }
  return all;
}

}  // namespace evo::intake
