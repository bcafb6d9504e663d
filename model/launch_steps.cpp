// Launches that are made again and again: over a pivot, along a diagonal, pass by pass.
#include <algorithm>

#include <fmt/format.h>

#include "model/variant.hpp"

namespace evo::model {
namespace {

tl::unexpected<Error> at(const Expression& expression, std::string message) {
  return tl::make_unexpected(Error{std::move(message), expression.file(), expression.line(), 0});
}

/// Walks the launches, each loop with those that are in it together.
class Steps {
 public:
  Expected<void> add(const std::vector<const LaunchModel*>& launches, std::size_t depth,
                     Environment& environment, Environment& loops) {
    for (std::size_t i = 0; i < launches.size();) {
      const LaunchModel& launch = *launches[i];
      if (launch.loops.size() <= depth) {
        if (auto done = single(launch, environment, loops); !done) return done;
        ++i;
        continue;
      }
      const LaunchLoop& loop = launch.loops[depth];
      std::vector<const LaunchModel*> within;
      for (; i < launches.size() && launches[i]->loops.size() > depth &&
             launches[i]->loops[depth].number == loop.number;
           ++i)
        within.push_back(launches[i]);
      if (auto done = turns(loop, within, depth, environment, loops); !done) return done;
    }
    return {};
  }

  std::vector<LaunchStep> all;

 private:
  /// Of all loops together: most may make no launch.
  static constexpr std::size_t most_turns = 100 * most_launches;
  std::size_t turns_ = 0;

  Expected<void> single(const LaunchModel& launch, const Environment& environment, const Environment& loops) {
    if (launch.when) {
      const auto wanted = launch.when->evaluate_integer(environment);
      if (!wanted) return tl::make_unexpected(wanted.error());
      if (*wanted == 0) return {};
    }
    if (all.size() == most_launches) {
      return at(launch.grid[0], fmt::format("more than {} launches", most_launches));
    }
    all.push_back({&launch, loops});
    return {};
  }

  Expected<void> turns(const LaunchLoop& loop, const std::vector<const LaunchModel*>& within,
                       std::size_t depth, Environment& environment, Environment& loops) {
    const auto from = loop.from.evaluate_integer(environment);
    const auto to = loop.to.evaluate_integer(environment);
    const auto step = loop.step.evaluate_integer(environment);
    for (const auto* bound : {&from, &to, &step}) {
      if (!*bound) return tl::make_unexpected(bound->error());
    }
    if (*step == 0) return at(loop.step, fmt::format("repeat: {} never ends: its step is 0", loop.name));
    std::size_t count = 0;
    for (std::int64_t value = *from; *step > 0 ? value <= *to : value >= *to;) {
      if (++count > most_launches || ++turns_ > most_turns)
        return at(loop.to, fmt::format("repeat: {} has more than {} values", loop.name, most_launches));
      environment.insert_or_assign(loop.name, value);
      loops.insert_or_assign(loop.name, value);
      if (auto done = add(within, depth + 1, environment, loops); !done) return done;
      if (__builtin_add_overflow(value, *step, &value)) break;
    }
    environment.erase(loop.name);
    loops.erase(loop.name);
    return {};
  }
};

std::vector<const LaunchModel*> all_launches(const Template& kernel) {
  std::vector<const LaunchModel*> launches{&kernel.launch};
  for (const LaunchModel& later : kernel.later_launches) launches.push_back(&later);
  return launches;
}

}  // namespace

Expected<std::vector<LaunchStep>> launch_steps(const std::vector<const LaunchModel*>& launches,
                                               const Environment& environment) {
  Steps steps;
  Environment known = environment, loops;
  if (auto done = steps.add(launches, 0, known, loops); !done) return tl::make_unexpected(done.error());
  if (steps.all.empty())
    return at(launches.front()->grid[0], "no launch is made for these sizes: no turn of any loop is left");
  return std::move(steps.all);
}

Environment first_turns(const Template& kernel, const Environment& environment) {
  Environment known = environment, first;
  for (const LaunchModel* launch : all_launches(kernel)) {
    for (const LaunchLoop& loop : launch->loops) {
      const auto from = loop.from.evaluate_integer(known);
      if (!from) continue;
      known.insert_or_assign(loop.name, *from);
      first.insert({loop.name, *from});
    }
  }
  return first;
}

bool follows_loop(const Problem& problem, const ScalarValue& scalar) {
  return std::ranges::any_of(problem.templates, [&](const Template& kernel) {
    return std::ranges::any_of(all_launches(kernel), [&](const LaunchModel* launch) {
      return std::ranges::any_of(launch->loops, [&](const LaunchLoop& loop) {
        return scalar.expression.names().contains(loop.name) ||
               (scalar.times && scalar.times->names().contains(loop.name));
      });
    });
  });
}

}  // namespace evo::model
