#include "config/expression_names.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/argument_items.hpp"
#include "config/launches_loader.hpp"
#include "config/nearest.hpp"

namespace evo::config {

void check_references(const model::Problem& problem, const Reader& reader) {
  std::vector<std::string> set_names;
  for (const auto& set : problem.input_sets) set_names.push_back(set.name);
  const auto tolerances = reader.find("tolerances");
  for (const Reader& tolerance : tolerances ? tolerances->items() : std::vector<Reader>{}) {
    if (const auto sets = tolerance.find("input_sets")) {
      for (const Reader& set : sets->items()) (void)set.choice(set_names, "input set");
    }
  }
  // Every name in an expression must mean something, even in a branch that the initial genome does not take.
  std::vector<std::string> axes;
  for (const auto& axis : problem.axes) axes.push_back(axis.name);
  const auto check = [&](const model::Expression& expression, std::vector<std::string> known,
                         const std::string& real = {}) {
    for (const std::string& name : expression.names()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw Invalid{{fmt::format("expression '{}': unknown name '{}'{}",
                                 real.empty() ? expression.text() : real, name, suggestion(name, known)),
                     expression.file(), expression.line(), 0}};
    }
  };
  for (const auto& argument : problem.arguments) {
    if (argument.role == model::ArgumentRole::workspace) continue;
    for (const auto& size : argument.shape) refuse_genes(problem, size);
    if (uses_genes(problem, argument.scalar)) continue;  // as check_launches() has it
    for (const auto& size : argument.shape) check(size, axes);
    for (const auto& stride : argument.strides) check(stride, axes);
    // What changes no answer may follow the genome: those of every template are known in check_launches().
    if (argument.neutral && !problem.templates.empty()) continue;
    check(argument.scalar.expression, axes, argument.scalar.real);
    if (argument.scalar.times) check(*argument.scalar.times, axes);
  }
  check(problem.work.flops, axes);
  check(problem.work.bytes, axes);
  if (problem.oracle_kernel && problem.oracle_kernel->launch) {
    for (int i = 0; i < 3; ++i) {
      check(problem.oracle_kernel->launch->grid[i], axes);
      check(problem.oracle_kernel->launch->block[i], axes);
    }
  }
  for (const auto& kernel : problem.templates) {
    for (const auto& gene : kernel.space.genes()) {
      if (problem.find_axis(gene.name)) {
        reader.at("templates")
            .at(kernel.name)
            .at("genes")
            .at(gene.name)
            .fail(fmt::format("{} is an axis of the problem; a gene needs a name of its own", gene.name));
      }
    }
    std::vector<std::string> fixed{"smem_limit", "max_threads", "warp_size"};
    for (const auto& axis : problem.axes) {
      if (axis.compile_time) fixed.push_back(axis.name);
    }
    for (const auto& gene : kernel.space.genes()) fixed.push_back(gene.name);
    for (const auto& constraint : kernel.space.constraints()) check(constraint.condition, fixed);
    std::vector<std::string> all = fixed;
    all.insert(all.end(), axes.begin(), axes.end());
    for (const auto& argument : problem.arguments) {
      if (argument.slices) check(*argument.slices, all);
    }
    check_launches(problem, kernel, fixed, all, check);
    for (const auto& shape : kernel.sanitize_shapes) {
      for (const auto& [axis, value] : shape) {
        check(value, fixed);
        if (!problem.find_axis(axis)) {
          throw Invalid{
              {fmt::format("sanitize_shapes: there is no axis '{}'{}", axis, suggestion(axis, axes)),
               value.file(), value.line(), 0}};
        }
      }
    }
  }
}

}  // namespace evo::config
