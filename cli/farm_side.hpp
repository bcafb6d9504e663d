// What a run does and says otherwise because its trials run on a farm. Without one: nothing.
#pragma once

#include <functional>
#include <stop_token>

#include <boost/json/object.hpp>

#include "cli/options.hpp"
#include "session/evaluation_stack.hpp"
#include "session/farm_run.hpp"
#include "session/run_folder.hpp"
#include "terminal/progress.hpp"

namespace evo::cli {

class FarmSide {
 public:
  /// All of them must outlive it.
  FarmSide(const FarmOptions& farm, const model::Experiment& experiment, const session::RunFolder& folder,
           const terminal::CommonOptions& common, terminal::Progress& progress)
      : farm_(farm), experiment_(experiment), folder_(folder), common_(common), progress_(progress) {}

  /// Variants compiled or evaluated at a time. On a farm that is waiting, which takes no core: as many as the
  /// search lets be in flight.
  [[nodiscard]] int device_threads(int threads) const;
  /// `threads`: what this machine does at a time of what workers have no room for.
  [[nodiscard]] session::StackParts join(session::StackParts parts, int threads, const std::stop_token& stop);
  /// What its workers have cost so far; empty without a farm.
  [[nodiscard]] std::function<double()> cost() const;
  /// Comparisons in turn that its workers take of this run at a time now; empty without a farm.
  [[nodiscard]] std::function<int()> comparisons() const { return comparisons_; }
  /// A line on stderr of what went through the farm.
  void tell_counts() const;
  [[nodiscard]] boost::json::object counts_json() const;

 private:
  const FarmOptions& farm_;
  const model::Experiment& experiment_;
  const session::RunFolder& folder_;
  const terminal::CommonOptions& common_;
  terminal::Progress& progress_;
  std::function<session::FarmCounts()> counts_;
  std::function<int()> comparisons_;
};

}  // namespace evo::cli
