// Counters that evo profile stored with a run's variants.
#pragma once

#include <boost/json.hpp>

#include "report/shown_variants.hpp"

namespace evo::report {

/// [{"trial", "workload", "kernel", "basis", "method", "device", "counters": {NAME: value}, "limited_by",
/// "limit"}], measured ones first; of `shown` variants. A file that cannot be read is told in `notices`.
[[nodiscard]] boost::json::array profiles_of(const RunView& view, const ShownVariants& shown,
                                             std::vector<std::string>& notices);

}  // namespace evo::report
