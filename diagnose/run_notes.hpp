// What a post-mortem says of the device that it came from.
#pragma once

#include <string>

#include "diagnose/post_mortem.hpp"
#include "diagnose/subject.hpp"

namespace evo::diagnose {

struct RanOn {
  std::string device;         ///< "virtual" or "cuda:N"
  std::string device_note{};  ///< why this one; may be empty
  std::string verdict{};      ///< of the run that the variant is from, where that is a failure
};

/// Adds to the report's notes what the device could not see, and a verdict of the run that is not seen here.
/// `with_folder`: compute-sanitizer will run on the reproducer.
void add_run_notes(PostMortem& report, const Subject& subject, const RanOn& on, bool with_folder);

}  // namespace evo::diagnose
