// Genes of a template: their values, and how these reach the compiler. All of it throws Invalid.
#pragma once

#include <string>
#include <vector>

#include "config/yaml_reader.hpp"
#include "model/define.hpp"
#include "model/space.hpp"

namespace evo::config {

/// A gene under `name`: its values (a list, a range, powers of two), or a map with the keys of gene_keys(). A
/// gene that is said by a macro of another name adds it to `defines`.
[[nodiscard]] model::Gene read_gene(const std::string& name, const Reader& reader,
                                    std::vector<model::Define>& defines);
/// One of the gene's values as a person may write it: true for 1, 0.50 for 0.5.
[[nodiscard]] model::Value read_value_of(const model::Gene& gene, const Reader& reader);
/// "X", "block_size_x": a name that a macro can have.
[[nodiscard]] bool is_macro_name(const std::string& name);

}  // namespace evo::config
