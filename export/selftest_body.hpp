// What selftest.cu does with the arguments of a case.
#pragma once

#include <cstdint>
#include <string>

#include "export/exporter.hpp"
#include "export/names.hpp"

namespace evo::exporting {

/// Statements of run_case(), and lists in its calls.
struct SelftestBody {
  std::string arrays, launch_arguments, comparisons;
  std::string values;     ///< variables with the scalars of the reference
  std::string reference;  ///< addresses of what the reference takes
};

/// What the kernel is held against.
enum class Against : std::uint8_t {
  oracle_kernel,  ///< takes floating-point arrays and scalars as double
  reference_cu,   ///< takes what the kernel takes, but outputs as float
  recording,
};

/// Error: an expression or a number that cannot be spelt in C++.
[[nodiscard]] model::Expected<SelftestBody> selftest_body(const ExportRequest& request, const Names& names,
                                                          Against against);

}  // namespace evo::exporting
