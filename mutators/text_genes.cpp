#include "mutators/text_genes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "source/text_gene.hpp"

namespace evo::mutators {

std::vector<source::Edits> gene_steps(const source::Edits& edits) {
  std::vector<source::Edits> lists;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const auto gene = source::gene_of(edits[i]);
    if (!gene) continue;
    std::vector<std::int64_t> values = gene->values;
    std::ranges::stable_sort(values, {}, [&](std::int64_t value) { return std::abs(value - gene->value); });
    for (const std::int64_t value : values) {
      if (value == gene->value) continue;
      source::Edits list = edits;
      list[i] = source::with_value(edits[i], value);
      lists.push_back(std::move(list));
    }
  }
  return lists;
}

source::Edits with_legal_genes(const source::Edits& edits,
                               const std::function<bool(const source::Edits&)>& legal) {
  if (legal(edits)) return edits;
  for (source::Edits& list : gene_steps(edits)) {
    if (legal(list)) return std::move(list);
  }
  return {};
}

}  // namespace evo::mutators
