#include "model/searched_space.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "model/variant.hpp"

namespace evo::model {
namespace {

constexpr std::array<const char*, 3> side_name{"x", "y", "z"};
constexpr std::array<std::int64_t, 3> grid_sides{2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> block_sides{1024, 1024, 64};

class Limits {
 public:
  Limits(const Experiment& experiment, const Template& kernel, const Space& space)
      : experiment_(experiment), kernel_(kernel), space_(space) {}

  std::vector<Constraint> collect() {
    for (const Workload& workload : experiment_.workloads) {
      given_ = axes_of(workload);
      workload_ = workload.name;
      for (const Constraint& each : kernel_.domain) {
        const std::string why = each.reason.empty() ? "" : each.reason + ": ";
        add(each.condition, each.condition.text(),
            fmt::format("{}workload {} is no shape for this genome", why, workload_));
      }
      launch(kernel_.launch);
      for (const LaunchModel& later : kernel_.later_launches) launch(later);
    }
    return std::move(found_);
  }

 private:
  void launch(const LaunchModel& launch) {
    when_ = launch.when ? fmt::format("!({}) || ", launch.when->text()) : std::string();
    for (std::size_t i = 0; i < 3; ++i) {
      bound(launch.grid[i], fmt::format("grid.{}", side_name[i]), grid_sides[i]);
      bound(launch.block[i], fmt::format("block.{}", side_name[i]), block_sides[i]);
    }
    const std::int64_t threads = experiment_.target.max_threads_per_block;
    add(launch.block[0],
        fmt::format("({}) * ({}) * ({}) <= {}", launch.block[0].text(), launch.block[1].text(),
                    launch.block[2].text(), threads),
        fmt::format("a block has at most {} threads", threads));
    const bool predicted = !launch.static_smem_open;
    add(launch.dynamic_smem,
        fmt::format("({}){} <= smem_limit", launch.dynamic_smem.text(),
                    predicted ? " + (" + launch.static_smem.text() + ")" : ""),
        fmt::format("a block has at most {} bytes of shared memory",
                    to_string(space_.fixed().at("smem_limit"))));
  }

  void bound(const Expression& size, const std::string& what, std::int64_t most) {
    add(size, fmt::format("1 <= ({}) <= {}", size.text(), most),
        fmt::format("{} must be 1 to {} (workload {})", what, most, workload_));
  }

  /// Adds the condition unless no genome that is legal without it breaks it.
  void add(const Expression& at, const std::string& limit, std::string reason) {
    const std::string text = when_.empty() ? limit : fmt::format("{}({})", when_, limit);
    auto condition = Expression::parse(text, at.file(), at.line());
    if (!condition || !seen_.insert(key_of(*condition)).second) return;
    const auto& names = condition->names();
    const bool of_genes = std::any_of(space_.genes().begin(), space_.genes().end(),
                                      [&](const Gene& gene) { return names.contains(gene.name); });
    // Without a gene no genome could mend it: that is the legality gate's to tell of the baseline.
    auto broken = Expression::parse(fmt::format("!({})", text), at.file(), at.line());
    if (!of_genes || !broken) return;
    std::vector<Constraint> with_broken = space_.constraints();
    with_broken.push_back({std::move(*broken), {}, given_});
    if (!Space(space_.genes(), std::move(with_broken), space_.fixed()).has_legal()) return;
    found_.push_back({std::move(*condition), std::move(reason), given_});
  }

  /// The text and the values of what it names: the same limit for two workloads is one.
  std::string key_of(const Expression& condition) const {
    std::string key = condition.text();
    for (const std::string& name : condition.names()) {
      if (const auto found = given_.find(name); found != given_.end())
        key += fmt::format(";{}={}", name, to_string(found->second));
    }
    return key;
  }

  Environment axes_of(const Workload& workload) const {
    Environment axes;
    for (const Axis& axis : experiment_.problem.axes) {
      if (axis.initial) axes.insert_or_assign(axis.name, *axis.initial);
    }
    for (const auto& [name, value] : workload.axes) axes.insert_or_assign(name, value);
    return axes;
  }

  const Experiment& experiment_;
  const Template& kernel_;
  const Space& space_;
  Environment given_;
  std::string workload_;
  std::string when_;  ///< "!(CONDITION) || " of a launch that not every genome makes
  std::set<std::string> seen_;
  std::vector<Constraint> found_;
};

}  // namespace

Space searched_space(const Experiment& experiment, const Template& kernel) {
  Space space = bind_space(experiment.problem, kernel, compile_time_axes(experiment), experiment.target,
                           experiment.smem_limit);
  std::vector<Constraint> limits = Limits(experiment, kernel, space).collect();
  if (limits.empty()) return space;
  std::vector<Constraint> all = space.constraints();
  all.insert(all.end(), std::make_move_iterator(limits.begin()), std::make_move_iterator(limits.end()));
  return Space(space.genes(), std::move(all), space.fixed());
}

}  // namespace evo::model
