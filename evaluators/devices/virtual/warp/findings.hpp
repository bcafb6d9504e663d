// What a block found, without repetition.
#pragma once

#include <cstddef>
#include <vector>

#include "evaluators/devices/virtual/warp/result.hpp"

namespace evo::evaluators::virtual_device::warp {

class Findings {
 public:
  /// Most distinct faults and suspicions that a block keeps.
  static constexpr std::size_t capacity = 64;

  /// The first of its kind at its instruction is kept.
  void add(const Suspicion& suspicion) {
    for (const Suspicion& known : suspicions_) {
      if (known.kind == suspicion.kind && known.instruction == suspicion.instruction) return;
    }
    if (suspicions_.size() < capacity) suspicions_.push_back(suspicion);
  }
  /// The first of its kind at its instruction is kept, later ones are counted.
  void add(const Fault& fault) {
    for (Fault& known : faults_) {
      if (known.kind == fault.kind && known.instruction == fault.instruction && known.write == fault.write) {
        known.count += fault.count;
        return;
      }
    }
    if (faults_.size() < capacity) faults_.push_back(fault);
  }
  [[nodiscard]] const std::vector<Suspicion>& suspicions() const { return suspicions_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  [[nodiscard]] bool empty() const { return suspicions_.empty() && faults_.empty(); }
  void clear() {
    suspicions_.clear();
    faults_.clear();
  }

 private:
  std::vector<Suspicion> suspicions_;
  std::vector<Fault> faults_;
};

}  // namespace evo::evaluators::virtual_device::warp
