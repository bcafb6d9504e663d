// What an export's self-test holds a kernel against where the problem's oracle is none that nvcc compiles.
#pragma once

#include <cstdint>

#include "export/exporter.hpp"

namespace evo::session {

/// Asks the problem's oracle (a formula, recorded files, a command, or one of evo's own) about the smallest
/// workloads, on inputs drawn with `seed`, and puts what it answers, with the tolerance that a run would hold
/// them against, into request.answers; does nothing where a self-test needs none. Why there are none is in
/// request.no_answers: no case is small enough, no input set is judged by tolerance, or the oracle failed.
void record_answers(exporting::ExportRequest& request, std::uint64_t seed);

}  // namespace evo::session
