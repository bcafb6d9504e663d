// What is said of a reference that leaves elements of its outputs.
#pragma once

#include <string>

#include "evaluators/reference/untouched.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::reference {

/// `wide`: the case as the reference takes it. Each names the element, the sizes and the launch.
/// More blocks would write the element.
[[nodiscard]] model::Error too_few_threads(const std::string& file, const model::Case& wide,
                                           const Untouched& at);
/// Nobody wrote it, and more blocks would not either.
[[nodiscard]] model::Error left_unwritten(const std::string& file, const model::Case& wide,
                                          const Untouched& at);
/// It is as it was, whatever it was.
[[nodiscard]] model::Error left_alone(const std::string& file, const model::Case& wide, const Untouched& at);

}  // namespace evo::evaluators::reference
