// The sources of a run's variants, made again from its problem.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "report/run_view.hpp"

namespace evo::report {

/// {"lines": [text], "of": [{"trial", "file", "source": [[first, count], ...]}], "left_out"}: a source is the
/// lines first, first + 1, ... of each of its parts. The champion's ancestors, the fastest, and the first of
/// each way to fail, as many as fit in `bytes`; only those whose hash is the one that the ledger has. What
/// could not be made is told in `notices`.
[[nodiscard]] boost::json::object sources_of(const RunView& view, std::size_t bytes,
                                             std::vector<std::string>& notices);

}  // namespace evo::report
