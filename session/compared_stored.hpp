// A side of `evo compare` that was stored: an export, or a baseline.
#pragma once

#include <string>

#include "session/compared.hpp"
#include "session/source_experiment.hpp"

namespace evo::session {

/// Throws model::Exception (usage).
[[noreturn]] void refuse_compared(const std::string& message);

/// The folder `path` that `evo export` wrote. `other`: the other side, where it is read already, or null; its
/// problem is the stored kernel's where the names are the same. Throws as read_compared() does.
[[nodiscard]] Compared compared_of_export(const std::string& path, const Compared* other,
                                          const SourceRequest& request);

/// The same of the file `path` that `evo baseline save` wrote.
[[nodiscard]] Compared compared_of_baseline(const std::string& path, const Compared* other,
                                            const SourceRequest& request);

}  // namespace evo::session
