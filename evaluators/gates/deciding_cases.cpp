#include "evaluators/gates/deciding_cases.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "evaluators/gates/crossed_sizes.hpp"
#include "evaluators/gates/launch_limits.hpp"
#include "evaluators/gates/size_predicates.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::uint64_t deciding_draws = 600;
constexpr std::size_t most_deciding = 12;
/// Of sizes that are drawn: light.
constexpr double deciding_flops = 4194304;  // 2^22
constexpr std::int64_t deciding_bytes = std::int64_t{1} << 20;

/// What the kernel gets, by its parameters' places; 0 for what is no whole number.
std::vector<std::int64_t> parameters_of(const model::Case& bound) {
  std::vector<std::int64_t> values;
  const auto& taken = bound.launch.arguments;
  const std::size_t count = taken ? taken->size() : bound.arguments.size();
  for (std::size_t place = 0; place < count; ++place) {
    const model::BoundArgument& argument = bound.arguments.at(taken ? (*taken)[place] : place);
    const bool whole = argument.role == model::ArgumentRole::scalar && !oracle::is_floating(argument.dtype);
    values.push_back(whole ? argument.scalar_integer : 0);
  }
  return values;
}

/// What each predicate has been.
class Seen {
 public:
  explicit Seen(const SizePredicates& predicates) : predicates_(predicates), seen_(predicates.count()) {}

  /// Is one of them what it has never been?
  bool add(const model::Case& bound) {
    const auto values = predicates_.values(parameters_of(bound));
    bool first = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      bool& known = seen_[i][*values[i] ? 1 : 0];
      first = first || !known;
      known = true;
    }
    return first;
  }
  [[nodiscard]] bool all() const {
    return std::ranges::all_of(seen_, [](const auto& both) { return both[0] && both[1]; });
  }

 private:
  const SizePredicates& predicates_;
  std::vector<std::array<bool, 2>> seen_;
};

/// Next to a multiple or a quotient of `size`, or apart from it.
std::int64_t related_to(std::int64_t size, model::RandomStream& stream) {
  constexpr std::uint64_t most_times = 9, apart = 200;
  const auto times = static_cast<std::int64_t>(1 + stream.below(most_times));
  const std::int64_t over = static_cast<std::int64_t>(stream.below(5)) - 2;
  switch (stream.below(4)) {
    case 0:
      return 1 + static_cast<std::int64_t>(stream.below(apart));
    case 1:
      return size / times + over;
    case 2:
      return size + over;
    default:
      return size * times + over;
  }
}

model::Workload drawn_sizes(const std::vector<const model::Axis*>& free, model::Workload workload,
                            model::RandomStream& stream) {
  std::vector<std::int64_t> sizes;
  // From each of the others in turn, so that any of them may be the sum or the multiple.
  const std::size_t first = stream.below(free.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    constexpr std::uint64_t most_of_first = 48;
    std::int64_t size = 1 + static_cast<std::int64_t>(stream.below(most_of_first));
    if (i > 0) size = related_to(sizes[stream.below(sizes.size())], stream);
    const model::Axis& axis = *free[(first + i) % free.size()];
    sizes.push_back(legal_value(axis, std::max<std::int64_t>(size, 1)));
    workload.axes[axis.name] = sizes.back();
  }
  return workload;
}

}  // namespace

std::vector<DerivedCase> deciding_cases(const TemplateContext& context, const model::Genome& genome,
                                        const std::vector<std::int64_t>& static_smem,
                                        const model::Artifact& artifact,
                                        const std::vector<model::Case>& cases, std::uint64_t entropy) {
  std::vector<DerivedCase> added;
  const model::Problem& problem = context.experiment->problem;
  // Each answer of a command is a program that has to start.
  const std::vector<model::OracleKind> kinds = model::oracle_kinds(problem);
  if (cases.empty() || std::ranges::find(kinds, model::OracleKind::command) != kinds.end()) return added;
  const auto plans = model::kernels_of(cases.front().launch);
  if (plans.size() != 1 || !plans.front()->structs.empty() || plans.front()->kernel != 0) return added;
  const code::PtxModule module(artifact.ptx);
  const SizePredicates predicates(module, artifact.entry);
  Seen seen(predicates);
  for (const model::Case& bound : cases) seen.add(bound);
  std::vector<const model::Axis*> free;
  for (const model::Axis& axis : problem.axes) {
    if (!axis.compile_time && !is_flag(axis)) free.push_back(&axis);
  }
  if (free.size() < 2) return added;
  const auto& declared = context.experiment->workloads;
  const model::Workload own =
      complete_workload(*context.experiment, declared.empty() ? model::Workload{} : declared.front());
  model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "deciding sizes"});
  for (std::uint64_t draw = 0; draw < deciding_draws && !seen.all() && added.size() < most_deciding; ++draw) {
    const auto legal = within_domain(context, genome, drawn_sizes(free, own, stream));
    if (!legal) continue;
    auto bound = model::bind_case(problem, *context.kernel_template, context.space, genome, *legal);
    if (!bound || bound->flops > deciding_flops || oracle::case_bytes(*bound) > deciding_bytes ||
        oracle::has_64bit_strides(*bound) || launch_excess(*bound, static_smem, context))
      continue;
    const bool overlaps = std::ranges::any_of(bound->arguments, [](const model::BoundArgument& argument) {
      return model::is_judged(argument.role) && oracle::overlaps_itself(argument);
    });
    if (overlaps || !seen.add(*bound)) continue;
    bound->name = fmt::format("deciding {}", added.size() + 1);
    added.push_back({CaseUse::crossed, std::move(*bound)});
  }
  return added;
}

}  // namespace evo::evaluators::gates
