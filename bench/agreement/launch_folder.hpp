// What a process under compute-sanitizer launches: machine code, launch plans and inputs as plain files, so
// that it does nothing else.
#pragma once

#include <filesystem>
#include <vector>

#include "model/artifact.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::bench {

/// Writes FOLDER/NNN.cubin, NNN.launches, and the inputs of each case (the gate's own data and base
/// addresses).
void write_launches(const std::filesystem::path& folder, int index, const model::Artifact& artifact,
                    const std::vector<model::Case>& cases, const model::InputSet& set);

/// Launches variants `first` .. `last` of the folder one after the other, each as a module of its own, with
/// a line on stdout before and after each: "evo-launch begin N", "evo-launch end N", or "evo-launch failed N
/// WHY". Returns 0; 3 when the device cannot go on after a failure (the caller starts another process
/// behind it), 4 without a GPU.
int launch_folder(const std::filesystem::path& folder, int first, int last);

}  // namespace evo::bench
