// Delta reduction: the least that still fails.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace evo::diagnose {

/// A subset of `items`, still failing, of which no part that was tried can be left out (1-minimal when
/// `budget` was enough). `fails` is asked at most `budget` times; `items` as a whole is known to fail. Zeller
/// and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (ddmin).
template <class Item>
std::vector<Item> ddmin(std::vector<Item> items, const std::function<bool(const std::vector<Item>&)>& fails,
                        int budget) {
  std::size_t parts = 2;
  while (items.size() > 1 && budget > 0) {
    parts = std::min(parts, items.size());
    const auto bound = [&](std::size_t part) { return part * items.size() / parts; };
    bool smaller = false;
    // A part alone, then everything but a part; with two parts the one is the other.
    for (const bool complement : {false, true}) {
      if (complement && parts == 2) break;
      for (std::size_t part = 0; part < parts && budget > 0 && !smaller; ++part) {
        std::vector<Item> candidate;
        for (std::size_t i = 0; i < items.size(); ++i) {
          const bool inside = i >= bound(part) && i < bound(part + 1);
          if (inside != complement) candidate.push_back(items[i]);
        }
        --budget;
        if (!fails(candidate)) continue;
        items = std::move(candidate);
        parts = complement ? std::max<std::size_t>(parts - 1, 2) : 2;
        smaller = true;
      }
      if (smaller) break;
    }
    if (smaller) continue;
    if (parts >= items.size()) break;
    parts *= 2;
  }
  return items;
}

/// Values that an axis may be shrunk to.
struct Range {
  std::int64_t low = 0;
  std::int64_t step = 1;
  std::vector<std::int64_t> listed;  ///< where not empty: the only values, simplest first
};

/// The least value (in the range's order) at or below `failing` that was found to fail: the listed ones one
/// after the other; else low, low + 1, + 2, + 4, ... up to the first failure, then halving between the last
/// that passed and it. `failing` itself is known to fail and is not asked again.
[[nodiscard]] std::int64_t shrink(const Range& range, std::int64_t failing,
                                  const std::function<bool(std::int64_t)>& fails);

}  // namespace evo::diagnose
