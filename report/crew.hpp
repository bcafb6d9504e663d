// Who of a farm did a run's trials, over its time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "engine/trial.hpp"

namespace evo::report {

/// Takes trials in one by one, in their order; those that the run's own machine did count for nobody.
class Crew {
 public:
  struct Member {
    std::string worker;  ///< "HOST-PID"
    std::string device;
    std::int64_t trials = 0, correct = 0;
    double device_seconds = 0;
    double first_s = 0, last_s = 0;  ///< when its first and last trial were committed, of the run's time
    /// Trials in each tenth of the run's time.
    std::vector<std::int64_t> tenths{};
  };

  void add(const engine::TrialRecord& trial);
  /// By name.
  [[nodiscard]] std::vector<Member> members() const;

 private:
  struct Done {
    double at = 0;
    double device_seconds = 0;
    bool correct = false;
  };
  std::map<std::pair<std::string, std::string>, std::vector<Done>> done_;  ///< by worker and device
  double end_ = 0;
};

/// [{"worker", "device", "trials", "right", "device_seconds", "first_s", "last_s", "tenths"}]
[[nodiscard]] boost::json::array to_json(const Crew& crew);
/// A line a worker; empty without any.
[[nodiscard]] std::string crew_text(const Crew& crew);

}  // namespace evo::report
