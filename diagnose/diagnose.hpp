// The whole diagnosis: find, reduce, look into, compare with what is known to be correct, weigh.
#pragma once

#include "diagnose/post_mortem.hpp"
#include "diagnose/suspects.hpp"

namespace evo::diagnose {

/// A finished diagnosis and the conditions that the reproducer repeats.
struct Diagnosis {
  PostMortem post_mortem;
  std::optional<Failing> failing;
};

/// Takes at most about the lab's seconds; what there was no time for is in the notes.
[[nodiscard]] Diagnosis diagnose(Lab& lab);

/// Edits, findings and the stretch before the first divergent stage's hook, in this order.
[[nodiscard]] std::vector<SourcePlace> source_places(const Subject& subject, const PostMortem& post_mortem,
                                                     const CodeLines& code);

}  // namespace evo::diagnose
