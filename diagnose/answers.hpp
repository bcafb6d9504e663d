// Wrong outputs against what known mistakes would give, from the outputs alone: the oracle is asked again,
// with inputs, scalars or sizes as a mistaken kernel would take them. All of it follows from the problem's
// arguments and axes; what belongs to one computation only is in the pack of its oracle.
#pragma once

#include <string>
#include <vector>

#include "diagnose/lab.hpp"

namespace evo::diagnose {

struct Answer {
  std::string
      name;  ///< closed: see input_, output_ and size_answers.cpp, and the names of Oracle::compute_mistakes
  std::string argument;  ///< of the problem, or axis; empty where it is about no single one
  std::string text;
  double error = 0;  ///< relative Frobenius error of the outputs against this mistake's
};

/// The mistakes that the outputs of `seen` agree with, nearest first.
[[nodiscard]] std::vector<Answer> find_answers(const Subject& subject, const Observation& seen);

/// Those that hold for another input set, too, where that fails as well: what agrees by chance does not.
[[nodiscard]] std::vector<Answer> confirmed_answers(Lab& lab, const Setup& setup, const Observation& seen);

}  // namespace evo::diagnose
