// `oracle` and `tolerance` of problem.yaml: where the correct answers come from, and how near is near enough.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// Reads a name among `known` (any, if that is empty), a map of one kind, or a list of those. The problem's
/// axes and arguments are there. Throws Invalid.
void read_oracles(const Reader& reader, const std::filesystem::path& folder,
                  const std::vector<std::string>& known, model::Problem& problem);

/// After the templates: a reference that is a template's source, or that includes a header of one, would
/// share its mistakes. Throws Invalid with both names.
void check_independence(const Reader& reader, const model::Problem& problem);

/// The work that an expression does, where the problem names none. Throws Invalid: no expression, or its work
/// is no expression over axes.
[[nodiscard]] model::WorkModel derived_work(const model::Problem& problem);

/// `tolerance: auto`: one accuracy class of that name.
[[nodiscard]] model::Tolerance automatic_tolerance(const model::Problem& problem);

}  // namespace evo::config
