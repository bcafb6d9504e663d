// A macro of the source's own (a gene, an axis) that breaks a header behind it: T in `template <typename T>`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.hpp"

namespace evo::evaluators::compile {

/// "T=32" for each macro that `source` defines ahead of its first "#line", which is where genes and axes
/// stand, and for each -D of `options`.
[[nodiscard]] std::vector<std::string> macros_ahead(std::string_view source,
                                                    const std::vector<std::string>& options);

/// Of errors at a line of another file than `own`: where that line (the detail "source") has the name of one
/// of `macros`, the message says so.
void name_clashes(std::vector<model::Evidence>& errors, std::string_view own,
                  const std::vector<std::string>& macros);

}  // namespace evo::evaluators::compile
