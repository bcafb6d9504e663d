#include "packs/builtin.hpp"

#include <algorithm>
#include <array>

#include "packs/attention/attention.hpp"

namespace evo::packs {

std::span<const Pack> builtin() {
  static const std::array all{attention::pack()};
  return all;
}

evaluators::oracle::Catalogue catalogue_of(std::span<const Pack> packs) {
  evaluators::oracle::Catalogue catalogue;
  for (const Pack& pack : packs) catalogue.add(pack.oracles, pack.input_kinds, pack.stage_formulas);
  return catalogue;
}

const Pack* find_pack(std::span<const Pack> packs, std::string_view oracle) {
  const auto found = std::find_if(packs.begin(), packs.end(), [&](const Pack& pack) {
    return std::any_of(pack.oracles.begin(), pack.oracles.end(),
                       [&](const auto& known) { return known.name == oracle; });
  });
  return found == packs.end() ? nullptr : &*found;
}

}  // namespace evo::packs
