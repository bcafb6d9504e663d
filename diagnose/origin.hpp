// What would have to be put back: genes and edits that make the difference to a variant that is correct.
#pragma once

#include <string>
#include <vector>

#include "diagnose/search.hpp"

namespace evo::diagnose {

/// Lines that differ between two texts, as one replacement.
struct Edit {
  int line = 0;        ///< in the diagnosed text, 1-based: the first added line, or where lines were removed
  int known_line = 0;  ///< in the known text
  std::vector<std::string> removed, added;

  /// "line 12: was `__syncthreads();`, now nothing"
  [[nodiscard]] std::string text() const;
};

/// The edits that turn `known` into `diagnosed`, in order.
[[nodiscard]] std::vector<Edit> line_edits(const std::string& known, const std::string& diagnosed);
/// `known` with these of line_edits()'s edits.
[[nodiscard]] std::string apply_edits(const std::string& known, const std::vector<Edit>& edits);

/// How much of the two texts is the same: twice the number of common runs of four tokens, over the number of
/// all of both. 1: the same tokens; a kernel that someone else wrote for the same problem stays below 0.3.
[[nodiscard]] double similarity(const std::string& a, const std::string& b);
/// At or above this the one is taken for an edit of the other.
inline constexpr double edit_similarity = 0.5;

struct GeneChange {
  std::string gene, known, diagnosed;
  bool sync = false;  ///< a gene that weakens a barrier
};

struct Origin {
  /// The least set of gene values, or edits, with which the known genome (source) fails as the diagnosed one
  /// does.
  std::vector<GeneChange> genes;
  std::vector<Edit> edits;
  bool known_genome_fails = false, known_source_fails = false;  ///< then the cause is not there
};

/// Compares with Subject::known_source and known_genome, where there are any, under the failing conditions.
[[nodiscard]] Origin find_origin(Lab& lab, const Failing& failing);

}  // namespace evo::diagnose
