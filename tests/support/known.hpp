// What the binary's packs know, for tests of what is handed a catalogue.
#pragma once

#include "packs/builtin.hpp"

namespace evo::tests {

inline const evaluators::oracle::Catalogue& known() {
  static const evaluators::oracle::Catalogue all = packs::catalogue_of(packs::builtin());
  return all;
}

}  // namespace evo::tests
