// What `ncu --csv --page raw --print-units base` prints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace evo::evaluators::profile {

/// One launch: the kernel's name, and the value of each metric that has one.
struct NcuLaunch {
  std::string kernel;
  std::map<std::string, double, std::less<>> metrics;
};

/// What ncu is asked for `metric`: of a ratio in percent, since it prints two digits behind the point.
[[nodiscard]] std::string ncu_metric(std::string_view metric);

/// `metric` of a launch that was asked for ncu_metric(); nullopt where it has no value.
[[nodiscard]] std::optional<double> value_of(const NcuLaunch& launch, std::string_view metric);

/// In the order of the launches. The error is one sentence: no table, or a line of it that is broken.
[[nodiscard]] tl::expected<std::vector<NcuLaunch>, std::string> parse_ncu(const std::string& output);

/// Does it say that this user may not read counters?
[[nodiscard]] bool says_not_permitted(const std::string& output);
/// Its own words for why it gave up ("==ERROR== ..."); empty if there are none.
[[nodiscard]] std::string complaint_of(const std::string& output);

}  // namespace evo::evaluators::profile
