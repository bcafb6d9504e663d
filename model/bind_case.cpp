// A workload of a variant with every size, stride and launch resolved.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "model/assumed_work.hpp"
#include "model/real_expression.hpp"
#include "model/records.hpp"
#include "model/structure.hpp"
#include "model/tensor_map.hpp"
#include "model/variant.hpp"

namespace evo::model {
namespace {

Error error_at(const Expression& expression, std::string message) {
  return Error{std::move(message), expression.file(), expression.line(), 0};
}

/// `expression` as a number in [low, high], or an error that names `what`.
Expected<std::int64_t> bounded(const Expression& expression, const Environment& environment,
                               std::string_view what, std::int64_t low, std::int64_t high) {
  auto value = expression.evaluate_integer(environment);
  if (value && (*value < low || *value > high)) {
    return tl::make_unexpected(
        error_at(expression, fmt::format("{} is {} (expression '{}'); it must be {} to {}", what, *value,
                                         expression.text(), low, high)));
  }
  return value;
}

// CUDA C++ Programming Guide, "Technical Specifications": grid.x < 2^31, grid.y and grid.z < 2^16;
// block.x, block.y <= 1024, block.z <= 64, at most 1024 threads.
constexpr std::array<std::int64_t, 3> grid_limit{2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> block_limit{1024, 1024, 64};
constexpr std::array<char, 3> dimension_name{'x', 'y', 'z'};

Expected<LaunchPlan> bind_launch(const LaunchModel& launch, const Environment& environment) {
  LaunchPlan plan;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto grid =
        bounded(launch.grid[i], environment, fmt::format("grid.{}", dimension_name[i]), 1, grid_limit[i]);
    if (!grid) return tl::make_unexpected(grid.error());
    const auto block =
        bounded(launch.block[i], environment, fmt::format("block.{}", dimension_name[i]), 1, block_limit[i]);
    if (!block) return tl::make_unexpected(block.error());
    plan.grid[i] = static_cast<std::uint32_t>(*grid);
    plan.block[i] = static_cast<std::uint32_t>(*block);
  }
  const std::uint64_t threads = std::uint64_t{plan.block[0]} * plan.block[1] * plan.block[2];
  if (threads > 1024) {
    return tl::make_unexpected(
        error_at(launch.block[0], fmt::format("a block of {} threads; the limit is 1024", threads)));
  }
  const auto smem = bounded(launch.dynamic_smem, environment, "dynamic shared memory", 0,
                            std::numeric_limits<std::int32_t>::max());
  if (!smem) return tl::make_unexpected(smem.error());
  plan.dynamic_smem = static_cast<std::uint32_t>(*smem);
  return plan;
}

/// Its own launch, or a thread for each element of the largest output.
Expected<LaunchPlan> bind_reference(const ReferenceKernel& reference,
                                    const std::vector<BoundArgument>& arguments,
                                    const Environment& environment) {
  if (reference.launch) return bind_launch(*reference.launch, environment);
  constexpr std::int64_t threads = 256;
  std::int64_t most = 1;
  for (const BoundArgument& argument : arguments) {
    if (!is_judged(argument.role)) continue;
    std::int64_t elements = 1;
    for (const std::int64_t size : argument.shape) elements *= size;
    most = std::max(most, elements);
  }
  const std::int64_t blocks = (most + threads - 1) / threads;
  if (blocks > grid_limit[0]) {
    return tl::make_unexpected(
        Error{fmt::format("{}: an output of {} elements is more than a thread each can write; give the "
                          "oracle a grid and a block",
                          reference.source_file, most)});
  }
  LaunchPlan plan;
  plan.grid[0] = static_cast<std::uint32_t>(blocks);
  plan.block[0] = static_cast<std::uint32_t>(threads);
  return plan;
}

Expected<double> real_value(const Argument& argument, const Environment& environment) {
  const ScalarValue& scalar = argument.scalar;
  RealValues values;
  for (const std::string& name : scalar.expression.names()) {
    const auto found = environment.find(name);
    const auto* number = found == environment.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    if (number == nullptr)
      return tl::make_unexpected(
          error_at(scalar.expression, fmt::format("argument {}: {} is no number here", argument.name, name)));
    values.emplace(name, static_cast<double>(*number));
  }
  const auto value = evaluate_real(scalar.real, values);
  if (value && std::isfinite(*value)) return *value;
  return tl::make_unexpected(
      error_at(scalar.expression,
               value ? fmt::format("argument {}: {} is no finite number here", argument.name, scalar.real)
                     : value.error()));
}

Expected<BoundArgument> bind_argument(const Argument& argument, const Environment& environment) {
  Expected<BoundArgument> result(tl::in_place);
  BoundArgument& bound = *result;
  bound.name = argument.name;
  bound.role = argument.role;
  bound.dtype = argument.dtype;
  bound.zeroed = argument.zeroed;
  bound.alignment = argument.alignment;
  bound.keeps_unwritten = argument.keeps_unwritten;
  bound.reproducible = argument.reproducible;
  bound.texture = argument.texture;
  bound.reduce = argument.reduce;
  if (argument.role == ArgumentRole::scalar && argument.scalar.form == ScalarValue::Form::number) {
    bound.scalar_float = argument.scalar.number;
    return result;
  }
  if (argument.role == ArgumentRole::scalar && argument.scalar.form == ScalarValue::Form::real) {
    const auto value = real_value(argument, environment);
    if (!value) return tl::make_unexpected(value.error());
    bound.scalar_float = *value;
    return result;
  }
  if (argument.role == ArgumentRole::scalar) {
    const auto value = argument.scalar.expression.evaluate_integer(environment);
    if (!value) return tl::make_unexpected(value.error());
    if (argument.scalar.form == ScalarValue::Form::inverse_sqrt) {
      if (*value <= 0) {
        return tl::make_unexpected(
            error_at(argument.scalar.expression,
                     fmt::format("argument {}: 1/sqrt({}) does not exist", argument.name, *value)));
      }
      bound.scalar_float = 1.0 / std::sqrt(static_cast<double>(*value));
      bound.scalar_integer = 0;
    } else if (argument.scalar.form == ScalarValue::Form::quotient) {
      if (*value == 0) {
        return tl::make_unexpected(error_at(
            argument.scalar.expression,
            fmt::format("argument {}: {} / 0 does not exist", argument.name, argument.scalar.number)));
      }
      double above = argument.scalar.number;
      if (argument.scalar.times) {
        const auto times = argument.scalar.times->evaluate_integer(environment);
        if (!times) return tl::make_unexpected(times.error());
        above *= static_cast<double>(*times);
      }
      bound.scalar_float = above / static_cast<double>(*value);
      bound.scalar_integer = 0;
    } else {
      bound.scalar_integer = *value;
      bound.scalar_float = static_cast<double>(*value);
    }
    return result;
  }
  constexpr std::int64_t largest = std::int64_t{1} << 40;
  for (std::size_t i = 0; i < argument.shape.size(); ++i) {
    const auto size = bounded(argument.shape[i], environment,
                              fmt::format("size of dimension {} of {}", i, argument.name), 0, largest);
    if (!size) return tl::make_unexpected(size.error());
    bound.shape.push_back(*size);
    const auto stride = bounded(argument.strides.at(i), environment,
                                fmt::format("stride of dimension {} of {}", i, argument.name), 0, largest);
    if (!stride) return tl::make_unexpected(stride.error());
    bound.strides.push_back(*stride);
  }
  if (argument.slices) {
    const auto slices =
        bounded(*argument.slices, environment, fmt::format("size of dimension 0 of {}", argument.name), 1,
                std::int64_t{1} << 24);
    if (!slices) return tl::make_unexpected(slices.error());
    bound.slices = *slices;
  }
  if (bound.texture) {
    if (const auto objection = texture_objection(*bound.texture, bound.shape))
      return tl::make_unexpected(
          error_at(argument.shape.front(), fmt::format("argument {}: {}", argument.name, *objection)));
  }
  return result;
}

void apply(const CaseChanges& changes, std::vector<BoundArgument>& arguments) {
  for (const auto& [index, strides] : changes.strides) arguments.at(index).strides = strides;
  for (const auto& [index, value] : changes.scalars) {
    arguments.at(index).scalar_float = value;
    BoundArgument& changed = arguments.at(index);
    changed.scalar_integer = static_cast<std::int64_t>(value);
    if (changed.scalar_range)
      changed.scalar_range = ValueRange{std::min(changed.scalar_range->least, changed.scalar_integer),
                                        std::max(changed.scalar_range->most, changed.scalar_integer),
                                        std::gcd(changed.scalar_range->multiple, changed.scalar_integer)};
  }
}

/// What the scalars that follow a loop are in this turn.
Expected<std::vector<ScalarPlan>> scalars_in(const Problem& problem, const Environment& loops,
                                             const Environment& environment) {
  std::vector<ScalarPlan> scalars;
  for (std::size_t i = 0; i < problem.arguments.size() && !loops.empty(); ++i) {
    const Argument& argument = problem.arguments[i];
    if (argument.role != ArgumentRole::scalar || argument.scalar.form != ScalarValue::Form::integer) continue;
    const auto& names = argument.scalar.expression.names();
    if (std::ranges::none_of(loops, [&](const auto& loop) { return names.contains(loop.first); })) continue;
    const auto value = argument.scalar.expression.evaluate_integer(environment);
    if (!value) return tl::make_unexpected(value.error());
    scalars.push_back({static_cast<std::uint32_t>(i), *value});
  }
  return scalars;
}

/// The plans of all kernels that the genome launches; `environment` has its genes and the case's axes.
Expected<LaunchPlan> bind_sequence(const Problem& problem, const Template& kernel, const Space& bound_space,
                                   const Genome& genome, const std::vector<BoundArgument>& arguments,
                                   const Environment& environment) {
  const auto launches = launches_of(kernel, bound_space, genome);
  if (!launches) return tl::make_unexpected(launches.error());
  std::vector<SymbolPlan> symbols;
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    if (!problem.arguments[i].symbol.empty())
      symbols.push_back({static_cast<std::uint32_t>(i), problem.arguments[i].symbol});
  }
  const std::vector<std::uint32_t> parameters = parameter_arguments(problem.arguments);
  const std::vector<std::string> entries = render_entries(kernel, bound_space, genome);
  const std::vector<StructPlan> structs = structs_of(problem.arguments);
  const auto steps = launch_steps(*launches, environment);
  if (!steps) return tl::make_unexpected(steps.error());
  std::vector<LaunchPlan> plans;
  for (const auto& [launch, loops] : *steps) {
    Environment known = environment;
    for (const auto& [name, value] : loops) known.insert_or_assign(name, value);
    auto plan = bind_launch(*launch, known);
    if (!plan) return plan;
    for (const TensorMapModel& map : launch->tensor_maps) {
      auto resolved = bind_tensor_map(map, arguments, known);
      if (!resolved) return tl::make_unexpected(resolved.error());
      plan->tensor_maps.push_back(std::move(*resolved));
    }
    if (launch->arguments) {
      plan->arguments.emplace(launch->arguments->begin(), launch->arguments->end());
    } else if (parameters.size() < problem.arguments.size()) {
      plan->arguments = parameters;
    }
    plan->structs = structs;
    auto scalars = scalars_in(problem, loops, known);
    if (!scalars) return tl::make_unexpected(scalars.error());
    plan->scalars = std::move(*scalars);
    const std::string entry = render_launch_entry(kernel, *launch, bound_space, genome);
    const auto found = std::find(entries.begin(), entries.end(), entry);
    plan->kernel = static_cast<std::uint32_t>(found - entries.begin());
    plans.push_back(std::move(*plan));
  }
  LaunchPlan first = std::move(plans.front());
  first.symbols = std::move(symbols);
  first.then.assign(std::make_move_iterator(plans.begin() + 1), std::make_move_iterator(plans.end()));
  return first;
}

}  // namespace

/// Of a case's names, what each can be: genes and sizes that are compiled in are what they are.
ValueRanges ranges_of(const Problem& problem, const Environment& environment) {
  ValueRanges ranges;
  for (const auto& [name, value] : environment) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) ranges[name] = range_of(*number);
  }
  for (const Axis& axis : problem.axes) {
    if (!axis.compile_time) ranges[axis.name] = range_of(axis);
  }
  return ranges;
}

Expected<Case> bind_case(const Problem& problem, const Template& kernel, const Space& bound_space,
                         const Genome& genome, const Workload& workload, const CaseChanges& changes) {
  Case bound;
  bound.name = workload.name;
  bound.weight = workload.weight;
  Environment environment = environment_of(bound_space, genome);
  for (const Axis& axis : problem.axes) {
    const auto found = workload.axes.find(axis.name);
    if (found == workload.axes.end() && !axis.initial) {
      return tl::make_unexpected(
          Error{fmt::format("workload {} gives no value for axis {}", workload.name, axis.name)});
    }
    const std::int64_t value = found != workload.axes.end() ? found->second : *axis.initial;
    bound.axes.insert_or_assign(axis.name, value);
    environment.insert_or_assign(axis.name, value);
  }
  const ValueRanges ranges = ranges_of(problem, environment);
  Environment with_loops = environment;
  for (const auto& [name, value] : first_turns(kernel, environment)) with_loops.insert_or_assign(name, value);
  for (const Argument& argument : problem.arguments) {
    auto result = bind_argument(argument, with_loops);
    if (!result) return tl::make_unexpected(result.error());
    if (argument.role == ArgumentRole::scalar && !is_floating(argument.dtype) &&
        argument.scalar.form == ScalarValue::Form::integer)
      result->scalar_range = range_of(argument.scalar.expression, ranges);
    bound.arguments.push_back(std::move(*result));
  }
  // The first one's address is that of the array of structs.
  for (const RecordLayout& record : records_of(bound.arguments)) {
    BoundArgument& first = bound.arguments[record.first];
    first.alignment = std::max(first.alignment, record.alignment);
  }
  apply(changes, bound.arguments);
  bound.undeclared_scalar = changes.undeclared_scalar;
  if (auto filled = bind_fills(problem, environment, bound.arguments); !filled)
    return tl::make_unexpected(filled.error());
  auto launch = bind_sequence(problem, kernel, bound_space, genome, bound.arguments, environment);
  if (!launch) return tl::make_unexpected(launch.error());
  bound.launch = std::move(*launch);
  bound.computes_in = problem.computes_in;
  if (problem.oracle_kernel) {
    auto reference = bind_reference(*problem.oracle_kernel, bound.arguments, environment);
    if (!reference) return tl::make_unexpected(reference.error());
    // It takes what is in a variable of the module as a parameter, and an array of structs as one.
    if (const auto taken = reference_arguments(problem.arguments); taken.size() < problem.arguments.size())
      reference->arguments = taken;
    bound.reference_launch = std::move(*reference);
    bound.reference_by_element = !problem.oracle_kernel->launch;
    bound.reference_guessed = bound.reference_by_element || problem.oracle_kernel->guessed;
  }
  if (problem.work.assumed) {
    const AssumedWork assumed = assumed_work(problem, bound.arguments);
    bound.flops = assumed.operations;
    bound.bytes = assumed.bytes;
    return bound;
  }
  const auto flops = problem.work.flops.evaluate_integer(environment);
  if (!flops) return tl::make_unexpected(flops.error());
  const auto bytes = problem.work.bytes.evaluate_integer(environment);
  if (!bytes) return tl::make_unexpected(bytes.error());
  bound.flops = static_cast<double>(*flops);
  bound.bytes = static_cast<double>(*bytes);
  return bound;
}

}  // namespace evo::model
