#include "intake/index_rows.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace evo::intake {
namespace {

/// Of "{integers: [0, nnz]}" what rows go to.
struct End {
  std::string size;    ///< "nnz", also of "nnz - 1"; "" where it is no such range
  bool index = false;  ///< "nnz - 1": no row ends there, and one that begins at 1 may be so long
};
End end_of(const std::optional<std::string>& range) {
  // A row that ends at -1 is empty, too.
  for (const std::string_view begin : {"{integers: [0, ", "{integers: [-1, "}) {
    if (!range || !range->starts_with(begin)) continue;
    const std::string last = range->substr(begin.size(), range->size() - begin.size() - 2);
    const bool index = last.ends_with(" - 1");
    return {index ? last.substr(0, last.size() - 4) : last, index};
  }
  return {};
}

class Pairs {
 public:
  Pairs(const Draft& draft, const model::Artifact& kernel, const model::Artifact* reference)
      : draft_(draft), kernel_(kernel), reference_(reference) {}

  /// Whether both stay in bounds, at two sets of sizes.
  [[nodiscard]] bool stays(const RowPair& pair) const {
    Draft filled = draft_;
    filled.arguments[pair.begins].keys.emplace_back("fill", pair.begins_fill);
    filled.arguments[pair.rows].keys.emplace_back("fill", pair.rows_fill);
    return stay_in_bounds(filled, kernel_, reference_) && stay_in_bounds(filled, kernel_, reference_, true);
  }

 private:
  const Draft& draft_;
  const model::Artifact& kernel_;
  const model::Artifact* reference_;
};

}  // namespace

std::vector<RowPair> find_row_pairs(const Draft& draft, const model::Artifact& kernel,
                                    const model::Artifact* reference, const IndexCodes& codes,
                                    const std::vector<bool>& asked,
                                    const std::vector<std::optional<std::string>>& ranges) {
  const Pairs pairs(draft, kernel, reference);
  std::vector<RowPair> found;
  std::vector<bool> taken(ranges.size(), false);
  for (std::size_t rows = 0; rows < ranges.size(); ++rows) {
    const End end = asked[rows] ? end_of(ranges[rows]) : End{};
    if (end.size.empty()) continue;
    for (std::size_t begins = 0; begins < ranges.size() && !taken[rows]; ++begins) {
      const DraftArgument &from = draft.arguments[begins], &to = draft.arguments[rows];
      if (begins == rows || !asked[begins] || taken[begins] || from.shape != to.shape) continue;
      RowPair pair{begins, rows, fmt::format("{{integers: [0, {}]}}", end.size), *ranges[rows]};
      const auto with = [&](const char* form) {
        pair.rows_fill = fmt::format("{{{}: [{}, {}]}}", form, from.name, end.size);
        return pairs.stays(pair);
      };
      const bool apart = pairs.stays(pair);
      const bool limited_below = !ranges[begins] && !codes.take_less_than_zero(begins);
      // Lengths are as many either way round: the first array is where rows begin. Two indices are none.
      const auto indices = [&] {
        RowPair two = pair;
        two.begins_fill = two.rows_fill = fmt::format("{{integers: [0, {} - 1]}}", end.size);
        return pairs.stays(two);
      };
      if (apart ? end.index || !limited_below || !with("ends")
                : begins > rows || indices() || !with("lengths"))
        continue;
      taken[begins] = taken[rows] = true;
      found.push_back(std::move(pair));
    }
  }
  return found;
}

}  // namespace evo::intake
