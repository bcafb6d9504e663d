// What the files, functions and types of an export are called.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "export/exporter.hpp"

namespace evo::exporting {

/// Spells the names of a problem's expressions: genes and compile-time axes as they are, run-time axes as
/// members of `axes`.
class Names {
 public:
  explicit Names(const ExportRequest& request);
  [[nodiscard]] model::Expected<std::string> cpp(const model::Expression& expression) const;
  [[nodiscard]] const std::vector<const model::Axis*>& run_time_axes() const { return run_time_axes_; }
  /// Does it follow a loop of launches, so that it has a meaning within that loop only?
  [[nodiscard]] bool names_loop(const model::Expression& expression) const;

 private:
  std::vector<const model::Axis*> run_time_axes_;
  std::set<std::string, std::less<>> loops_;  ///< names of the template's loops
};

/// What counts the turns of a loop of launches: "loop_k".
[[nodiscard]] std::string loop_variable(const std::string& name);
/// The loops around the launch as parameters behind others (", long long loop_k"), or, for a call, as
/// arguments
/// (", loop_k").
[[nodiscard]] std::string loop_parameters(const model::LaunchModel& launch);
[[nodiscard]] std::string loop_arguments(const model::LaunchModel& launch);

/// A gene or compile-time axis in the plan's namespace: its own name, or one that ends with _gene where the
/// plan has a function of that name (block_x).
[[nodiscard]] std::string constant_name(const std::string& name);

/// Stem of the files: the request's name, or the entry's own name, without namespaces and template
/// arguments: "gemm" for `ns::gemm<float, {TILE}>`.
[[nodiscard]] std::string stem_of(const ExportRequest& request);

/// The function of the CUDA runtime that launches its kernels: cudaLaunchCooperativeKernel where the source
/// names the whole grid of cooperative groups (grid.sync()), else cudaLaunchKernel. Both take the same.
[[nodiscard]] std::string launch_function(const ExportRequest& request);

/// The namespace of the plan's functions.
[[nodiscard]] std::string plan_namespace(const std::string& stem);

/// The C++ type of an element.
[[nodiscard]] std::string cpp_type(model::DType dtype);

/// "const float*", "int": an argument as functions of the export take it.
[[nodiscard]] std::string parameter_type(const model::Argument& argument);

/// The same where there may be no CUDA header: arrays are void.
[[nodiscard]] std::string c_parameter_type(const model::Argument& argument);

/// True for a scalar that the caller gives (a factor, an epsilon): one that no expression over the axes
/// decides.
[[nodiscard]] bool is_given(const model::Argument& argument);

/// A braced list of a case's run-time axes.
[[nodiscard]] std::string axes_literal(const Names& names, const model::Case& bound);

}  // namespace evo::exporting
