#include "intake/index_ranges.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "intake/index_codes.hpp"
#include "intake/index_columns.hpp"
#include "intake/index_products.hpp"
#include "intake/index_rows.hpp"
#include "intake/row_starts.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

bool has_key(const DraftArgument& argument, std::string_view name) {
  return std::ranges::any_of(argument.keys, [&](const auto& key) { return key.first == name; });
}

/// Where the rows of a sparse matrix begin, by name and shape: n + 1 of them.
bool holds_offsets(const DraftArgument& argument) {
  if (!has_one_more(argument)) return false;
  std::string name = argument.name;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(
      std::vector<std::string_view>{"ptr", "offs", "delim", "seqlens", "xadj", "starts"},
      [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

bool are_offsets(const DraftArgument& argument) {
  return !ElementType{argument.dtype}.floating() && holds_offsets(argument);
}

/// An array whose numbers nobody has told, and which may lead somewhere: integers, and of numbers that float
/// only those that do, as a label as float.
bool may_hold_indices(const DraftArgument& argument, bool only_offsets) {
  const bool array = argument.role == "input" || argument.role == "inout";
  const bool floats = ElementType{argument.dtype}.floating();
  const bool wide = argument.dtype == "f32" || argument.dtype == "f64";
  if (!array || (floats && !(argument.holds_indices && wide)) || argument.dtype == "bool") return false;
  if (has_key(argument, "fill") || has_key(argument, "texture") || !argument.fields.empty()) return false;
  return !only_offsets || are_offsets(argument);
}

class IndexFinder {
 public:
  IndexFinder(const Draft& draft, const model::Artifact& kernel, const model::Artifact* reference)
      : draft_(draft), base_(draft), kernel_(kernel), reference_(reference) {}

  IndexFills run() {
    // Offsets first: what lies behind them is read where they ascend.
    IndexFills found = look(true);
    for (std::size_t i = 0; i < found.fills.size(); ++i) {
      if (found.fills[i]) base_.arguments[i].keys.emplace_back("fill", *found.fills[i]);
    }
    IndexFills others = look(false);
    for (std::size_t i = 0; i < found.fills.size(); ++i) {
      if (!found.fills[i]) found.fills[i] = others.fills[i];
    }
    found.columns = std::move(others.columns);
    found.of_kernel = std::move(others.of_kernel);
    return found;
  }

 private:
  /// Fills of what is offsets by name and shape, or of everything else that has none.
  IndexFills look(bool only_offsets) {
    IndexFills found{std::vector<std::optional<std::string>>(draft_.arguments.size()),
                     std::vector<std::vector<DraftColumn>>(draft_.arguments.size())};
    const auto some = [&](const auto& is) { return std::ranges::any_of(base_.arguments, is); };
    const bool indices =
        some([&](const DraftArgument& argument) { return may_hold_indices(argument, only_offsets); });
    // The launches at larger sizes below are seconds, where there are many axes.
    if (!indices && (only_offsets || !some(may_have_columns) || stays(base_))) return found;
    const IndexCodes codes(base_, kernel_, reference_);
    if (!codes.ready()) return found;
    Draft filled = base_;
    bool any = false;
    for (std::size_t i = 0; i < found.fills.size(); ++i) {
      const DraftArgument& argument = base_.arguments[i];
      if (!may_hold_indices(argument, only_offsets)) continue;
      const bool offsets = are_offsets(argument);
      // The least of several axes is no range of them all: each number of a row for itself, where they
      // differ.
      if (may_have_columns(argument)) {
        found.columns[i] = find_index_columns(base_, codes, i);
        if (const auto all = same_for_all(argument, found.columns[i])) {
          found.columns[i].clear();
          found.fills[i] = *all;
          filled.arguments[i].keys.emplace_back("fill", *all);
        }
        filled.arguments[i].columns = found.columns[i];
        any = any || found.fills[i] || !found.columns[i].empty();
        if (found.fills[i] || !found.columns[i].empty()) continue;
      }
      found.fills[i] = range_of(codes, i, offsets);
      if (!offsets && !holds_alone(i, found.fills[i])) {
        // Too great a number may lead back into the array: id % k * rows + id / k.
        if (const auto product = product_below(i))
          found.fills[i] = fmt::format("{{integers: [0, {} - 1]}}", *product);
      }
      if (!found.fills[i]) continue;
      any = true;
      filled.arguments[i].keys.emplace_back("fill", *found.fills[i]);
    }
    if (!only_offsets && any) take_rows(codes, found, filled);
    // Where no other form says it.
    for (std::size_t i = 0; i < found.fills.size() && !only_offsets; ++i) {
      const bool open = !found.fills[i] && found.columns[i].empty();
      if (!open || !may_hold_indices(base_.arguments[i], false)) continue;
      found.fills[i] = no_sign(i);
      if (!found.fills[i]) continue;
      any = true;
      filled.arguments[i].keys.emplace_back("fill", *found.fills[i]);
    }
    const bool stay = !any || stays(filled);
    bool split = false;
    for (std::size_t i = 0; i < found.columns.size() && !only_offsets; ++i) {
      // Numbers that float show by what they lead out of.
      const bool floats = ElementType{base_.arguments[i].dtype}.floating();
      if (!floats || found.fills[i] || !may_have_columns(base_.arguments[i]) || (stay && stays(filled)))
        continue;
      found.columns[i] = find_index_columns(base_, codes, i);
      filled.arguments[i].columns = found.columns[i];
      split = split || !found.columns[i].empty();
    }
    if (split ? stays(filled) : stay || ascend(filled, found.fills)) {
      if (!only_offsets) see_whose(found);
      return found;
    }
    found.fills.assign(found.fills.size(), std::nullopt);
    found.columns.assign(found.columns.size(), {});
    return found;
  }

  /// Where rows begin and end, which no range of one array alone says.
  void take_rows(const IndexCodes& codes, IndexFills& found, Draft& filled) const {
    std::vector<bool> asked;
    for (std::size_t i = 0; i < found.fills.size(); ++i)
      asked.push_back(may_hold_indices(base_.arguments[i], false) && found.columns[i].empty());
    for (const RowPair& pair : find_row_pairs(base_, kernel_, reference_, codes, asked, found.fills)) {
      found.fills[pair.begins] = pair.begins_fill;
      found.fills[pair.rows] = pair.rows_fill;
      for (const std::size_t i : {pair.begins, pair.rows}) {
        filled.arguments[i].keys = base_.arguments[i].keys;
        filled.arguments[i].keys.emplace_back("fill", *found.fills[i]);
      }
    }
  }

  /// Whether the numbers may be -1, too: "if (id[i] < 0) out[i] = 0" has two sides.
  [[nodiscard]] bool has_sentinel(const IndexCodes& codes, std::size_t argument) const {
    return draft_.arguments[argument].dtype.starts_with("i") && codes.take_less_than_zero(argument);
  }

  /// Numbers of one array that stay in bounds only where they ascend: rows that end where the next begins.
  /// False where that does not help either.
  [[nodiscard]] bool ascend(Draft filled, std::vector<std::optional<std::string>>& fills) const {
    for (std::size_t i = 0; i < fills.size(); ++i) {
      constexpr std::string_view begin = "{integers: [0, ";
      if (!fills[i] || !fills[i]->starts_with(begin) || draft_.arguments[i].shape.size() != 1) continue;
      const std::string last = fills[i]->substr(begin.size(), fills[i]->size() - begin.size() - 2);
      Draft other = filled;
      other.arguments[i].keys.back().second = fmt::format("{{sorted: [0, {}]}}", last);
      if (!stays(other)) continue;
      fills[i] = fmt::format("{{offsets: {}}}", last);
      return true;
    }
    return false;
  }

  /// By the greatest number that leads nowhere else, at two sizes.
  [[nodiscard]] std::optional<std::string> range_of(const IndexCodes& codes, std::size_t i,
                                                    bool offsets) const {
    const auto last = codes.last({i, 0, offsets});
    if (last && offsets && !last->size.empty()) return fmt::format("{{offsets: {}}}", last->size);
    if (!last || last->number.empty()) return std::nullopt;
    const int least = !offsets && has_sentinel(codes, i) ? -1 : 0;
    return fmt::format("{{integers: [{}, {}]}}", least, last->number);
  }

  /// Whether it is the kernel alone that greater numbers lead out of bounds, and not what says what is
  /// correct.
  void see_whose(IndexFills& found) const {
    for (std::size_t i = 0; i < found.fills.size(); ++i) {
      if (!found.fills[i] || !found.fills[i]->starts_with("{integers: [")) continue;
      const IndexCodes codes(base_, kernel_, reference_);
      if (codes.reference_takes_more({i, 0, false})) found.of_kernel.push_back(i);
    }
  }

  /// Keys of a hash table, `key % slots`: none is too great, but below zero they lead in front of it. It is
  /// the reference that says so: where it takes them, a kernel that does not is wrong.
  [[nodiscard]] std::optional<std::string> no_sign(std::size_t i) const {
    const std::string& dtype = draft_.arguments[i].dtype;
    if (reference_ == nullptr || (dtype != "i32" && dtype != "i64")) return std::nullopt;
    // Of their own, so that who looks next is not tired of these.
    if (IndexCodes(base_, kernel_, reference_).greatest_here({i, 0, false})) return std::nullopt;
    IndexCode code(base_, *reference_, Probed::reference, scales_of(base_, Probed::reference).front(), false);
    if (!code.start() || code.takes_less_than_zero(i)) return std::nullopt;
    std::optional<std::string> range = no_sign_fill;
    return holds_alone(i, range) ? range : std::nullopt;
  }

  /// Whether different numbers of that range stay in bounds, as the greatest alone does; false without one.
  [[nodiscard]] bool holds_alone(std::size_t argument, const std::optional<std::string>& range) const {
    if (!range) return false;
    Draft filled = base_;
    filled.arguments[argument].keys.emplace_back("fill", *range);
    return stays(filled);
  }

  /// The product of axes below which whole numbers stay in bounds; nothing of what any number may be.
  [[nodiscard]] std::optional<std::string> product_below(std::size_t argument) const {
    const std::string& dtype = draft_.arguments[argument].dtype;
    if (!dtype.ends_with("32") && !dtype.ends_with("64")) return std::nullopt;
    return find_index_product(base_, kernel_, reference_, argument);
  }

  /// Whether both stay in bounds with what was found.
  [[nodiscard]] bool stays(const Draft& filled) const { return stay_in_bounds(filled, kernel_, reference_); }

  const Draft& draft_;
  Draft base_;  ///< with the offsets that are known
  const model::Artifact& kernel_;
  const model::Artifact* reference_;
};

}  // namespace

IndexFills find_index_fills(const Draft& draft, const model::Artifact& kernel,
                            const model::Artifact* reference) {
  return IndexFinder(draft, kernel, reference).run();
}

}  // namespace evo::intake
