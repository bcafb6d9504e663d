// What a diagnosis found, as plain data; report.hpp prints it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/facts.hpp"
#include "diagnose/origin.hpp"
#include "diagnose/repair.hpp"
#include "diagnose/rules.hpp"
#include "diagnose/search.hpp"
#include "diagnose/tiles.hpp"

namespace evo::diagnose {

/// A stretch of the source, most telling first.
struct SourcePlace {
  std::string file;
  int line = 0, last_line = 0;  ///< last_line == line for a single one
  std::string text;             ///< the first line's
  std::string why;
};

struct PostMortem {
  std::string title;
  std::string problem, template_name, accuracy_class;
  bool failing = false;
  std::string category;    ///< crash, hang, race, stale, precision, masking, tail, ...; of the first cause
  model::Failure symptom;  ///< under the smallest conditions, with all findings
  int failing_launch = 0;
  model::Workload original, minimal;
  std::string input_set;
  int launches = 1;
  std::vector<Reduction> reductions;
  std::vector<std::string> inputs_that_matter;
  TileReport tiles;
  Origin origin;
  int healing_barrier = 0;       ///< a line before which a barrier makes a race go away; 0: none is known
  std::vector<Answer> answers;   ///< mistakes that the outputs agree with
  std::vector<Lead> leads;       ///< lines that these, or the facts, point to
  std::optional<Repair> repair;  ///< a change of one place that makes it correct
  Facts facts;
  std::vector<Cause> causes;
  std::vector<SourcePlace> places;
  std::vector<model::Evidence> sanitizer;  ///< of compute-sanitizer, where it ran
  std::vector<std::string> files;          ///< written into the output folder
  std::vector<std::string> notes;          ///< what was left out and why
  double seconds = 0;
  int observations = 0;
};

/// "columns=65 rows=1": every axis, by name.
[[nodiscard]] std::string shape_text(const model::Workload& workload);

}  // namespace evo::diagnose
