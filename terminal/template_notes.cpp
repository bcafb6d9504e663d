#include "terminal/template_notes.hpp"

#include <algorithm>

namespace evo::terminal {

std::vector<std::string> template_notes(const model::Experiment& experiment) {
  std::vector<std::string> notes;
  const auto& used = experiment.templates;
  for (const model::Template& kernel : experiment.problem.templates) {
    const bool named = std::find(used.begin(), used.end(), kernel.name) != used.end();
    if (!used.empty() && !named && kernel.name != experiment.baseline_template) continue;
    for (const std::string& note : kernel.notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  return notes;
}

}  // namespace evo::terminal
