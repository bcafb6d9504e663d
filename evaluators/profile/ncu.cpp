#include "evaluators/profile/ncu.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include <fmt/format.h>

namespace evo::evaluators::profile {
namespace {

constexpr std::string_view ratio = ".ratio";

/// The fields of a line of CSV; "" inside quotes is one.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// "1,234.5" as ncu groups digits; nullopt for "n/a" and texts.
std::optional<double> number_in(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

}  // namespace

std::string ncu_metric(std::string_view metric) {
  if (!metric.ends_with(ratio)) return std::string(metric);
  return std::string(metric.substr(0, metric.size() - ratio.size())) + ".pct";
}

std::optional<double> value_of(const NcuLaunch& launch, std::string_view metric) {
  const auto found = launch.metrics.find(ncu_metric(metric));
  if (found == launch.metrics.end()) return std::nullopt;
  return metric.ends_with(ratio) ? found->second / 100 : found->second;
}

tl::expected<std::vector<NcuLaunch>, std::string> parse_ncu(const std::string& output) {
  std::istringstream lines(output);
  std::vector<std::string> columns;
  std::vector<NcuLaunch> launches;
  for (std::string line; std::getline(lines, line);) {
    if (columns.empty()) {
      if (line.starts_with("\"ID\"")) columns = fields_of(line);
      continue;
    }
    if (!line.starts_with('"')) continue;  // the program's own words
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != columns.size())
      return tl::unexpected(
          fmt::format("a line of {} fields below {} columns", fields.size(), columns.size()));
    if (fields.front().empty()) continue;  // the units
    NcuLaunch& launch = launches.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == "Kernel Name") launch.kernel = fields[i];
      if (columns[i].find("__") == std::string::npos) continue;
      if (const auto value = number_in(fields[i])) launch.metrics[columns[i]] = *value;
    }
  }
  if (columns.empty()) return tl::unexpected(std::string("it printed no table"));
  return launches;
}

bool says_not_permitted(const std::string& output) {
  return output.find("ERR_NVGPUCTRPERM") != std::string::npos;
}

std::string complaint_of(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view mark = "==ERROR== ";
    if (line.starts_with(mark)) return line.substr(mark.size());
  }
  return {};
}

}  // namespace evo::evaluators::profile
