// Structs among the arguments: their members are arguments like all others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// The entries of `args` in the order of Problem::arguments: in the place of a struct, its members.
[[nodiscard]] std::vector<Reader> argument_items(const Reader& args);

/// All arguments; members say which struct they are in. Throws Invalid: a struct without members, or in a
/// struct; names that occur twice; an alignment that is none.
[[nodiscard]] std::vector<model::Argument> read_arguments(const Reader& args);

}  // namespace evo::config
