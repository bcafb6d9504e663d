// repeat: of a template's launches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// Appends the loops of a `repeat`, the outermost first: {k: n} counts from 0 to n - 1, {d: {from, to, step}}
/// from the first to the last. `number` counts the loops of a template. Throws Invalid.
void add_loops(const Reader& repeat, std::size_t& number, std::vector<model::LaunchLoop>& loops);

/// Checks the names in the bounds of the launch's loops; a loop that is called like an axis, a gene or a loop
/// around it is Invalid. Returns `all` with the loops behind.
std::vector<std::string> check_loops(
    const model::Problem& problem, const model::Template& kernel, const model::LaunchModel& launch,
    const std::vector<std::string>& all,
    const std::function<void(const model::Expression&, const std::vector<std::string>&)>& check);

/// A scalar that follows a loop is an integer, or Invalid.
void check_follower(const model::Problem& problem, const model::Argument& argument);

}  // namespace evo::config
