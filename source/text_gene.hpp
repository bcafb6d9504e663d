// Genes that an edit of the text brings along: a name that stands for a number, and the numbers that it may
// have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/edit.hpp"

namespace evo::source {

/// The text's own gene. A template's genes are its author's; this one lives as long as its edit does.
struct TextGene {
  std::string name;  ///< a macro in front of the text
  std::int64_t value = 0;
  std::vector<std::int64_t> values;  ///< `value` is among them
  std::string condition;             ///< over these genes, the template's and what it fixes; empty: none
  /// What the edit does besides, as a payload; empty for one that only declares.
  std::string action;

  friend bool operator==(const TextGene&, const TextGene&) = default;
};

/// Anchor of an edit that only declares a gene.
[[nodiscard]] std::string gene_anchor(std::string_view name);

/// "gene NAME=4 of 1,2,4 if NAME <= BLOCK then replace ...": one line.
[[nodiscard]] std::string payload_of(const TextGene& gene);
/// What payload_of() wrote; nullopt for an edit without a gene, or with values that do not fit it.
[[nodiscard]] std::optional<TextGene> gene_of(const Edit& edit);
/// The gene's edit with another of its values. `edit` must have a gene.
[[nodiscard]] Edit with_value(const Edit& edit, std::int64_t value);

/// Letters, digits and _, and no digit first.
[[nodiscard]] bool is_identifier(std::string_view text);

}  // namespace evo::source
