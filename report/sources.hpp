// What the compiler got of a run's variants, and what it made of it.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "report/shown_variants.hpp"

namespace evo::report {

/// {"lines": [text], "of": [{"trial", "source": [[first, count], ...]}], "left_out"}: a source is the lines
/// first, first + 1, ... of each of its parts. As many as fit in `bytes`.
[[nodiscard]] boost::json::object sources_of(const ShownVariants& shown, std::size_t bytes);

/// The same of their PTX, as the artifact cache of this machine has it ("missing": how many it has not).
/// `toolchain`: the run's.
[[nodiscard]] boost::json::object ptx_of(const RunView& view, const ShownVariants& shown, std::size_t bytes);

}  // namespace evo::report
