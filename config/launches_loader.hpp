// A template's `entry:` and `launch:`, or its `launches:`; and the arguments that stand in variables of the
// module.
#pragma once

#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// Which kernels the template launches, into `kernel`. Invalid: both forms or none, an unknown key, an
/// argument that no kernel can take.
void read_launches(const Reader& reader, const std::vector<model::Argument>& arguments,
                   model::Template& kernel);

/// One launch, of either form, but for its kernel and its condition.
[[nodiscard]] model::LaunchModel read_launch_of(const Reader& reader,
                                                const std::vector<model::Argument>& arguments);

/// An argument's `symbol:`, where it has one. Invalid: it is no input, has strides, or is no C++ name.
void read_symbol(const Reader& reader, model::Argument& argument);
/// Invalid where two arguments stand in one variable. `reader` is the list of them.
void check_symbols(const Reader& reader, const std::vector<model::Argument>& arguments);

}  // namespace evo::config
