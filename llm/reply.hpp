// The reply contract: what a model may answer, and what its answer makes of a text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/space.hpp"
#include "source/text_gene.hpp"

namespace evo::llm {

/// Why a reply is no variant. Reasons: no_prediction, no_change_given, bad_block, unmatched_block,
/// ambiguous_block, no_change, unknown_gene, illegal_genes, bad_gene, unused_gene, contract_changed,
/// macro_changed.
struct Refusal {
  std::string reason;
  std::string message;  ///< for the model, in its repair turn: what, where, the nearest match
};

template <class T>
using Read = tl::expected<T, Refusal>;

struct Block {
  std::string search, replace;
};

struct Reply {
  std::string hypothesis;
  double factor = 1;  ///< predicted speed-up over the parent: above 1 is faster
  std::vector<Block> blocks;
  std::optional<std::string> file;          ///< the whole text
  std::optional<model::Environment> genes;  ///< those that change
  std::vector<source::TextGene> new_genes;  ///< macros that the reply's text uses
};

/// Lines "HYPOTHESIS: ..." and "FACTOR: 1.2", then search/replace blocks, or "FILE:" and a fenced text,
/// and/or "GENES: {...}", and with a text any number of "NEW_GENE: {"name": "UNROLL", "value": 4, "values":
/// [1, 2, 4], "constraint": "UNROLL <= TILE"}". Text beside these means nothing and is passed over.
[[nodiscard]] Read<Reply> read_reply(std::string_view text);

/// The parent's text with the reply's blocks or file; without either it stays as it is.
[[nodiscard]] Read<std::string> apply_reply(const Reply& reply, const std::string& parent);

/// The line behind NEW_GENE: as a gene. Refusals: bad_gene.
[[nodiscard]] Read<source::TextGene> read_new_gene(std::string_view json);

/// Refuses a child that other code could not launch as its parent is launched, or that redefines what evo
/// defines. `parent` and `child` are whole sources, with macros in front; `entries` their kernels' C++ names.
[[nodiscard]] std::optional<Refusal> contract_violation(const std::string& parent, const std::string& child,
                                                        const std::vector<std::string>& entries);

}  // namespace evo::llm
