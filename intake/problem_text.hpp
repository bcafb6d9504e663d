// A draft as problem.yaml and experiment.yaml.
#pragma once

#include <string>
#include <vector>

#include "intake/draft.hpp"

namespace evo::intake {

/// A line on which a person has to decide.
struct Todo {
  std::string file;
  int line = 0;
  std::string what;
};

struct ProblemText {
  std::string problem, experiment;
  std::vector<Todo> todos;  ///< of both, and of a reference to be written
};
[[nodiscard]] ProblemText problem_text(const Draft& draft);

/// The greatest size that is drawn for an axis of a problem with so many: what its keys say, else what is
/// usual.
[[nodiscard]] std::int64_t greatest_size(const DraftAxis& axis, std::size_t axes);

/// What was inferred, a line each, for a person: "y        inout f32[n]   (the reference reads it ...)".
[[nodiscard]] std::vector<std::string> inferred_lines(const Draft& draft);

}  // namespace evo::intake
