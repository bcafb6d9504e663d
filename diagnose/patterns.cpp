#include "diagnose/patterns.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::diagnose {
namespace {

constexpr double nearly_all = 0.9;

struct MarkedLines {
  std::vector<std::int64_t> touched;  ///< lines with a mark, ascending
  bool full = true;                   ///< each of them is nearly all marked
};

MarkedLines marked_lines(const Mask& mask, bool by_row) {
  MarkedLines lines;
  const std::int64_t count = by_row ? mask.rows : mask.columns;
  const std::int64_t length = by_row ? mask.columns : mask.rows;
  for (std::int64_t line = 0; line < count; ++line) {
    std::int64_t marks = 0;
    for (std::int64_t i = 0; i < length; ++i) marks += by_row ? mask.at(line, i) : mask.at(i, line);
    if (marks == 0) continue;
    lines.touched.push_back(line);
    lines.full = lines.full && static_cast<double>(marks) >= nearly_all * static_cast<double>(length);
  }
  return lines;
}

/// The step of an arithmetic progression of at least three members; 0: none.
std::int64_t step_of(const std::vector<std::int64_t>& values) {
  if (values.size() < 3) return 0;
  const std::int64_t step = values[1] - values[0];
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return 0;
  }
  return step;
}

std::string list(const std::vector<std::int64_t>& values) {
  if (values.size() <= 6) return fmt::format("{}", fmt::join(values, ", "));
  return fmt::format("{}, ... {}", fmt::join(values.begin(), values.begin() + 5, ", "), values.back());
}

/// Whole rows (columns): which ones.
Pattern whole_lines(const MarkedLines& lines, std::int64_t count, const std::string& kind) {
  const auto& touched = lines.touched;
  const std::int64_t step = touched.size() == 1 ? 1 : step_of(touched);
  const bool block = step == 1 || (touched.size() == 2 && touched[1] == touched[0] + 1);
  if (block && touched.back() == count - 1) {
    return {"last_" + kind,
            fmt::format("the last {} {} ({} to {})", touched.size(), kind, touched.front(), touched.back())};
  }
  if (block && touched.front() == 0) {
    return {"first_" + kind, fmt::format("the first {} {} of {}", touched.size(), kind, count)};
  }
  if (step > 1) {
    return {"stride", fmt::format("every {}th of the {}: {}", step, kind, list(touched))};
  }
  return {kind, fmt::format("{} {} of {}", kind, list(touched), count)};
}

}  // namespace

std::int64_t Mask::count() const {
  return std::count(marked.begin(), marked.end(), true);
}

Pattern find_pattern(const Mask& mask) {
  const std::int64_t marks = mask.count(), all = mask.rows * mask.columns;
  if (marks == 0) return {"none", "no element"};
  if (static_cast<double>(marks) >= nearly_all * static_cast<double>(all))
    return {"everywhere", fmt::format("{} of {} elements", marks, all)};
  const MarkedLines rows = marked_lines(mask, true), columns = marked_lines(mask, false);
  if (marks == 1)
    return {"one_element", fmt::format("one element, [{}, {}]", rows.touched[0], columns.touched[0])};
  if (rows.full) return whole_lines(rows, mask.rows, "rows");
  if (columns.full) return whole_lines(columns, mask.columns, "columns");

  const std::int64_t top = rows.touched.front(), bottom = rows.touched.back();
  const std::int64_t left = columns.touched.front(), right = columns.touched.back();
  const double box = static_cast<double>((bottom - top + 1) * (right - left + 1));
  if (static_cast<double>(marks) >= nearly_all * box) {
    return {"tile", fmt::format("a tile: rows {} to {}, columns {} to {}", top, bottom, left, right)};
  }
  std::int64_t upper = 0, near_diagonal = 0, all_upper = 0;
  for (std::int64_t i = 0; i < mask.rows; ++i) {
    for (std::int64_t j = 0; j < mask.columns; ++j) {
      all_upper += j > i;
      if (!mask.at(i, j)) continue;
      upper += j > i;
      near_diagonal += j >= i - 1 && j <= i + 1;
    }
  }
  if (near_diagonal == marks)
    return {"diagonal", fmt::format("{} elements on or beside the diagonal", marks)};
  if (upper == marks && 2 * marks > all_upper)
    return {"upper_triangle", fmt::format("{} elements above the diagonal", marks)};
  for (const auto& [lines, kind] : {std::pair{&rows, "rows"}, std::pair{&columns, "columns"}}) {
    const std::int64_t step = step_of(lines->touched);
    if (step > 1)
      return {"stride", fmt::format("within every {}th of the {}: {}", step, kind, list(lines->touched))};
  }
  return {"scattered", fmt::format("{} of {} elements, rows {} to {}, columns {} to {}", marks, all, top,
                                   bottom, left, right)};
}

}  // namespace evo::diagnose
