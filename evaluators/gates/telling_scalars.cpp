// Values of scalars that a kernel may treat otherwise, of what its code does with them.
#include <algorithm>
#include <cmath>

#include "evaluators/gates/scalar_use.hpp"
#include "evaluators/gates/unusual_scalars.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::size_t most_values = 6;
/// far_integers() of all scalars together, and of each at the least: a case each.
constexpr std::size_t most_far = 48, least_far = 6;

bool has_a_sign(model::DType dtype) {
  return model::range_of(dtype).low < 0;
}

/// All integers of a range of a few (widths of a field, shifts, orders), else none: code for some of them
/// need not compare the scalar with a number.
std::vector<std::int64_t> all_of_a_narrow(const model::ScalarRange& range) {
  constexpr double few = 64;
  std::vector<std::int64_t> values;
  const double least = std::ceil(range.least), most = std::floor(range.most);
  if (!(most - least < few)) return values;
  for (double value = least; value <= most; ++value) values.push_back(static_cast<std::int64_t>(value));
  return values;
}

/// The next multiple of `step` beyond `value`, upwards or downwards.
std::int64_t beyond(std::int64_t value, std::int64_t step, bool upwards) {
  const std::int64_t down = value - ((value % step) + step) % step;
  if (upwards) return down + step;
  return down == value ? value - step : down;
}

bool is_a_factor(const model::Argument& scalar) {
  return scalar.role == model::ArgumentRole::scalar && model::is_floating(scalar.dtype) && !scalar.neutral &&
         !scalar.fixed && scalar.scalar.form == model::ScalarValue::Form::number;
}

/// Of the scalars that are `asked` for, what the kernels of `bound` do with those that they take by
/// themselves.
std::map<std::size_t, ScalarUse> uses_of(const model::Problem& problem, const model::Artifact& artifact,
                                         const model::Case& bound, bool (*asked)(const model::Argument&)) {
  std::map<std::size_t, ScalarUse> uses;
  const code::PtxModule module(artifact.ptx);
  std::set<std::uint32_t> seen;
  for (const model::LaunchPlan* plan : model::kernels_of(bound.launch)) {
    if (!plan->structs.empty() || plan->kernel > artifact.others.size() || !seen.insert(plan->kernel).second)
      continue;
    const std::string& entry = plan->kernel == 0 ? artifact.entry : artifact.others[plan->kernel - 1].entry;
    const std::size_t taken = plan->arguments ? plan->arguments->size() : bound.arguments.size();
    for (std::size_t place = 0; place < taken; ++place) {
      const std::size_t i = plan->arguments ? (*plan->arguments)[place] : place;
      if (i < problem.arguments.size() && asked(problem.arguments[i]))
        uses[i].add(use_of_scalar(module, entry, place, model::size_of(bound.arguments[i].dtype)));
    }
  }
  return uses;
}

}  // namespace

std::map<std::size_t, std::vector<std::int64_t>> equal_integers(const model::Problem& problem,
                                                                const model::Artifact& artifact,
                                                                const model::Case& bound) {
  constexpr std::size_t most_of_each = 3;
  std::map<std::size_t, std::vector<std::int64_t>> found;
  for (const auto& [i, use] : uses_of(problem, artifact, bound, may_be_another)) {
    for (const std::int64_t value : use.equal) {
      if (value != bound.arguments[i].scalar_integer && found[i].size() < most_of_each)
        found[i].push_back(value);
    }
  }
  return found;
}

std::vector<std::int64_t> telling_integers(const ScalarUse& use, std::int64_t usual, model::DType dtype) {
  constexpr std::int64_t most = std::int64_t{1} << 52;
  if (dtype == model::DType::boolean || usual > most || usual < -most) return {};
  const std::int64_t size = usual < 0 ? -usual : usual, step = size == 0 ? 1 : size & -size;
  const model::DTypeRange range = model::range_of(dtype);
  const std::vector<std::int64_t> near = other_integers(usual, dtype);
  std::vector<std::int64_t> values;
  const auto show = [&](std::int64_t value) {
    const auto number = static_cast<double>(value);
    if (number < range.low || number > range.high || value > 2 * most || value < -most || value == usual)
      return;
    if (std::ranges::find(near, value) != near.end() || std::ranges::find(values, value) != values.end())
      return;
    if (values.size() < most_values) values.push_back(value);
  };
  if (use.mixed && !use.decides) {
    // A carry into the high word, for who adds an index to it.
    if (model::size_of(dtype) == 8) show((std::int64_t{1} << 32) - 3);
    // Every second bit or so, also the highest that a double has room for.
    constexpr std::uint64_t word = 0xb5e9d6a5'b5e9d6a5;
    const int bits = std::min(static_cast<int>(8 * model::size_of(dtype)) - (has_a_sign(dtype) ? 1 : 0), 52);
    show(static_cast<std::int64_t>((word | std::uint64_t{1} << (bits - 1)) &
                                   ((std::uint64_t{1} << bits) - 1)));
  }
  for (const std::uint64_t lost : use.lost) {
    // Otherwise the usual value shows it.
    if (usual >= 0 && (static_cast<std::uint64_t>(usual) & lost) == 0)
      show(usual + static_cast<std::int64_t>(lost & (~lost + 1)));
  }
  for (auto at = use.above.rbegin(); at != use.above.rend(); ++at) show(beyond(*at, step, true));
  for (const std::int64_t at : use.below) show(beyond(at, step, false));
  for (const std::int64_t at : use.equal) {
    if (at % step == 0) show(at);
  }
  return values;
}

std::map<std::size_t, std::vector<std::int64_t>> telling_scalars(const model::Problem& problem,
                                                                 const model::Artifact& artifact,
                                                                 const model::Case& bound,
                                                                 std::uint64_t seed) {
  std::map<std::size_t, ScalarUse> uses = uses_of(problem, artifact, bound, may_be_another),
                                   of_floats = uses_of(problem, artifact, bound, is_a_factor);
  std::map<std::size_t, std::vector<std::int64_t>> found;
  constexpr std::size_t most_of_a_float = 3;
  for (const auto& [i, use] : of_floats) {
    for (const std::int64_t value : use.equal) {
      if (found[i].size() < most_of_a_float) found[i].push_back(value);
    }
    if (found[i].empty()) found.erase(i);
  }
  // Members of a struct, too, whose use is not known.
  for (std::size_t i = 0; i < problem.arguments.size() && i < bound.arguments.size(); ++i) {
    if (may_be_another(problem.arguments[i])) uses[i];
  }
  const std::size_t most_of_each = std::max(least_far, most_far / std::max<std::size_t>(uses.size(), 1));
  for (const auto& [i, use] : uses) {
    const model::BoundArgument& scalar = bound.arguments[i];
    std::vector<std::int64_t> values = telling_integers(use, scalar.scalar_integer, scalar.dtype);
    std::vector<std::int64_t> far = far_integers(scalar.scalar_integer, scalar.dtype, seed + i);
    // What lies beyond a range must not take the place of what is within.
    if (const auto& range = problem.arguments[i].range)
      std::erase_if(far, [&](std::int64_t value) { return !range->has(static_cast<double>(value)); });
    if (far.size() > most_of_each) far.resize(most_of_each);
    for (const std::int64_t value : far) {
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
    if (const auto& range = problem.arguments[i].range) {
      for (const std::int64_t value : all_of_a_narrow(*range)) {
        if (value != scalar.scalar_integer && std::ranges::find(values, value) == values.end())
          values.push_back(value);
      }
    }
    if (!values.empty()) found.emplace(i, std::move(values));
  }
  return found;
}

}  // namespace evo::evaluators::gates
