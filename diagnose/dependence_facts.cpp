#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "diagnose/observations.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::diagnose {
namespace {

namespace oracle = evaluators::oracle;
using model::ArgumentRole;
using model::Status;

constexpr double most_reference_flops = 1 << 27;

/// Where an axis acts.
enum class AxisKind : std::uint8_t { tiled, length, extent, layout, flag };

bool names(const model::Expression& expression, const std::string& name) {
  return expression.names().contains(name);
}

/// Blocks of the grid, with one axis at another value; 0 where that cannot be bound.
std::uint64_t blocks_at(const Subject& subject, const model::Workload& workload, const std::string& axis,
                        std::int64_t value) {
  model::Workload other = workload;
  other.axes[axis] = value;
  const auto bound = model::bind_case(subject.problem, subject.kernel_template, subject.space,
                                      subject.candidate.genome, other);
  if (!bound) return 0;
  const auto& grid = bound->launch.grid;
  return std::uint64_t{grid[0]} * grid[1] * grid[2];
}

AxisKind kind_of(const Subject& subject, const model::Workload& workload, const std::string& axis) {
  for (const model::Expression& blocks : subject.kernel_template.launch.grid) {
    const bool with_gene = std::any_of(subject.space.genes().begin(), subject.space.genes().end(),
                                       [&](const model::Gene& gene) { return names(blocks, gene.name); });
    // A block takes several of a tiled axis; the expression may name others beside it.
    const std::uint64_t one = blocks_at(subject, workload, axis, 1),
                        two = blocks_at(subject, workload, axis, 2);
    if (names(blocks, axis) && with_gene && (one == two || one == 0 || two == 0)) return AxisKind::tiled;
  }
  bool in_shape = false, in_stride = false;
  for (const model::Argument& argument : subject.problem.arguments) {
    // A row's own length is no number of rows, heads or batches.
    for (std::size_t d = 0; d + 1 < argument.shape.size(); ++d)
      in_shape = in_shape || names(argument.shape[d], axis);
    if (!argument.shape.empty() && names(argument.shape.back(), axis)) return AxisKind::length;
    for (const auto& stride : argument.strides) in_stride = in_stride || names(stride, axis);
  }
  if (in_shape) return AxisKind::extent;
  return in_stride ? AxisKind::layout : AxisKind::flag;
}

bool named_like_a_tile(const model::Gene& gene) {
  const auto has = [&](const char* word) { return gene.name.find(word) != std::string::npos; };
  return !gene.symbolic() && (has("BLOCK") || has("TILE")) && !has("MIN_BLOCKS");
}

/// Sizes of tiles: genes of the role `tile`, or integer genes that are named so where the template says of
/// none.
std::vector<std::int64_t> tile_sizes(const Subject& subject) {
  const auto& genes = subject.space.genes();
  const bool told =
      std::any_of(genes.begin(), genes.end(), [](const model::Gene& gene) { return gene.tile; });
  std::vector<std::int64_t> sizes;
  for (const model::Gene& gene : genes) {
    if (told ? !gene.tile : !named_like_a_tile(gene)) continue;
    const auto* value = std::get_if<std::int64_t>(&subject.candidate.genome.at(gene.name));
    if (value && *value > 1) sizes.push_back(*value);
  }
  return sizes;
}

class Dependence {
 public:
  Dependence(Lab& lab, const Failing& failing, Facts& facts) : lab_(lab), failing_(failing), facts_(facts) {}

  void run() {
    const Status status = failing_.seen.failure->status;
    if (status == Status::compile_error || status == Status::compile_timeout || status == Status::illegal ||
        status == Status::unsupported) {
      return;
    }
    axes();
    tails();
    launches();
    if (facts_.has("finding.misaligned")) alignments();
    if (status == Status::wrong) {
      orders();
      input_sets();
    }
  }

 private:
  /// nullopt: not tried, for lack of time or because it would take long.
  std::optional<Observation> observe(const Setup& setup) {
    if (lab_.expired()) return std::nullopt;
    const Subject& subject = lab_.subject();
    const auto bound = model::bind_case(subject.problem, subject.kernel_template, subject.space,
                                        subject.candidate.genome, setup.workload);
    if (!bound || bound->flops > most_reference_flops) return std::nullopt;
    return lab_.observe(setup);
  }
  [[nodiscard]] std::int64_t value(const std::string& axis) const {
    return failing_.setup.workload.axes.at(axis);
  }

  /// An axis that the reduction could not bring to its simplest value is needed.
  void axes() {
    for (const model::Axis& axis : lab_.subject().problem.axes) {
      if (axis.compile_time) continue;
      const std::int64_t simplest = axis.allowed.empty() ? axis.minimum.value_or(1) : axis.allowed.front();
      const AxisKind kind = kind_of(lab_.subject(), failing_.setup.workload, axis.name);
      if (value(axis.name) == simplest || kind == AxisKind::tiled || kind == AxisKind::length) continue;
      Setup setup = failing_.setup;
      setup.workload.axes[axis.name] = simplest;
      const auto seen = observe(setup);
      if (!seen || seen->failed()) continue;
      if (oracle::has_64bit_strides(failing_.seen.bound) && !oracle::has_64bit_strides(seen->bound) &&
          near_views_pass(setup))
        facts_.add("axis.far_needed",
                   fmt::format("{}={} fails, where offsets exceed 32 bits; {}={} and nearer views pass",
                               axis.name, value(axis.name), axis.name, simplest));
      facts_.add(kind == AxisKind::layout   ? "axis.layout_needed"
                 : kind == AxisKind::extent ? "axis.extent_needed"
                                            : "axis.flag_needed",
                 fmt::format("{}={} fails, {}={} passes", axis.name, value(axis.name), axis.name, simplest));
    }
  }

  /// Views whose offsets fit 32 bits: what ignores a stride fails in one of those, too.
  bool near_views_pass(const Setup& near) {
    for (const model::Axis& axis : lab_.subject().problem.axes) {
      if (axis.compile_time || kind_of(lab_.subject(), near.workload, axis.name) != AxisKind::layout)
        continue;
      std::vector<std::int64_t> values = axis.allowed;
      if (values.empty()) values = {axis.minimum.value_or(1) + 1, axis.minimum.value_or(1) + 2};
      for (const std::int64_t other : values) {
        Setup setup = near;
        setup.workload.axes[axis.name] = other;
        const auto bound =
            model::bind_case(lab_.subject().problem, lab_.subject().kernel_template, lab_.subject().space,
                             lab_.subject().candidate.genome, setup.workload);
        if (!bound || oracle::has_64bit_strides(*bound)) continue;
        const auto seen = observe(setup);
        if (!seen || seen->failed()) return false;
      }
    }
    return true;
  }

  void tails() {
    const std::vector<std::int64_t> sizes = tile_sizes(lab_.subject());
    std::int64_t period = 1;
    for (const std::int64_t size : sizes) period = std::min<std::int64_t>(std::lcm(period, size), 1024);
    if (period == 1) return;
    const std::int64_t tile = *std::min_element(sizes.begin(), sizes.end());
    for (const model::Axis& axis : lab_.subject().problem.axes) {
      if (axis.compile_time || kind_of(lab_.subject(), failing_.setup.workload, axis.name) != AxisKind::tiled)
        continue;
      const std::int64_t now = value(axis.name), whole = (now + period - 1) / period * period;
      const auto at = [&](std::int64_t size) {
        Setup setup = failing_.setup;
        setup.workload.axes[axis.name] = size;
        return observe(setup);
      };
      bool tail_only = false;
      if (now == whole) {
        facts_.add("shape.tail_or_not", fmt::format("{}={} fails, a multiple of every tile", axis.name, now));
      } else if (const auto seen = at(whole)) {
        const std::string other = seen->failed() ? std::string() : set_that_fails(axis.name, whole);
        tail_only = !seen->failed() && other.empty();
        facts_.add(tail_only ? "shape.tail_only" : "shape.tail_or_not",
                   fmt::format("{}={} {}{}, a multiple of every tile; {} fails", axis.name, whole,
                               tail_only ? "passes" : "fails too",
                               other.empty() ? "" : " with inputs " + other, now));
      }
      if (tail_only) continue;
      if (now <= tile) {
        facts_.add("shape.single_tile_too", fmt::format("{}={} fails, within one tile", axis.name, now));
      } else if (const auto seen = at(tile)) {
        facts_.add(seen->failed() ? "shape.single_tile_too" : "shape.several_tiles_only",
                   fmt::format("{}={}, one tile, {}; {} fails", axis.name, tile,
                               seen->failed() ? "fails too" : "passes", now));
      }
    }
  }

  /// The first input set on which an axis at `size` gives wrong results: what looks like a tail may be a
  /// matter of few elements. "" if there is none.
  std::string set_that_fails(const std::string& axis, std::int64_t size) {
    if (failing_.seen.failure->status != Status::wrong) return {};
    const auto& sets = lab_.subject().input_sets;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      Setup setup = failing_.setup;
      setup.input_set = set;
      setup.workload.axes[axis] = size;
      const auto seen = observe(setup);
      if (seen && seen->failed() && seen->failure->status == Status::wrong) return sets[set].name;
    }
    return {};
  }

  bool heals(const Setup& setup) {
    const auto seen = observe(setup);
    return seen && !seen->failed();
  }

  /// State that outlives a launch.
  void launches() {
    const auto& arguments = failing_.seen.bound.arguments;
    const bool workspace = std::any_of(
        arguments.begin(), arguments.end(),
        [](const model::BoundArgument& argument) { return argument.role == ArgumentRole::workspace; });
    Setup setup = failing_.setup;
    int later = failing_.seen.failing_launch;
    if (workspace && later == 1) {
      setup.workspace = WorkspaceFill::zero;
      if (!heals(setup)) return;
      facts_.add("workspace.zero_heals", "with a workspace of zeros it is correct");
      setup.launches = 3;
      const auto seen = observe(setup);
      if (!seen || !seen->failed()) return;
      later = seen->failing_launch;
    }
    if (later < 2) return;
    setup.launches = later;
    facts_.add(
        "repeat.later_fails",
        fmt::format(
            "launch {} fails, the {} before it {} correct; inputs are the same, outputs are poisoned anew",
            later, later - 1, later == 2 ? "is" : "are"));
    Setup again = setup;
    again.reload = true;
    if (heals(again))
      facts_.add("repeat.reload_heals", "with the module loaded anew before each launch it is correct");
    again = setup;
    again.workspace = WorkspaceFill::zero;
    again.workspace_each = true;
    if (workspace && heals(again))
      facts_.add("repeat.zero_workspace_heals", "with the workspace zeroed before each launch it is correct");
  }

  void alignments() {
    std::set<std::string> passing;
    for (unsigned shift = 0; shift < 4; ++shift) {
      Setup setup = failing_.setup;
      setup.shift = shift;
      const auto seen = observe(setup);
      if (!seen) return;
      if (!seen->failed()) passing.insert(fmt::format("{}", shift));
    }
    if (passing.empty()) {
      facts_.add("alignment.any_base", "it fails whatever the alignment of the arguments");
    } else {
      facts_.add("alignment.base_dependent",
                 fmt::format("it passes with {} of 4 alignments of the arguments", passing.size()));
    }
  }

  void orders() {
    if (failing_.seen.failing_launch > 1) return;
    for (std::uint64_t order = 1; order <= 2; ++order) {
      Setup setup = failing_.setup;
      setup.schedule_seed = failing_.setup.schedule_seed + order;
      const auto seen = observe(setup);
      if (!seen || !same_kind(seen->failure.value_or(model::Failure{}), *failing_.seen.failure)) continue;
      if (seen->contents != failing_.seen.contents) {
        facts_.add("orders.differ",
                   fmt::format("another order of warps and blocks (seed {}) gives other bits", order));
        return;
      }
    }
    if (failing_.seen.failure->reason == "unwritten") return;
    Setup setup = failing_.setup;
    setup.poison += 7;
    const auto seen = observe(setup);
    // Outputs only: gaps hold the poison itself, so elements are compared as numbers' bits through worst
    // elements.
    for (std::size_t i = 0; seen && i < seen->comparisons.size(); ++i) {
      const auto& now = seen->comparisons[i];
      const auto& before = failing_.seen.comparisons[i];
      if (!now || !before || now->relative_frobenius == before->relative_frobenius) continue;
      if (now->non_finite == before->non_finite && now->non_finite > 0) continue;
      facts_.add("poison.shows", "other contents of the outputs before the launch give another result");
    }
  }

  void input_sets() {
    const auto& sets = lab_.subject().input_sets;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      Setup setup = failing_.setup;
      setup.input_set = set;
      const bool same = set == failing_.setup.input_set;
      const auto seen = same ? std::optional<Observation>(failing_.seen) : observe(setup);
      if (!seen) return;
      facts_.add(fmt::format("set.{}.{}", sets[set].kind, seen->failed() ? "fails" : "passes"),
                 fmt::format("inputs {}: {}", sets[set].name,
                             seen->failed() ? seen->failure->reason : std::string("correct")));
    }
  }

  Lab& lab_;
  const Failing& failing_;
  Facts& facts_;
};

}  // namespace

void add_dependence_facts(Lab& lab, const Failing& failing, Facts& facts) {
  Dependence(lab, failing, facts).run();
}

}  // namespace evo::diagnose
