// `reduce`: outputs whose slices or order follow the genome.
#pragma once

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// Reads the key `reduce` of an array whose shape is read: its first dimension becomes the slices. Throws
/// Invalid: it is no output, or has strides, or is an object, or an unknown word.
void read_reduction(const Reader& reader, model::Argument& argument);

}  // namespace evo::config
