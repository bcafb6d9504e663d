// A template's `entry:` and `launch:`, or its `launches:`; and the arguments that stand in variables of the
// module.
#pragma once

#include <functional>
#include <string>
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

/// Calls check(expression, names that it may use) for each expression of the template's launches, and of the
/// shapes of workspaces, which are as large as a genome needs them, and of scalars that use genes. `fixed`:
/// what a genome fixes; `all`: axes too.
void check_launches(
    const model::Problem& problem, const model::Template& kernel, const std::vector<std::string>& fixed,
    const std::vector<std::string>& all,
    const std::function<void(const model::Expression&, const std::vector<std::string>&)>& check);
/// The value of a scalar follows the genome: it tells a kernel what only this genome's launches need.
[[nodiscard]] bool uses_genes(const model::Problem& problem, const model::ScalarValue& scalar);
/// Invalid where the size of an argument that is no workspace names a gene.
void refuse_genes(const model::Problem& problem, const model::Expression& expression);

/// An argument's `symbol:`, where it has one. Invalid: it is no input, has strides, or is no C++ name.
void read_symbol(const Reader& reader, model::Argument& argument);
/// Invalid where two arguments stand in one variable. `reader` is the list of them.
void check_symbols(const Reader& reader, const std::vector<model::Argument>& arguments);

}  // namespace evo::config
