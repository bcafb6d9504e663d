#include "session/shape_grid.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/axis_values.hpp"
#include "config/nearest.hpp"
#include "model/error.hpp"

namespace evo::session {
namespace {

constexpr std::size_t most_shapes = 4096;

[[noreturn]] void refuse_axis(const std::string& text, const std::string& why) {
  throw model::Exception(model::ExitCode::usage, fmt::format("--axis {}: {}", text, why));
}

bool begins_with(const std::string& name, const std::string& beginning) {
  return beginning.size() <= name.size() &&
         std::equal(beginning.begin(), beginning.end(), name.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

const model::Axis& axis_named(const std::string& word, const std::string& text,
                              const model::Problem& problem) {
  if (const model::Axis* axis = problem.find_axis(word)) return *axis;
  std::vector<std::string> names, fit;
  for (const model::Axis& axis : problem.axes) {
    names.push_back(axis.name);
    if (begins_with(axis.name, word)) fit.push_back(axis.name);
  }
  if (fit.size() == 1) return *problem.find_axis(fit.front());
  if (fit.size() > 1) refuse_axis(text, fmt::format("'{}' may be {}", word, fmt::join(fit, " or ")));
  refuse_axis(text, fmt::format("the problem {} has no axis '{}'{}", problem.name, word,
                                config::suggestion(word, names)));
}

std::int64_t number_in(const std::string& word, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range)
    refuse_axis(text, fmt::format("{} does not fit 64 bits", word));
  if (error != std::errc() || end != word.data() + word.size())
    refuse_axis(text, fmt::format("expected an integer or LOW..HIGH, not '{}'", word));
  return value;
}

/// What one part between two commas names.
std::vector<std::int64_t> values_of(const std::string& word, const std::string& text) {
  const std::size_t dots = word.find("..");
  if (dots == std::string::npos) return {number_in(word, text)};
  const std::int64_t low = number_in(word.substr(0, dots), text);
  const std::int64_t high = number_in(word.substr(dots + 2), text);
  if (low < 1 || high < low) refuse_axis(text, fmt::format("{}: from 1 on, and upwards", word));
  std::vector<std::int64_t> values{low};
  while (values.back() <= high / 2) values.push_back(2 * values.back());
  return values;
}

GridAxis read_axis(const std::string& text, const model::Problem& problem) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse_axis(text, "expected AXIS=VALUE,VALUE,..., as in n=128,512,2048 or n=128..2048");
  const model::Axis& axis = axis_named(text.substr(0, equals), text, problem);
  GridAxis read{axis.name, {}};
  for (std::size_t start = equals + 1; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    for (const std::int64_t value : values_of(text.substr(start, comma - start), text)) {
      if (const auto objection = config::axis_objection(axis, value)) refuse_axis(text, *objection);
      if (std::find(read.values.begin(), read.values.end(), value) != read.values.end())
        refuse_axis(text, fmt::format("{} comes twice", value));
      read.values.push_back(value);
    }
    start = comma + 1;
  }
  return read;
}

}  // namespace

std::vector<GridAxis> read_grid(const std::vector<std::string>& texts, const model::Problem& problem) {
  std::vector<GridAxis> grid;
  std::size_t shapes = 1;
  for (const std::string& text : texts) {
    GridAxis axis = read_axis(text, problem);
    if (std::any_of(grid.begin(), grid.end(), [&](const GridAxis& other) { return other.name == axis.name; }))
      refuse_axis(text, fmt::format("the axis {} comes twice", axis.name));
    shapes *= axis.values.size();
    if (shapes > most_shapes)
      refuse_axis(text, fmt::format("that makes {} shapes or more; at most {}", shapes, most_shapes));
    grid.push_back(std::move(axis));
  }
  return grid;
}

std::vector<GridShape> shapes_of(const std::vector<GridAxis>& grid, const model::Workload& base) {
  if (grid.empty()) return {{{}, base}};
  std::vector<GridShape> shapes{{{}, {{}, 1, base.axes}}};
  for (const GridAxis& axis : grid) {
    std::vector<GridShape> longer;
    for (const GridShape& shape : shapes) {
      for (const std::int64_t value : axis.values) {
        GridShape& made = longer.emplace_back(shape);
        made.at.push_back(value);
        made.workload.axes[axis.name] = value;
        made.workload.name += fmt::format("{}{}={}", made.workload.name.empty() ? "" : ",", axis.name, value);
      }
    }
    shapes = std::move(longer);
  }
  return shapes;
}

}  // namespace evo::session
