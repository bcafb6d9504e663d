#include "evaluators/gates/recordings.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>

namespace evo::evaluators::gates {
namespace {

/// use(fill) for every fill of the job's cases that has a recording.
template <class Job, class Use>
void each_recorded(Job& job, const Use& use) {
  const auto of_cases = [&](auto& cases) {
    for (auto& bound : cases) {
      for (auto& argument : bound.arguments) {
        if (argument.fill && !argument.fill->recorded.empty()) use(*argument.fill);
        for (auto& [set, fill] : argument.set_fills) {
          if (!fill.recorded.empty()) use(fill);
        }
      }
    }
  };
  of_cases(job.cases);
  of_cases(job.timed_cases);
  if (job.opponent) of_cases(job.opponent->timed_cases);
}

}  // namespace

RecordingTable recordings_of(const DeviceJob& job) {
  RecordingTable table;
  each_recorded(job, [&](const model::BoundFill& fill) {
    if (!fill.recording || table.contains(fill.recorded)) return;
    const std::vector<double>& values = fill.recording->values;
    Recorded& entry = table[fill.recorded];
    entry.shape = fill.recording->shape;
    entry.values.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  });
  return table;
}

void link_recordings(DeviceJob& job, const RecordingTable& table) {
  std::map<std::string, std::shared_ptr<const model::Recording>, std::less<>> made;
  each_recorded(job, [&](model::BoundFill& fill) {
    if (fill.recording) return;
    std::shared_ptr<const model::Recording>& known = made[fill.recorded];
    if (!known) {
      const auto found = table.find(fill.recorded);
      if (found == table.end()) throw std::runtime_error("no recording " + fill.recorded);
      auto recording = std::make_shared<model::Recording>();
      recording->name = fill.recorded;
      recording->shape = found->second.shape;
      recording->values.resize(found->second.values.size() / sizeof(double));
      std::memcpy(recording->values.data(), found->second.values.data(),
                  recording->values.size() * sizeof(double));
      known = std::move(recording);
    }
    fill.recording = known;
  });
}

}  // namespace evo::evaluators::gates
