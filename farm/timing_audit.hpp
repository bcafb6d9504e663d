// Whether the GPUs of workers time as this machine's GPU of the same model does.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "evaluators/gates/device_job.hpp"

namespace evo::farm {

/// How many times as long what was timed here took in `theirs`: the geometric mean over the workloads of
/// `own`, by its weights. Infinity where one of them is missing there; nullopt where nothing was timed here.
[[nodiscard]] std::optional<double> times_as_long(const evaluators::gates::DeviceResult& theirs,
                                                  const evaluators::gates::DeviceResult& own);

/// Workers whose timings do not fit are set aside: one GPU that is held down, shared with others, or whose
/// worker lies would have what it times look slow, or fast. Thread-safe.
class TimingAudit {
 public:
  /// GPUs of one model differ by one or two percent, and by three where kernels take a few microseconds; a
  /// thermal slowdown takes far more.
  static constexpr double most = 1.1;
  /// Looks in a row that do not fit until a worker is set aside: one of them may be this machine's moment.
  static constexpr int looks = 2;

  /// Takes in that what `worker` timed took it `ratio` times as long as here; nullopt, where nothing could be
  /// compared, changes nothing. Returns what is to be said when
  /// it is set aside by this; else "".
  [[nodiscard]] std::string note(const std::string& worker, std::optional<double> ratio);
  [[nodiscard]] bool is_aside(const std::string& worker) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> misfits_;  ///< in a row
  std::set<std::string> aside_;
};

}  // namespace evo::farm
