// Arrays of structs with members of several types, as an export has them: bytes.
#pragma once

#include <optional>

#include "export/exporter.hpp"

namespace evo::exporting {

/// The request with one argument of bytes in the place of an array's fields: "points[].position" and its
/// neighbours become u8 points[n, 16]. launch() takes a pointer to them. Nothing where the problem has no
/// such arrays; an Error where its first workload cannot be bound, by which their size is known.
[[nodiscard]] model::Expected<std::optional<ExportRequest>> with_structs_as_bytes(
    const ExportRequest& request);

}  // namespace evo::exporting
