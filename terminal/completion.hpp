// Completion scripts, generated from the command line's own verbs and flags.
#pragma once

#include <string>
#include <vector>

namespace evo::terminal {

struct VerbWords {
  std::string name;
  std::string description;
  std::vector<std::string> flags;
};

/// A script for "bash", "zsh" or "fish".
[[nodiscard]] std::string completion_script(const std::string& shell, const std::vector<VerbWords>& verbs);

}  // namespace evo::terminal
