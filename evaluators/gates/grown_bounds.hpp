// Bounds for shapes that are larger than all that a problem declares.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/oracle/catalogue.hpp"

namespace evo::evaluators::gates {

/// The free axes along which outputs are made of more inputs the longer the axis is (K of a
/// product, the columns that a row is normalised over), by the oracle's word (oracle/depth.hpp) on small
/// shapes. Those that the problem's expressions do not allow alone are left out.
[[nodiscard]] std::vector<std::string> reduced_axes(const oracle::Catalogue& known,
                                                    const TemplateContext& context,
                                                    const model::Genome& genome);

/// The job's tolerance, as it holds for one of its cases. Whoever wrote the bounds knew the declared shapes;
/// a sum over n terms errs by up to n units in the last place (N. Higham, Accuracy and Stability of Numerical
/// Algorithms, section 4.2). So on a stretched or crossed shape both bounds grow with the one of
/// DeviceJob::reduced_axes that grew most beyond its largest declared value, 64 times at most: what such a
/// shape is for, counters that overflow and tiles left out, costs more.
[[nodiscard]] model::Tolerance grown_bounds(const DeviceJob& job, std::size_t case_index);

/// What a sum in FP32 over the case's DeviceJob::reduced_axes, one term after the other, may be off by, as a
/// share of each output: n units of rounding (Higham, as above), of at most 4096 terms. Terms that are all
/// alike round the same way, so that correct kernels come near it: 128 partial sums of equal small terms
/// beside a large one were 5e-6 off.
[[nodiscard]] double summation_error(const DeviceJob& job, std::size_t case_index);

/// cut_off_by_tensor_cores() over DeviceJob::reduced_axes; 0 where DeviceJob::tensor_core_sums is false.
[[nodiscard]] double truncation_error(const DeviceJob& job, const model::Case& bound);

/// How a check's outputs are judged.
struct Bounds {
  model::Tolerance tolerance;
  double relative = 0;  ///< of each output, beside the tolerance (oracle::CompareOptions::relative)
  /// Of the output as a whole, beside what a plain implementation is off by (oracle::OutputErrors).
  double truncation = 0;
};

/// Of a declared workload, wherever it is launched.
[[nodiscard]] Bounds workload_bounds(const DeviceJob& job, const model::Case& bound);
/// grown_bounds(), truncation_error(), and for what no problem declares summation_error().
[[nodiscard]] Bounds bounds_of(const DeviceJob& job, std::size_t case_index, bool conditioned);

}  // namespace evo::evaluators::gates
