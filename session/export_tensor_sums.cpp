#include "session/export_tensor_sums.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "evaluators/gates/compile.hpp"
#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "packs/builtin.hpp"

namespace evo::session {

using namespace evaluators;

bool may_add_in_tensor_cores(const exporting::ExportRequest& request) {
  const model::Tolerance* tolerance = request.problem.find_tolerance(request.accuracy_class);
  if (tolerance == nullptr || !tolerance->reference_factor) return false;
  // PTX of matrix products, their intrinsics (wmma, __mma) and the headers that have them all say so.
  const auto says = [](const std::string& text) {
    constexpr std::array<std::string_view, 8> words{"mma.sync", "wmma",      "wgmma", "__mma",
                                                    "mma_sync", "mma_async", "mma.h", "tcgen05"};
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return text.find(word) != std::string::npos; });
  };
  const model::Template& kernel = request.kernel_template;
  return says(kernel.source) ||
         std::ranges::any_of(kernel.headers, [&](const auto& header) { return says(header.second); });
}

void grant_tensor_sums(exporting::ExportRequest& request, const model::Experiment& experiment,
                       compile::Compiler& compiler) {
  const gates::TemplateContext context = gates::make_context(experiment, request.kernel_template);
  const auto compiled = gates::compile_variant(compiler, context, request.variant, "");
  const auto cases = exporting::selftest_cases(request);
  if (!compiled || !cases || !gates::adds_in_tensor_cores(compiled->artifact.ptx)) return;
  oracle::Catalogue known = packs::catalogue_of(packs::builtin());
  reference::add_reference(known, experiment, compiler);
  const std::vector<std::string> reduced = gates::reduced_axes_of(known, experiment);
  for (const model::Case& bound : *cases)
    request.cut_off[bound.name] = gates::cut_off_by_tensor_cores(reduced, bound);
}

}  // namespace evo::session
