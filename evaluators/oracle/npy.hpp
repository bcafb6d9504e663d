// Arguments of a case as NumPy's .npy files and back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/npy.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// The argument's elements in C order, in its own type (see model::npy_dtype). `buffer` is the argument's
/// whole buffer.
[[nodiscard]] std::string npy_of(const model::BoundArgument& argument, const std::vector<std::byte>& buffer);

/// The bytes of an argument's buffer with these elements; gaps hold 0xff. Error: another shape.
[[nodiscard]] model::Expected<std::vector<std::byte>> buffer_of(const model::BoundArgument& argument,
                                                                const model::NpyArray& array);

}  // namespace evo::evaluators::oracle
