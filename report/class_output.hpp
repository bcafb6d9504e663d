// What a run came to on GPUs of other models, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "session/class_outcome.hpp"

namespace evo::report {

/// A few lines a model; "" without any.
[[nodiscard]] std::string classes_text(const std::vector<session::ClassOutcome>& classes);
/// docs/reference/json.md, `classes`.
[[nodiscard]] boost::json::array classes_json(const std::vector<session::ClassOutcome>& classes);

}  // namespace evo::report
