// NumPy's .npy files as arguments of a case: little-endian, of format 1.0 to 3.0, in C or Fortran order, of
// any type but objects, strings and complex numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

struct NpyArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  ///< in C order; 64-bit integers beyond 2^53 lose their low bits
  std::string type;            ///< NumPy's: "f4"
  /// The relative rounding of the type: 2^-24 of f4; 0 of integers.
  [[nodiscard]] double rounding() const;
};

/// Error: no .npy file, a type that is not known, fewer bytes than the shape needs.
[[nodiscard]] model::Expected<NpyArray> parse_npy(std::string_view bytes);
/// The same; the Error names the file, also where it cannot be read.
[[nodiscard]] model::Expected<NpyArray> read_npy(const std::string& file);

/// The argument's elements in C order, in its own type (bf16, which NumPy lacks, as f4). `buffer` is the
/// argument's whole buffer.
[[nodiscard]] std::string npy_of(const model::BoundArgument& argument, const std::vector<std::byte>& buffer);

/// The bytes of an argument's buffer with these elements; gaps hold 0xff. Error: another shape.
[[nodiscard]] model::Expected<std::vector<std::byte>> buffer_of(const model::BoundArgument& argument,
                                                                const NpyArray& array);

}  // namespace evo::evaluators::oracle
