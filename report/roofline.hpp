// How far the champion's ancestors are from what the target's rates allow.
#pragma once

#include <boost/json.hpp>

#include "report/run_view.hpp"

namespace evo::report {

/// null without an experiment, a target's rates or a work model; otherwise {"basis": "work_model", "roofs":
/// {"dram_gb_per_s", "l2_gb_per_s", "tensor_fp16_tflops" (null where it is not known)}, "points": [{"trial",
/// "workload", "flops", "bytes", "intensity", "tflops", "gb_per_s", "limit_tflops", "of_limit"}]}: a point
/// for each workload of the baseline and of each trial of the champion's path. Flops and bytes are what the
/// problem needs, not what a kernel executes; the limit is the lower one of tensor cores and DRAM.
[[nodiscard]] boost::json::value roofline_of(const RunView& view, const boost::json::array& path);

}  // namespace evo::report
