// The funnel of gates: how many trials came to each gate, and how those that ended there ended.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "engine/trial.hpp"

namespace evo::report {

class Funnel {
 public:
  struct Stage {
    std::string_view name;  ///< "proposed", a gate's, "better"
    std::int64_t reached = 0, passed = 0;
    std::map<std::pair<std::string, std::string>, std::int64_t> failed;  ///< (status, reason) -> trials
  };

  Funnel();
  void add(const engine::TrialRecord& trial);
  /// In the ladder's order, from "proposed" (all; those that are known already end there) to "better" (those
  /// that became champion); the profile gate only where a trial came to it.
  [[nodiscard]] std::vector<Stage> stages() const;

 private:
  std::vector<Stage> stages_;
  bool profiled_ = false;
};

/// [{"gate", "reached", "passed", "failed": [{"status", "reason", "count"}]}], one for each stage.
[[nodiscard]] boost::json::array to_json(const Funnel& funnel);

}  // namespace evo::report
