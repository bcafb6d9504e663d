#include "evaluators/gates/case_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/crossed_cases.hpp"
#include "evaluators/gates/integers_together.hpp"
#include "evaluators/gates/launch_limits.hpp"
#include "evaluators/gates/scalar_order.hpp"
#include "evaluators/gates/scalar_room.hpp"
#include "evaluators/gates/scalar_rows.hpp"
#include "evaluators/gates/unusual_scalars.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"
#include "model/stride_groups.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t vector_bytes = 16;
/// The least share of its usual value that a floating-point scalar is shown with.
constexpr double least_of_a_scalar = 0x1p-10;
/// Thread instructions of a reference for a value of a scalar that nobody gave, on a small workload.
constexpr std::uint64_t budget_of_a_scalar = std::uint64_t{1} << 26;
/// More elements than 32 bits count, signed or not, also of bytes that are cut off; keeps vectors aligned.
constexpr std::int64_t far_pad = (std::int64_t{1} << 35) + 8;
/// Strides of more elements than 16 bits count, of an array that stays below so many bytes with them.
constexpr std::int64_t wide_pad = 65536, most_wide_bytes = std::int64_t{48} << 20;

class Matrix {
 public:
  Matrix(const TemplateContext& context, const model::Genome& genome, std::vector<std::int64_t> static_smem,
         std::uint64_t entropy)
      : context_(context),
        genome_(genome),
        static_smem_(std::move(static_smem)),
        stream_({.seed = entropy, .generation = 0, .slot = 0, .purpose = "changed parameters"}) {}

  void add(CaseUse use, const model::Workload& workload, const std::string& name,
           const model::CaseChanges& changes = {}, std::uint64_t reference_budget = 0) {
    auto bound = bind(workload, changes);
    if (!bound || launch_excess(*bound, static_smem_, context_)) return;
    bound->name = name;
    bound->reference_budget = reference_budget;
    cases_.push_back({use, std::move(*bound)});
  }

  void change_strides(const model::Workload& workload) {
    const auto bound = bind(workload);
    if (!bound) return;
    for (const model::StrideGroup& group : model::stride_groups(context_.experiment->problem)) {
      const std::vector<std::string> names = names_of(group, *bound);
      const std::int64_t size = model::size_of(bound->arguments[group.arrays.front()].dtype);
      const std::int64_t vector = std::max<std::int64_t>(vector_bytes / size, 1);
      if (const auto changes = model::packed_strides(group, *bound)) {
        add(CaseUse::changed, workload,
            fmt::format("{}, packed strides of {}", workload.name, fmt::join(names, ", ")), *changes);
      }
      for (const char* manner : {"aligned", "odd", "mixed"}) {
        std::map<std::size_t, std::int64_t> pads;
        bool odd = *manner == 'o';
        for (const auto& [dimension, scalars] : group.scalars) {
          const auto any = static_cast<std::int64_t>(stream_.below(3));
          pads[dimension] = odd ? 1 + 2 * any : vector * (1 + any);
          if (*manner == 'm') odd = !odd;
        }
        if (const auto changes = model::padded_strides(group, *bound, pads)) {
          add(CaseUse::changed, workload,
              fmt::format("{}, {} strides of {}", workload.name, manner, fmt::join(names, ", ")), *changes);
        }
      }
    }
  }

  /// Elements that lie far apart, though within 32 bits.
  void widen_strides(const model::Workload& workload) {
    const auto bound = bind(workload);
    if (!bound) return;
    for (const model::StrideGroup& group : model::stride_groups(context_.experiment->problem)) {
      std::map<std::size_t, std::int64_t> pads;
      for (const auto& [dimension, scalars] : group.scalars)
        pads[dimension] = wide_pad + 8 * (1 + static_cast<std::int64_t>(stream_.below(3)));
      const auto changes = model::padded_strides(group, *bound, pads);
      if (!changes) continue;
      const auto changed = bind(workload, *changes);
      if (!changed || oracle::case_bytes(*changed) > most_wide_bytes) continue;
      add(CaseUse::changed, workload,
          fmt::format("{}, wide strides of {}", workload.name, fmt::join(names_of(group, *bound), ", ")),
          *changes);
    }
  }

  /// Elements that lie further apart than 32 bits count, one dimension after the other, where the kernel is
  /// told the stride in 64 bits: whoever asks for those means such offsets.
  void part_strides(const model::Workload& workload) {
    const auto bound = bind(workload);
    if (!bound) return;
    std::map<std::size_t, model::CaseChanges> by_dimension;
    for (const model::StrideGroup& group : model::stride_groups(context_.experiment->problem)) {
      for (const auto& [dimension, of_it] : group.scalars) {
        if (bound->arguments[group.arrays.front()].shape[dimension] < 2) continue;
        // What lies outside of it has to stay as far from its last part.
        const auto& strides = bound->arguments[group.arrays.front()].strides;
        std::map<std::size_t, std::int64_t> pads;
        for (const auto& [outer, told] : group.scalars) {
          if (strides[outer] >= strides[dimension]) pads[outer] = far_pad;
        }
        const auto changes = model::padded_strides(group, *bound, pads);
        if (!changes || !tells_all_in_64_bits(group, *bound, *changes)) continue;
        model::CaseChanges& all = by_dimension[dimension];
        all.strides.insert(changes->strides.begin(), changes->strides.end());
        all.scalars.insert(changes->scalars.begin(), changes->scalars.end());
      }
    }
    for (const auto& [dimension, changes] : by_dimension)
      add(CaseUse::changed, workload,
          fmt::format("{}, far strides in dimension {}", workload.name, dimension), changes);
  }

  /// Rows that follow each other without a gap, of a length that every vector divides: a path of its own in
  /// many a kernel.
  void pack_strides(const model::Workload& workload) {
    const auto bound = bind(workload);
    if (!bound) return;
    model::CaseChanges all;
    for (const model::StrideGroup& group : model::stride_groups(context_.experiment->problem)) {
      if (const auto changes = model::packed_strides(group, *bound)) {
        all.strides.insert(changes->strides.begin(), changes->strides.end());
        all.scalars.insert(changes->scalars.begin(), changes->scalars.end());
      }
    }
    if (!all.strides.empty()) add(CaseUse::changed, workload, workload.name + ", packed strides of all", all);
  }

  /// `further`: whole numbers by the argument's index, of floating-point scalars too; `beside`: others of
  /// those.
  void change_scalars(const model::Workload& workload,
                      const std::map<std::size_t, std::vector<std::int64_t>>& further,
                      const std::map<std::size_t, std::vector<double>>& beside) {
    const auto bound = bind(workload);
    if (!bound) return;
    for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
      const model::BoundArgument& scalar = bound->arguments[i];
      if (scalar.role != model::ArgumentRole::scalar || !oracle::is_floating(scalar.dtype)) continue;
      // Of a neutral one only the value that is declared changes nothing.
      if (context_.experiment->problem.arguments[i].neutral) continue;
      if (context_.experiment->problem.arguments[i].fixed) continue;
      // Smaller, larger, and far beyond what the expression gives; the sign stays, which a kernel may count
      // on.
      const double usual = scalar.scalar_float == 0 ? 1 : scalar.scalar_float;
      std::vector<double> values;
      for (const double factor : {0.5, 2.0, 12.0})
        values.push_back(usual * factor * (0.75 + 0.5 * stream_.uniform()));
      // Many a kernel has a path of its own for a factor of one.
      values.push_back(usual < 0 ? -1 : 1);
      // Of whole numbers one half makes ties of a rounding.
      if (context_.experiment->problem.arguments[i].scalar.form == model::ScalarValue::Form::number)
        values.push_back(usual < 0 ? -0.5 : 0.5);
      if (const auto more = further.find(i); more != further.end()) {
        for (const std::int64_t value : more->second) values.push_back(static_cast<double>(value));
      }
      const std::size_t meant = values.size();
      // What is added to keep a root or a quotient apart from 0 is far below it, see sets_of_small_numbers().
      if (context_.experiment->problem.arguments[i].scalar.form == model::ScalarValue::Form::number)
        values.push_back(usual * least_of_a_scalar);
      if (const auto more = beside.find(i); more != beside.end())
        values.insert(values.end(), more->second.begin(), more->second.end());
      // Of what may be no value of the problem: the reference may fault, or go on for ever.
      const std::set<double> far(values.begin() + static_cast<std::ptrdiff_t>(meant), values.end());
      std::erase_if(values, [&](double value) { return is_beyond_range(i, value); });
      for (const double value : values) {
        show_scalar(workload, i, scalar, value,
                    fmt::format("{}, {} = {:.4g}", workload.name, scalar.name, value),
                    far.contains(value) ? budget_of_a_scalar : 0);
      }
    }
  }

  /// Values of floating-point scalars on a light workload as it is: what they decide may be few elements of
  /// many.
  void show_beside(const model::Workload& workload,
                   const std::map<std::size_t, std::vector<double>>& beside) {
    const auto bound = bind(workload);
    if (!bound || bound->flops > light_flops) return;
    for (const auto& [i, values] : beside) {
      for (const double value : values) {
        if (is_beyond_range(i, value)) continue;
        const model::BoundArgument& scalar = bound->arguments[i];
        show_scalar(workload, i, scalar, value,
                    fmt::format("{}, {} = {:.6g}", workload.name, scalar.name, value), budget_of_a_scalar);
      }
    }
  }

  /// Several of `further`'s values at once, and each beside the sizes of the other shapes: a path for
  /// `alpha == 1 && beta == 0`, or for `beta == 0` and whole vectors.
  void cross_scalars(const std::vector<model::Workload>& shapes,
                     const std::map<std::size_t, std::vector<std::int64_t>>& further, std::uint64_t entropy) {
    const auto bound = bind(shapes.front());
    if (!bound) return;
    model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "rows of scalars"});
    for (const ScalarRow& row : scalar_rows(*bound, further, shapes.size(), stream)) {
      const bool beyond = std::ranges::any_of(
          row.scalars, [&](const auto& scalar) { return is_beyond_range(scalar.first, scalar.second); });
      if (beyond) continue;
      model::CaseChanges changes;
      changes.scalars = row.scalars;
      std::string name = shapes[row.shape].name;
      for (const auto& [i, value] : row.scalars)
        name += fmt::format(", {} = {:.4g}", bound->arguments[i].name, value);
      add(CaseUse::changed, shapes[row.shape], name, changes);
    }
  }

  /// Of scalars that the problem gives as numbers: what is one over a root is positive.
  void set_unusual_scalars(const model::Workload& workload, std::uint64_t entropy) {
    const auto bound = bind(workload);
    if (!bound) return;
    model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "unusual scalars"});
    for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
      const model::BoundArgument& scalar = bound->arguments[i];
      const model::Argument& declared = context_.experiment->problem.arguments[i];
      if (scalar.role != model::ArgumentRole::scalar || !oracle::is_floating(scalar.dtype) ||
          declared.neutral || declared.fixed || declared.scalar.form != model::ScalarValue::Form::number)
        continue;
      for (const double value : unusual_values(scalar.scalar_float, stream)) {
        if (is_beyond_range(i, value)) continue;
        model::CaseChanges changes;
        changes.scalars[i] =
            scalar.dtype == model::DType::f64 ? value : static_cast<double>(static_cast<float>(value));
        add(CaseUse::unusual, workload, fmt::format("{}, {} = {:.4g}", workload.name, scalar.name, value),
            changes);
      }
    }
  }

  /// Of integers that the problem gives as numbers: their neighbours, and `further` ones by the argument's
  /// index.
  void set_other_integers(const model::Workload& workload,
                          const std::map<std::size_t, std::vector<std::int64_t>>& further) {
    const auto bound = bind(workload);
    if (!bound) return;
    for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
      const model::BoundArgument& scalar = bound->arguments[i];
      if (!may_be_another(context_.experiment->problem.arguments[i])) continue;
      std::vector<std::int64_t> values = other_integers(scalar.scalar_integer, scalar.dtype);
      if (const auto more = further.find(i); more != further.end())
        std::ranges::copy_if(more->second, std::back_inserter(values), [&](std::int64_t value) {
          return std::ranges::find(values, value) == values.end();
        });
      // Of a range each number is legal, also one whose next has the same answer.
      const auto& range = context_.experiment->problem.arguments[i].range;
      if (range) keep_to(*range, scalar.scalar_integer, values);
      const std::vector<std::int64_t> windows = values;
      // All of an axis the other way round: a rotation, an offset, a shift to the left.
      for (const auto& [axis, size] : workload.axes) {
        const bool fresh = std::ranges::find(values, -size) == values.end() && -size != scalar.scalar_integer;
        if (range && fresh && range->has(static_cast<double>(-size))) values.push_back(-size);
      }
      const CaseUse use = range ? CaseUse::ranged : CaseUse::unusual;
      for (const std::int64_t value : values)
        add_scalar(use, workload, *bound, i, static_cast<double>(value));
      // Of what nobody says a range of, only those that are like the usual one.
      for (const std::int64_t value :
           values_with_room(range ? windows : other_integers(scalar.scalar_integer, scalar.dtype))) {
        for (const model::Workload& roomy : shapes_with_room(context_, genome_, workload, value)) {
          if (const auto at = bind(roomy)) add_scalar(use, roomy, *at, i, static_cast<double>(value));
        }
      }
    }
  }

  /// Two integers at once that have ranges: a path for `a == 32767 && b == 0`, or a sum of two products that
  /// leaves 32 bits where both are at their least.
  void set_integers_together(const model::Workload& workload,
                             const std::map<std::size_t, std::vector<std::int64_t>>& equal,
                             std::uint64_t entropy) {
    const auto bound = bind(workload);
    if (!bound) return;
    model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "integers together"});
    for (const auto& row : integers_together(context_.experiment->problem, *bound, equal, stream)) {
      model::CaseChanges changes;
      changes.scalars = row;
      changes.undeclared_scalar = row.begin()->first;
      add_named(CaseUse::ranged, workload, *bound, changes);
    }
  }

  /// Floating-point scalars at the ends of a range that the problem declares: both are legal, whatever the
  /// answer is made of.
  void set_ends_of_ranges(const model::Workload& workload) {
    const auto bound = bind(workload);
    if (!bound) return;
    for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
      const model::BoundArgument& scalar = bound->arguments[i];
      const model::Argument& declared = context_.experiment->problem.arguments[i];
      if (scalar.role != model::ArgumentRole::scalar || !oracle::is_floating(scalar.dtype) ||
          declared.neutral || declared.fixed || !declared.range)
        continue;
      for (const double end : {declared.range->least, declared.range->most}) {
        const double value = as_the_kernel_gets_it(scalar.dtype, end, *declared.range);
        if (value == scalar.scalar_float || !std::isfinite(value)) continue;
        add_scalar(CaseUse::ranged, workload, *bound, i, value);
      }
    }
  }

  /// One of the integers that have a range, in turn, at its upper end: how far back a kernel can look, or
  /// what it has room for, shows only where the axis is as long.
  void set_upper_end(const model::Workload& workload, std::size_t turn) {
    const auto bound = bind(workload);
    if (!bound) return;
    std::vector<std::size_t> with_range;
    for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
      const model::Argument& declared = context_.experiment->problem.arguments[i];
      if (may_be_another(declared) && declared.range) with_range.push_back(i);
    }
    if (with_range.empty()) return;
    const std::size_t scalar = with_range[turn % with_range.size()];
    const double most = std::floor(context_.experiment->problem.arguments[scalar].range->most);
    if (most == static_cast<double>(bound->arguments[scalar].scalar_integer)) return;
    add_scalar(CaseUse::ranged, workload, *bound, scalar, most);
  }

  std::vector<DerivedCase> take() { return std::move(cases_); }

 private:
  [[nodiscard]] model::Expected<model::Case> bind(const model::Workload& workload,
                                                  const model::CaseChanges& changes = {}) const {
    return model::bind_case(context_.experiment->problem, *context_.kernel_template, context_.space, genome_,
                            workload, changes);
  }
  /// A floating-point scalar as the kernel gets it, so that the reference multiplies with the same number.
  void show_scalar(const model::Workload& workload, std::size_t i, const model::BoundArgument& scalar,
                   double value, const std::string& name, std::uint64_t reference_budget) {
    model::CaseChanges changes;
    changes.scalars[i] =
        scalar.dtype == model::DType::f64 ? value : static_cast<double>(static_cast<float>(value));
    add(CaseUse::changed, workload, name, changes, reference_budget);
  }
  /// One scalar with another value; within a range those that belong to it go along.
  void add_scalar(CaseUse use, const model::Workload& workload, const model::Case& bound, std::size_t scalar,
                  double value) {
    model::CaseChanges changes;
    changes.scalars[scalar] = value;
    if (use == CaseUse::ranged)
      changes.scalars = in_order(context_.experiment->problem, bound, scalar, value);
    changes.undeclared_scalar = scalar;
    add_named(use, workload, bound, changes);
  }
  void add_named(CaseUse use, const model::Workload& workload, const model::Case& bound,
                 const model::CaseChanges& changes) {
    std::string name = workload.name;
    for (const auto& [i, number] : changes.scalars)
      name += fmt::format(", {} = {:.15g}", bound.arguments[i].name, number);
    // As the count of a loop a large one would take hours.
    add(use, workload, name, changes, budget_of_a_scalar);
  }
  /// An end of a range that is no float: the next one within it.
  static double as_the_kernel_gets_it(model::DType dtype, double end, const model::ScalarRange& range) {
    if (dtype == model::DType::f64) return end;
    const auto near = static_cast<float>(end);
    if (range.has(static_cast<double>(near))) return static_cast<double>(near);
    return static_cast<double>(std::nextafter(
        near, end == range.least ? std::numeric_limits<float>::max() : std::numeric_limits<float>::lowest()));
  }
  /// Leaves nothing beyond the range, and adds both of its ends.
  static void keep_to(const model::ScalarRange& range, std::int64_t usual,
                      std::vector<std::int64_t>& values) {
    for (const double end : {std::ceil(range.least), std::floor(range.most)}) {
      const auto value = static_cast<std::int64_t>(end);
      if (value != usual && std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
    std::erase_if(values, [&](std::int64_t value) { return !range.has(static_cast<double>(value)); });
  }
  [[nodiscard]] bool is_beyond_range(std::size_t scalar, double value) const {
    const auto& range = context_.experiment->problem.arguments[scalar].range;
    return range && !range->has(value);
  }
  static std::vector<std::string> names_of(const model::StrideGroup& group, const model::Case& bound) {
    std::vector<std::string> names;
    for (const std::size_t array : group.arrays) names.push_back(bound.arguments[array].name);
    return names;
  }

  /// What lies outside of a far dimension is far as well: its scalars have to hold that.
  static bool tells_all_in_64_bits(const model::StrideGroup& group, const model::Case& bound,
                                   const model::CaseChanges& changes) {
    return std::ranges::all_of(group.scalars, [&](const auto& told) {
      return std::ranges::all_of(told.second, [&](std::size_t scalar) {
        return model::size_of(bound.arguments[scalar].dtype) == sizeof(std::int64_t) ||
               changes.scalars.at(scalar) <= std::numeric_limits<std::int32_t>::max();
      });
    });
  }

  const TemplateContext& context_;
  const model::Genome& genome_;
  std::vector<std::int64_t> static_smem_;
  model::RandomStream stream_;
  std::vector<DerivedCase> cases_;
};

/// Does the problem say itself which of its arrays lie in parts?
bool declares_64bit_strides(const TemplateContext& context, const model::Genome& genome) {
  const model::Experiment& experiment = *context.experiment;
  return std::ranges::any_of(experiment.problem.check_workloads, [&](const model::Workload& workload) {
    const auto bound = model::bind_case(experiment.problem, *context.kernel_template, context.space, genome,
                                        complete_workload(experiment, workload));
    return bound && oracle::has_64bit_strides(*bound);
  });
}

/// Shapes that several scalars are shown on: whole vectors, a single element of each axis, remainders.
struct Sizes {
  std::int64_t others = 1, largest = 1;
  const char* name = "";
};
constexpr std::array kinds_of_sizes{Sizes{8, 64, "whole vectors"}, Sizes{1, 1, "single elements"},
                                    Sizes{9, 41, "remainders"}};

/// The free axes with other values, the largest of them apart.
model::Workload resized(const model::Problem& problem, model::Workload workload, std::int64_t others,
                        std::int64_t largest, const char* name) {
  const model::Axis* most = largest_free_axis(problem, workload);
  for (const model::Axis& axis : problem.axes) {
    if (axis.compile_time || !axis.allowed.empty()) continue;
    workload.axes[axis.name] = legal_value(axis, &axis == most ? largest : others);
  }
  workload.name = name;
  return workload;
}

}  // namespace

std::vector<DerivedCase> derive_cases(const TemplateContext& context, const model::Genome& genome,
                                      const std::vector<std::int64_t>& static_smem, std::uint64_t entropy,
                                      Extent extent) {
  Matrix matrix(context, genome, static_smem, entropy);
  const std::vector<DrawnShape> shapes = draw_shapes(context, genome, entropy, extent);
  // A search shows some stretched shapes as they are and crosses the others; elsewhere both.
  model::RandomStream halves(
      {.seed = entropy ^ extent.chosen_by, .generation = 0, .slot = 0, .purpose = "stretched or crossed"});
  const bool search = extent.chosen_by != 0;
  // Each answer of a command is a program that has to start: hundreds more would take minutes.
  const std::vector<model::OracleKind> kinds = model::oracle_kinds(context.experiment->problem);
  const bool program = std::ranges::find(kinds, model::OracleKind::command) != kinds.end();
  std::vector<model::Workload> to_cross;
  const model::Workload* telling = nullptr;
  std::size_t alone = 0;
  for (const DrawnShape& shape : shapes) {
    const bool crossed = !program && shape.use == CaseUse::stretched && (!search || halves.below(2) == 0);
    if (crossed) to_cross.push_back(shape.workload);
    if (!crossed || !search)
      matrix.add(shape.use, shape.workload, shape.workload.name, {}, shape.reference_budget);
    if (shape.use == CaseUse::alone && !search && !program) matrix.set_upper_end(shape.workload, alone++);
    if (telling == nullptr && shape.use == CaseUse::drawn) telling = &shape.workload;
  }
  if (telling != nullptr) {
    matrix.change_strides(*telling);
    matrix.change_scalars(*telling, extent.scalars, extent.beside);
    if (!context.experiment->workloads.empty())
      matrix.show_beside(complete_workload(*context.experiment, context.experiment->workloads.front()),
                         extent.beside);
    const model::Problem& problem = context.experiment->problem;
    std::vector<model::Workload> by_sizes{*telling};
    for (const Sizes& sizes : kinds_of_sizes) {
      if (const auto legal = within_domain(
              context, genome, resized(problem, *telling, sizes.others, sizes.largest, sizes.name)))
        by_sizes.push_back(*legal);
    }
    if (!program) matrix.cross_scalars(by_sizes, extent.scalars, entropy);
    // Wide enough for what has borders.
    const auto wide = within_domain(context, genome, resized(problem, *telling, 9, 41, "wide"));
    if (!program && wide) {
      matrix.set_unusual_scalars(*wide, entropy);
      matrix.set_other_integers(*wide, extent.scalars);
      matrix.set_ends_of_ranges(*wide);
      if (extent.equal) matrix.set_integers_together(*wide, *extent.equal, entropy);
    }
    if (const auto few = within_domain(context, genome, resized(problem, *telling, 2, 3, "few elements"))) {
      matrix.widen_strides(*few);
      if (!declares_64bit_strides(context, genome)) matrix.part_strides(*few);
    }
    if (const auto rows = within_domain(context, genome, resized(problem, *telling, 1, 128, "round rows")))
      matrix.pack_strides(*rows);
  }
  if (!extent.crossed || program) return matrix.take();
  for (const CrossedCase& one : cross(context, genome, to_cross, entropy, extent))
    matrix.add(one.use, one.workload, one.workload.name, one.changes);
  return matrix.take();
}

}  // namespace evo::evaluators::gates
