// Variants to hold two checkers against each other: clean ones, and mutants with one thing wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/search_space.hpp"
#include "model/experiment.hpp"
#include "model/space.hpp"
#include "suites/seeded_bugs.hpp"

namespace evo::bench {

struct Drawn {
  int index = 0;
  bool mutant = false;
  std::string change;      ///< what was done to it, one clause; "" if clean
  model::Template kernel;  ///< with the edited text, and an entry of its own name
  model::Genome genome;
};

/// `count` clean legal genomes and `count` mutants of the templates whose races can be checked, in turn.
/// Mutants have one barrier gene weakened, one bug of the table `bugs` that the sanitize gate has to find, or
/// one textual edit (edits.cpp), in turn. The same for the same seed. Genomes whose largest sanitize shape
/// has more than `most_seq` tokens are not taken: they cost minutes.
[[nodiscard]] std::vector<Drawn> draw_variants(const model::Experiment& experiment,
                                               const engine::SearchSpace& space,
                                               const std::vector<suites::SeededBug>& bugs, int count,
                                               std::uint64_t seed, std::int64_t most_seq);

/// A textual edit that tends to break a kernel, by where it applies.
struct TextEdit {
  std::string file, from, to, kind;
  std::size_t at = 0;
};
/// Every edit of edits.cpp's list at every place where it applies.
[[nodiscard]] std::vector<TextEdit> text_edits(const model::Template& kernel);
void apply(model::Template& kernel, const TextEdit& edit);

}  // namespace evo::bench
