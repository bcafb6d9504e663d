#include "evaluators/gates/crossed_cases.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "evaluators/gates/covering_array.hpp"
#include "evaluators/gates/crossed_changes.hpp"
#include "evaluators/gates/crossed_sizes.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/matching.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::size_t most_crossed_rows = 24, most_workloads = 4, most_equal_pairs = 6;
/// Of a case that runs whole: a path for large sizes has to run, though not every size may.
constexpr double crossed_flops = 33554432, light_case_flops = 4194304;  // 2^25, 2^22
/// Of stretched shapes and of workloads two blocks run: what costs is their data.
constexpr double stretched_flops = 536870912;                             // 2^29
constexpr double own_flops = 8589934592, searched_own_flops = 268435456;  // 2^33, 2^28
constexpr std::int64_t own_bytes = std::int64_t{64} << 20;
constexpr std::int64_t crossed_bytes = std::int64_t{1} << 20;
/// Of a far axis where nobody searches: 2^20 elements of five arrays.
constexpr std::int64_t far_bytes = std::int64_t{24} << 20, searched_far_bytes = std::int64_t{4} << 20;
constexpr std::uint64_t few_waiting_blocks = 64;
/// What a trial of a search sees, beside the stretched ones.
constexpr std::size_t cases_of_a_trial = 1;

struct Limits {
  double flops = crossed_flops;
  std::int64_t bytes = crossed_bytes;
  double threads = 4194304;  // 2^22
};

class Crosser {
 public:
  Crosser(const TemplateContext& context, const model::Genome& genome, std::uint64_t entropy,
          const Extent& extent)
      : context_(context),
        problem_(context.experiment->problem),
        genome_(genome),
        extent_(extent),
        entropy_(entropy),
        stream_({.seed = entropy, .generation = 0, .slot = 0, .purpose = "crossed"}),
        changes_(problem_) {
    const auto& declared = context.experiment->workloads;
    for (std::size_t i = 0; i < std::max<std::size_t>(declared.size(), 1) && i < most_workloads; ++i) {
      model::Workload own =
          complete_workload(*context.experiment, declared.empty() ? model::Workload{} : declared[i]);
      for (const model::Axis& axis : problem_.axes) {
        if (!own.axes.contains(axis.name) && axis.initial) own.axes[axis.name] = *axis.initial;
      }
      own_.push_back(std::move(own));
    }
    for (const model::Axis& axis : problem_.axes) {
      if (!axis.compile_time && !is_flag(axis)) free_.push_back(&axis);
      if (is_flag(axis)) add_flag(axis);
    }
  }

  std::vector<CrossedCase> run(const std::vector<model::Workload>& stretched) {
    own_sizes();
    equal_pairs();
    far_axes();
    if (extent_.chosen_by != 0) {
      choose();
    } else {
      for (const auto& make : makers_) make();
      covered();
    }
    for (std::size_t i = 0; i < stretched.size(); ++i) cross_stretched(stretched[i], i);
    if (extent_.chosen_by == 0) {
      related_pairs();
      model::RandomStream stream = stream_of(0, "crossed triples");
      for (const model::Workload& related : related_triples(own_.front(), free_, stream))
        add(related, ParameterLevels::declared(), stream);
    }
    return std::move(cases_);
  }

 private:
  struct Flag {
    const model::Axis* axis = nullptr;
    std::vector<std::int64_t> values;
  };

  model::RandomStream stream_of(std::size_t slot, std::string_view purpose) const {
    return model::RandomStream({.seed = entropy_, .generation = 0, .slot = slot, .purpose = purpose});
  }

  /// As the domain allows it, if it is affordable and every output has elements of its own.
  std::optional<std::pair<model::Workload, model::Case>> affordable(const model::Workload& asked,
                                                                    const Limits& limits) const {
    const auto legal = within_domain(context_, genome_, asked);
    if (!legal) return std::nullopt;
    auto bound = model::bind_case(problem_, *context_.kernel_template, context_.space, genome_, *legal);
    if (!bound || oracle::has_64bit_strides(*bound) || bound->flops > limits.flops ||
        oracle::case_bytes(*bound) > limits.bytes || model::threads_in(bound->launch) > limits.threads)
      return std::nullopt;
    const auto& grid = bound->launch.grid;
    if (extent_.blocks_wait && std::uint64_t{grid[0]} * grid[1] * grid[2] > few_waiting_blocks)
      return std::nullopt;
    const bool overlaps = std::ranges::any_of(bound->arguments, [](const model::BoundArgument& argument) {
      return model::is_judged(argument.role) && oracle::overlaps_itself(argument);
    });
    if (overlaps) return std::nullopt;
    return std::pair(*legal, *std::move(bound));
  }

  void add_flag(const model::Axis& axis) {
    Flag flag{&axis, {}};
    for (const std::int64_t value : values_of(axis)) {
      model::Workload workload = own_.front();
      for (const model::Axis& other : problem_.axes) {
        if (!other.compile_time && !is_flag(other)) workload.axes[other.name] = legal_value(other, 2);
      }
      workload.axes[axis.name] = value;
      const auto bound = affordable(workload, {});
      if (bound && bound->first.axes.at(axis.name) == value) flag.values.push_back(value);
    }
    if (!flag.values.empty()) flags_.push_back(std::move(flag));
  }

  bool add(const model::Workload& asked, ParameterLevels levels, model::RandomStream& stream,
           const Limits& limits = {}) {
    auto found = affordable(asked, limits);
    if (!found) return false;
    CrossedCase one{CaseUse::crossed, std::move(found->first), {}};
    one.changes = changes_.draw(found->second, levels, stream);
    if (changes_.rescales(one.changes)) one.use = CaseUse::rescaled;
    one.workload.weight = 1;
    one.workload.name = fmt::format("crossed {}", cases_.size() + 1);
    cases_.push_back(std::move(one));
    return true;
  }

  void draw_flags(model::Workload& workload, model::RandomStream& stream) const {
    for (const Flag& flag : flags_)
      workload.axes[flag.axis->name] = flag.values[stream.below(flag.values.size())];
  }

  /// A path for just the declared sizes.
  void own_sizes() {
    const Limits limits{extent_.chosen_by == 0 ? own_flops : searched_own_flops, own_bytes};
    for (std::size_t i = 0; i < own_.size(); ++i) {
      makers_.push_back([this, i, limits] {
        model::RandomStream stream = stream_of(i, "crossed workload");
        add(own_[i], ParameterLevels::all_changed(), stream, limits);
      });
      makers_.push_back([this, i, limits] {
        model::RandomStream stream = stream_of(i, "crossed workload, flags");
        model::Workload flagged = own_[i];
        draw_flags(flagged, stream);
        add(flagged, flags_.empty() ? ParameterLevels::declared() : ParameterLevels::all_changed(), stream,
            limits);
      });
      if (extent_.chosen_by != 0) continue;  // a search places its workloads anyhow
      makers_.push_back([this, i, limits] {
        model::RandomStream stream = stream_of(i, "crossed workload, as declared");
        add(own_[i], ParameterLevels::declared(), stream, limits);
      });
    }
  }

  /// Two sizes are equal and the others are not: a path for what is square.
  void equal_pairs() {
    std::size_t pairs = 0;
    for (std::size_t a = 0; a < free_.size(); ++a) {
      for (std::size_t b = a + 1; b < free_.size() && pairs < most_equal_pairs; ++b, ++pairs) {
        makers_.push_back([this, a, b, pairs] { add_pair(a, b, pairs, {17, 1, 1}); });
      }
    }
  }

  /// Equal beyond a few tiles, and one twice the other. Behind all others, whose names and data stay.
  void related_pairs() {
    std::size_t pairs = 0;
    for (std::size_t a = 0; a < free_.size(); ++a) {
      for (std::size_t b = a + 1; b < free_.size() && pairs < most_equal_pairs; ++b, ++pairs) {
        add_pair(a, b, pairs, {129, 1, 1});
        add_pair(a, b, pairs, {20, 2, 1});
        add_pair(a, b, pairs, {36, 1, 2});
        if (!oracle::may_match(problem_.arguments)) continue;
        // A pattern longer than a block in a text that is longer than it.
        add_pair(a, b, pairs, {129, 2, 1});
        add_pair(a, b, pairs, {129, 1, 2});
      }
    }
  }

  struct Pair {
    std::int64_t least, first, second;  ///< the drawn size is the least or above; factors of it
  };

  void add_pair(std::size_t a, std::size_t b, std::size_t slot, const Pair& pair) {
    model::RandomStream stream = stream_of(slot, "crossed equals");
    model::Workload workload = own_.front();
    std::int64_t other = 3 + static_cast<std::int64_t>(stream.below(3));
    for (const model::Axis* axis : free_) workload.axes[axis->name] = legal_value(*axis, other++);
    const std::int64_t size = pair.least + static_cast<std::int64_t>(stream.below(16));
    workload.axes[free_[a]->name] = legal_value(*free_[a], size * pair.first);
    workload.axes[free_[b]->name] = legal_value(*free_[b], size * pair.second);
    add(workload, ParameterLevels::declared(), stream);
  }

  /// Counters of 17 bits and, where nobody searches, of 20.
  void far_axes() {
    if (extent_.blocks_wait) return;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      makers_.push_back([this, i] {
        const Limits limits{light_case_flops, searched_far_bytes};
        if (!add_far(i, std::int64_t{1} << 17, 2, limits)) add_far(i, std::int64_t{1} << 17, 1, limits);
      });
      if (extent_.chosen_by != 0) continue;
      makers_.push_back([this, i] { add_far(i, std::int64_t{1} << 20, 1, {light_case_flops, far_bytes}); });
      makers_.push_back([this, i] { add_power(i); });
    }
  }

  bool add_far(std::size_t far, std::int64_t beyond, std::int64_t others, const Limits& limits) {
    model::RandomStream stream =
        stream_of(far, beyond > std::int64_t{1} << 17 ? "crossed farther" : "crossed far");
    model::Workload workload = own_.front();
    for (const model::Axis* axis : free_) workload.axes[axis->name] = legal_value(*axis, others);
    const std::int64_t size = (beyond + static_cast<std::int64_t>(stream.below(8192))) | 1;
    workload.axes[free_[far]->name] = short_of_maximum(*free_[far], size, stream);
    return add(workload, ParameterLevels::declared(), stream, limits);
  }

  /// A power of two, which nothing rounds up: a path for that, or one that a remainder is missing on.
  void add_power(std::size_t far) {
    model::RandomStream stream = stream_of(far, "crossed power");
    model::Workload workload = own_.front();
    for (const model::Axis* axis : free_) workload.axes[axis->name] = legal_value(*axis, 2);
    std::int64_t& size = workload.axes[free_[far]->name];
    size = legal_value(*free_[far], std::int64_t{8192} << stream.below(5));
    add(workload, ParameterLevels::declared(), stream, {light_case_flops, searched_far_bytes});
  }

  [[nodiscard]] std::vector<std::size_t> factors() const {
    std::vector<std::size_t> levels(free_.size(), size_classes);
    for (const Flag& flag : flags_) levels.push_back(flag.values.size());
    levels.push_back(changes_.stride_levels());
    levels.push_back(changes_.scalar_levels());
    return levels;
  }

  void covered() {
    std::size_t slot = 0;
    static_cast<void>(cover_pairs(factors(), most_crossed_rows, stream_, [&](const LevelRow& row) {
      model::RandomStream stream = stream_of(slot++, "crossed row");
      return add_row(row, stream);
    }));
  }

  bool add_row(const LevelRow& row, model::RandomStream& stream) {
    model::Workload workload = own_[stream.below(own_.size())];
    const model::Workload own = workload;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      workload.axes[free_[i]->name] =
          size_of_class(*free_[i], static_cast<SizeClass>(row[i]), own.axes.at(free_[i]->name), stream);
    }
    for (std::size_t i = 0; i < flags_.size(); ++i)
      workload.axes[flags_[i].axis->name] = flags_[i].values[row[free_.size() + i]];
    const ParameterLevels levels{row[row.size() - 2], row[row.size() - 1]};
    if (add(workload, levels, stream)) return true;
    // What is too much at once: the largest axis keeps its class, the others get small.
    const auto largest = std::ranges::max_element(
        free_, {}, [&](const model::Axis* axis) { return workload.axes.at(axis->name); });
    for (const std::int64_t least : {2, 1}) {
      std::int64_t small = least == 1 ? 1 : 3;
      for (const model::Axis* axis : free_) {
        if (largest != free_.end() && axis == *largest) continue;
        workload.axes[axis->name] = legal_value(*axis, small);
        if (least > 1) small = 5 - small;
      }
      if (add(workload, levels, stream)) return true;
    }
    return false;
  }

  void cross_stretched(const model::Workload& shape, std::size_t index) {
    model::RandomStream stream = stream_of(index, "crossed stretched");
    model::Workload workload = shape;
    draw_flags(workload, stream);
    ParameterLevels levels = ParameterLevels::all_changed();
    const Limits limits{stretched_flops, far_bytes};
    const auto found = affordable(workload, limits);
    if (found && found->second.flops > crossed_flops) levels.scalars = 0;
    add(workload, levels, stream, limits);
  }

  /// The same few for every trial that has the same number. Rows are drawn from as many as the run has, so
  /// that trials share their references.
  void choose() {
    const std::vector<std::size_t> levels = factors();
    for (std::size_t slot = 0; slot < most_crossed_rows; ++slot) {
      makers_.push_back([this, &levels, slot] {
        model::RandomStream stream = stream_of(slot, "crossed row of a trial");
        LevelRow row;
        for (const std::size_t count : levels) row.push_back(stream.below(count));
        add_row(row, stream);
      });
    }
    model::RandomStream stream({.seed = entropy_ ^ extent_.chosen_by,
                                .generation = 0,
                                .slot = 0,
                                .purpose = "crossed cases of a trial"});
    for (std::size_t i = 0; i < cases_of_a_trial && !makers_.empty(); ++i) {
      const auto at = static_cast<std::size_t>(stream.below(makers_.size()));
      makers_[at]();
      makers_.erase(makers_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  const TemplateContext& context_;
  const model::Problem& problem_;
  const model::Genome& genome_;
  const Extent& extent_;
  std::uint64_t entropy_;
  model::RandomStream stream_;
  CrossedChanges changes_;
  std::vector<model::Workload> own_;
  std::vector<const model::Axis*> free_;
  std::vector<Flag> flags_;
  std::vector<std::function<void()>> makers_;  ///< each adds one case, if it can be had
  std::vector<CrossedCase> cases_;
};

}  // namespace

std::vector<CrossedCase> cross(const TemplateContext& context, const model::Genome& genome,
                               const std::vector<model::Workload>& stretched, std::uint64_t entropy,
                               const Extent& extent) {
  return Crosser(context, genome, entropy, extent).run(stretched);
}

}  // namespace evo::evaluators::gates
