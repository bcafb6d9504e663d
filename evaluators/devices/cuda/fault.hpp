// What an error of the driver says about a candidate: status, reason code, and whether the context survives
// it.
#pragma once

#include <cuda.h>

#include <string>

#include "evaluators/devices/cuda/driver_api.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::cuda {

struct Fault {
  enum class Blame : std::uint8_t { candidate, environment } blame = Blame::candidate;
  model::Status status = model::Status::device_fault;
  std::string reason;
  bool sticky = false;  ///< every later call of the context fails: the process must be replaced
};

/// Total: an error that is not known is a sticky fault of the candidate named "cuda_error_N".
[[nodiscard]] Fault classify(CUresult result);

/// The failure of a candidate, with one evidence that names what was done and the driver's words for what
/// went wrong. Throws model::Exception(environment) for errors that no candidate can cause.
[[nodiscard]] model::Failure failure_of(const DriverApi& driver, CUresult result, const std::string& action);

/// `action` did not end within `limit_ms`.
[[nodiscard]] model::Failure hang_failure(const std::string& action, double limit_ms);

}  // namespace evo::evaluators::cuda
