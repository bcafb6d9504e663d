// NumPy's .npy files: little-endian numbers, format 1.0 to 3.0, in C or Fortran order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.hpp"
#include "model/error.hpp"

namespace evo::model {

struct NpyArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  ///< in C order; 64-bit integers beyond 2^53 lose their low bits
  std::string type;            ///< NumPy's: "f4"
  /// The relative rounding of the type: 2^-24 of f4; 0 of integers.
  [[nodiscard]] double rounding() const;
};

/// Error: no .npy file, a type that is not known (known are f2 to f8, i1 to i8, u1 to u8, b1), fewer bytes
/// than the shape needs.
[[nodiscard]] Expected<NpyArray> parse_npy(std::string_view bytes);
/// The same; the Error names the file, also where it cannot be read.
[[nodiscard]] Expected<NpyArray> read_npy(const std::string& file);

/// How elements of this type are stored in a file: f32 for what NumPy lacks (bf16, 8-bit floats), else the
/// type itself.
[[nodiscard]] DType npy_dtype(DType dtype);
/// A file of format 1.0: `data` are the elements in C order, as they lie in memory, of npy_dtype(dtype).
[[nodiscard]] std::string npy_file(DType dtype, const std::vector<std::int64_t>& shape,
                                   std::string_view data);
[[nodiscard]] std::string npy_file(std::span<const double> values, const std::vector<std::int64_t>& shape);
[[nodiscard]] std::string npy_file(std::span<const float> values, const std::vector<std::int64_t>& shape);

}  // namespace evo::model
