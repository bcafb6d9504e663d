// A table of known bugs, each one edit of a template of a problem: what the gates must catch, and what
// `evo diagnose` must name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/problem.hpp"
#include "model/target.hpp"

namespace evo::suites {

struct SeededBug {
  std::string id;    ///< number in the catalogue of bugs, or "-" for one that is not in it
  std::string name;  ///< unique in the table
  std::string template_name;
  std::vector<std::pair<std::string, model::Value>> genes;  ///< the rest keep their initial values
  std::string file;                                         ///< template source or header; "": the source
  std::string at;        ///< anchor of the statement that the edit is in; "": anywhere in the file
  std::string from, to;  ///< the edit, by tokens (suites/source_edit.hpp); `from` stands there once
  std::string gate;      ///< that must refuse it, or an earlier one
  std::vector<std::string> reasons;  ///< any of these, at that gate; "*" is any
  std::vector<std::string> causes;   ///< rules of evo_diagnose, any of these; empty: not diagnosed
  std::string target{model::default_target};
  std::string needs_gpu;  ///< why no virtual device can show it; "" where one can
};

struct SeededBugs {
  std::string problem;  ///< folder, absolute
  std::vector<SeededBug> bugs;
};

/// Unknown keys, a name twice and edits that change nothing are errors with file and line.
[[nodiscard]] model::Expected<SeededBugs> load_seeded_bugs(const std::string& file);

/// Where an edit begins to differ.
struct SeededPlace {
  std::string file;  ///< as findings name it
  int line = 0;      ///< of the edited text, from 1
};

/// Puts the bug into `kernel`, its own template. An error if the file is not among its source and headers,
/// or the text to be replaced is not there exactly once: then the template has changed, and the table must.
[[nodiscard]] model::Expected<SeededPlace> seed_bug(model::Template& kernel, const SeededBug& bug);

/// The template's initial genome with the bug's genes; an error for a gene or a value that there is not.
[[nodiscard]] model::Expected<model::Genome> genome_of(const model::Template& kernel, const SeededBug& bug);

}  // namespace evo::suites
