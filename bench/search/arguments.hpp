// What evo-search is asked on its command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/experiment.hpp"

namespace evo::bench {

struct Arguments {
  std::vector<std::string> files;  // recorded spaces
  std::string experiment;          // whose templates get made-up latencies
  std::int64_t instances = 4;
  std::vector<std::string> strategies{"random", "local", "genetic", "surrogate"};
  std::vector<std::int64_t> marks{50, 100, 200, 400};
  std::int64_t seeds = 20;
  std::vector<std::string> axes{"sectors", "conflicts", "occupancy", "instructions"};
  int pool = model::ScreenSettings::default_pool;
  double explore = model::ScreenSettings::default_explore;
  model::SearchSettings search;
};

/// Throws model::Exception (usage), with how the program is used, for what is no option, lacks its value or
/// is no number, and where nothing is asked. Marks ascend.
[[nodiscard]] Arguments parse_arguments(int argc, char** argv);

}  // namespace evo::bench
