// selftest.cu: the exported kernel against the problem's plain reference, on random inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "export/exporter.hpp"

namespace evo::exporting {

/// selftest.cu and the file with what it checks against; nothing where the problem has no such kernel. That
/// is its oracle where that is a kernel (in fp64, on the inputs widened), else reference.cu beside
/// problem.yaml, whose line "// threads: EXPRESSION" says how many threads it wants. Error: no such line, or
/// an expression that cannot be bound.
[[nodiscard]] model::Expected<std::map<std::string, std::string>> write_selftest(
    const ExportRequest& request, const std::string& name, const std::vector<model::Case>& cases);

/// The part that depends on no problem: CHECK, Array, agree(). It needs constants relative_frobenius and
/// max_abs_over_rms before it.
[[nodiscard]] const char* selftest_harness();

/// What the comment on those constants has to add for a class with the rule reference_factor; else nothing.
[[nodiscard]] const char* ceiling_note(const model::Tolerance& tolerance);

}  // namespace evo::exporting
