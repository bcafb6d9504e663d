// selftest.cu: the exported kernel against the problem's plain reference, on random inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "export/exporter.hpp"

namespace evo::exporting {

struct Selftest {
  std::map<std::string, std::string> files;  ///< selftest.cu and what it checks against; empty: there is none
  /// For provenance.json: what it checks against and by which bounds, or why there is none.
  std::string against, bounds, missing;
};

/// It checks against the problem's oracle where that is a kernel (in fp64, on the inputs widened), else
/// against reference.cu beside problem.yaml, whose line "// threads: EXPRESSION" says how many threads it
/// wants, else against the request's answers. Error: no such line, or an expression that cannot be bound.
[[nodiscard]] model::Expected<Selftest> write_selftest(const ExportRequest& request, const std::string& name,
                                                       const std::vector<model::Case>& cases);

/// The part that depends on no problem: CHECK, Array, agree(). It needs constants relative_frobenius and
/// max_abs_over_rms before it.
[[nodiscard]] const char* selftest_harness();

/// What the comment on those constants has to add for a class with the rule reference_factor; else nothing.
[[nodiscard]] const char* ceiling_note(const model::Tolerance& tolerance);

}  // namespace evo::exporting
