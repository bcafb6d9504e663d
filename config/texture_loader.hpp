// `texture:` and `surface:` of an argument. All of them throw Invalid.
#pragma once

#include <string>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// An array argument's `texture:` or `surface:`, where it has one; role, dtype and shape are read. Invalid:
/// what CUDA has not (a linear filter of integers, wrap without normalized coordinates), a texture that is
/// written, strides, an alignment.
void read_texture(const Reader& reader, model::Argument& argument);
/// Invalid if the argument has one, for this reason.
void refuse_texture(const Reader& reader, const std::string& why);

}  // namespace evo::config
