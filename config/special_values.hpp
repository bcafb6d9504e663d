// What a reference's text says of NaN and infinity.
#pragma once

#include <string_view>
#include <vector>

#include "model/problem.hpp"

namespace evo::config {

/// NaN where C++ or CUDA `source` asks whether a number is one (isnan, isfinite, fpclassify, x != x),
/// infinity where it asks for that (isinf, isfinite) or compares with it (== -INFINITY). What it only begins
/// a maximum with it does not ask for. Comments and strings say nothing.
[[nodiscard]] model::SpecialValues named_special_values(std::string_view source);

/// Argument::special, inferred, of each input of 16 bits or more that says neither that nor what it holds.
void infer_special_values(std::string_view source, std::vector<model::Argument>& arguments);

}  // namespace evo::config
