#include "session/kernel_comparators.hpp"

#include <memory>
#include <utility>

#include "evaluators/gates/ladder.hpp"

namespace evo::session {

using namespace evaluators;

std::vector<KernelComparator> kernel_comparators(const model::Experiment& experiment) {
  std::vector<KernelComparator> found;
  for (const model::Comparator& one : experiment.problem.comparators) {
    if (!one.kernel) continue;
    const model::Template& kernel = *one.kernel;
    KernelComparator& made = found.emplace_back();
    made.name = one.name;
    made.experiment = experiment;
    made.experiment.problem.templates = {kernel};
    made.experiment.templates.clear();
    made.experiment.baseline_template = kernel.name;
    made.experiment.baseline = one.genome;
    const gates::TemplateContext context = gates::make_context(made.experiment, kernel);
    made.variant = {one.name, model::make_variant(kernel, context.space, one.genome).id, kernel.name,
                    one.genome};
  }
  return found;
}

void add_kernels(BenchDevice& on, const model::Experiment& experiment) {
  for (KernelComparator& one : kernel_comparators(experiment)) {
    const std::string name = one.name;
    on.comparators.push_back({name, {}});
    on.others.push_back(std::make_unique<benchmark::KernelContender>(
        name, *on.device,
        [&compiler = *on.compiler, kernel = std::move(one),
         arch = on.device->info().arch](const model::Case& wanted) {
          return compile_for(compiler, kernel.experiment, kernel.variant,
                             {wanted.name, wanted.weight, wanted.axes}, arch);
        }));
  }
}

}  // namespace evo::session
