// reproducer.cu: one launch plan of an exported kernel on stored inputs, against stored results.
#pragma once

#include <string>

#include "export/exporter.hpp"

namespace evo::exporting {

/// What the program repeats.
struct ReproducerPlan {
  model::Case bound;
  int launches = 1;             ///< into the same buffers; outputs are overwritten with NaNs before each
  bool zero_workspace = false;  ///< workspaces hold zeros before the first launch, else NaNs
};

/// The program, for a folder that write_export() has filled (`name` is the stem of its files). It reads, for
/// each input A, A.bin (its whole buffer, as the device holds it) and, for each output B, B.expected.bin (its
/// extent in float, NaN between strided elements). Exit code 1: the fault shows; 0: everything was correct.
[[nodiscard]] model::Expected<std::string> write_reproducer(const ExportRequest& request,
                                                            const std::string& name,
                                                            const ReproducerPlan& plan);

}  // namespace evo::exporting
