// What a verdict covers ("correct for: ..."), as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "model/verdict.hpp"

namespace evo::terminal {

/// "correct for: ..." and what the cases could not tell apart, a line each; "" if nothing was proven.
[[nodiscard]] std::string coverage_text(const std::vector<model::Evidence>& notes);

/// {"text", "axis.NAME": "1 to 513", "shapes", "input_sets", "alignments", "strides", "scalar.NAME",
/// "launches", "sampled_launches"}, all as text; null if nothing was proven.
[[nodiscard]] boost::json::value correct_for_json(const std::vector<model::Evidence>& notes);

/// Sentences about parameters that are equal in every case.
[[nodiscard]] boost::json::value always_equal_json(const std::vector<model::Evidence>& notes);

}  // namespace evo::terminal
