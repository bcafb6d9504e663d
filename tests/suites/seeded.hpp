// The table of bugs, and a bug in its template.
#pragma once

#include <stdexcept>

#include "suites/seeded_bugs.hpp"
#include "tests/kernels/shipped.hpp"

namespace evo::tests {

template <class T>
T or_throw(model::Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().text());
  return std::move(*value);
}

inline const std::vector<suites::SeededBug>& seeded_bugs() {
  static const suites::SeededBugs table =
      or_throw(suites::load_seeded_bugs(EVO_SOURCE_DIR "/suites/bugs/bugs.yaml"));
  return table.bugs;
}

inline model::Template& find_template(model::Problem& problem, const std::string& name) {
  for (model::Template& kernel : problem.templates) {
    if (kernel.name == name) return kernel;
  }
  throw std::runtime_error("no template " + name);
}

}  // namespace evo::tests
