// Roles, element types and shapes of parameters that are arrays, textures or surfaces.
#pragma once

#include <vector>

#include "intake/arguments.hpp"
#include "intake/draft.hpp"

namespace evo::intake {

/// Fills in what is known of an array: role, elements, keys, shape. `argument` has its name, its type and the
/// keys that were told; what stays open is in its `todo`.
void infer_array(const KnownParameter& p, const std::vector<DraftAxis>& axes, DraftArgument& argument);

/// The same of a texture or a surface, whose elements are its texels.
void infer_object(const KnownParameter& p, const std::vector<DraftAxis>& axes, DraftArgument& argument);

}  // namespace evo::intake
