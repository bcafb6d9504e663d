// Parts of problem.yaml that have a reader of their own. All of them throw Invalid.
#pragma once

#include <string_view>
#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

[[nodiscard]] std::vector<model::Axis> read_axes(const Reader& reader);
[[nodiscard]] model::Argument read_argument(const Reader& reader);
/// Gives scalars with `stride(D, A)` the expression of that stride. `reader` is the list that `arguments`
/// came from.
void resolve_strides(const Reader& reader, std::vector<model::Argument>& arguments);
/// Genes and constraints of one template; macros that say genes go to `defines`.
[[nodiscard]] model::Space read_space(const Reader& kernel, std::vector<model::Define>& defines);
/// The initial genome of `space` with the genes that the mapping names at its values.
[[nodiscard]] model::Genome read_genome(const Reader& genes, const model::Space& space);
/// The same, with edits of the source under their names (model/edits.hpp).
[[nodiscard]] model::Genome read_genome_with_edits(const Reader& genes, const model::Space& space);
/// Designs of a template that a search tries first; none where the section is missing.
[[nodiscard]] std::vector<model::TemplateDesign> read_initial_designs(const Reader& kernel,
                                                                      const model::Space& space);
/// `key`'s one to three expressions; those that are missing are 1.
void read_dimensions(const Reader& reader, std::string_view key, model::Expression (&target)[3]);
/// `arguments` are the problem's: tensor maps view them.
[[nodiscard]] model::LaunchModel read_launch(const Reader& reader,
                                             const std::vector<model::Argument>& arguments);
/// A name, a weight and axis values, each within its axis' bounds.
[[nodiscard]] model::Workload read_workload(const Reader& reader, const model::Problem& problem);

}  // namespace evo::config
