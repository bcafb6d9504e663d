// Where the problem of a stored kernel is found again.
#pragma once

#include <string>

#include "export/stored_kernel.hpp"
#include "model/problem.hpp"

namespace evo::session {

struct FoundProblem {
  model::Problem problem;
  std::string note;  ///< that it is another one than when the kernel was stored; empty where it is the same
};

/// Looks in the folder that was stored, from the working directory and from the stored file's, and then for a
/// problem of that name. The first that is as it was when the kernel was stored (its content hash) is taken,
/// else the first that is there. Throws model::Exception: (usage) where none is, with all places in the
/// message and
/// --problem as the way out; (invalid_configuration) for one that cannot be read. `file`: the stored
/// kernel's, for messages.
[[nodiscard]] FoundProblem find_problem_of(const exporting::StoredKernel& stored, const std::string& file);

/// What to say of `problem`, which was taken for the one of the stored kernel; empty where it is that one or
/// nobody knows.
[[nodiscard]] std::string note_on_problem(const exporting::StoredKernel& stored, const std::string& file,
                                          const model::Problem& problem);

}  // namespace evo::session
