// Where a template's text comes from, and what is set besides its genes. All of it throws Invalid.
#pragma once

#include <filesystem>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// `source`: a file beside problem.yaml, or {command: [python3, gen.py]} that writes it for a genome. Returns
/// the folder in which its headers stand.
std::filesystem::path read_template_source(const Reader& source, const std::filesystem::path& folder,
                                           model::Template& kernel);

/// defines, options, shapes and unreached of the template's map, once genes and headers are read.
void read_template_settings(const Reader& reader, const std::filesystem::path& folder,
                            model::Template& kernel);

/// What can only be said once the whole problem is read: defines over its axes, {NAME} of the entry, names in
/// shapes.
void settle_template(const Reader& reader, const model::Problem& problem, model::Template& kernel);

/// `shapes` and `constraints`: each an expression, or a map of `require` and `reason`.
[[nodiscard]] std::vector<model::Constraint> read_constraints(const Reader& reader);

}  // namespace evo::config
