// What a worker's message says of a job.
#pragma once

#include <any>
#include <functional>
#include <string>

#include <tl/expected.hpp>

#include "farm/calls.hpp"
#include "farm/message.hpp"

namespace evo::farm {

/// `read` makes a result of the message's body (Line::read). The error says what is wrong with it.
[[nodiscard]] tl::expected<Answer, std::string> answer_of(
    const ResultMessage& message,
    const std::function<tl::expected<std::any, std::string>(const std::string& body)>& read);
/// Line::read of device jobs: a gates::DeviceResult.
[[nodiscard]] tl::expected<std::any, std::string> read_device_result(const std::string& body);

}  // namespace evo::farm
