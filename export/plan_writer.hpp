// NAME.h: the launch plan of a variant as C++.
#pragma once

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

 private:
  std::vector<const model::Axis*> run_time_axes_;
};

/// "NAME_plan".
[[nodiscard]] std::string plan_namespace(const std::string& name);
/// "const __half*", "float", "long long": a parameter's type. An output of the reference is float.
[[nodiscard]] std::string cpp_type(model::DType dtype);
[[nodiscard]] std::string parameter_type(const model::Argument& argument);
/// The axes of a case as an initialiser: "{2, 8, 512, 0, 0}".
[[nodiscard]] std::string axes_literal(const Names& names, const model::Case& bound);

[[nodiscard]] model::Expected<std::string> write_plan(const ExportRequest& request, const std::string& name,
                                                      const std::vector<model::Case>& cases);

}  // namespace evo::exporting
