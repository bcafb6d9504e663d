// What a worker's message says of a job.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "evaluators/gates/device_job.hpp"
#include "farm/message.hpp"

namespace evo::farm {

struct Answer {
  std::string worker;
  std::optional<evaluators::gates::DeviceResult> result;
  std::string error;  ///< why there is no result, with the worker's name
  [[nodiscard]] bool has() const { return result || !error.empty(); }
};

/// The error says what is wrong with the message's body.
[[nodiscard]] tl::expected<Answer, std::string> answer_of(const ResultMessage& message);

}  // namespace evo::farm
