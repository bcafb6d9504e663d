// Failures and evidence, put together the same way by every gate.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "model/variant.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::gates {

template <class T>
using Outcome = devices::Outcome<T>;

using Details = std::vector<std::pair<std::string, std::string>>;

/// A failure with one piece of evidence whose kind is the reason.
[[nodiscard]] model::Failure fail(model::Status status, std::string reason, std::string message,
                                  Details details = {}, std::string file = {}, int line = 0);

/// Adds `details` to every piece of evidence (and one piece if there is none), so that a failure says in
/// which case, on which data and at which alignment it was seen.
[[nodiscard]] model::Failure located(model::Failure failure, const Details& details);

/// The axes of a case: "m=3,n=17".
[[nodiscard]] std::string axes_text(const model::Case& bound);

}  // namespace evo::evaluators::gates
