// What every verb is told of how to print.
#pragma once

namespace evo::terminal {

struct CommonOptions {
  bool json = false;   ///< data on stdout as JSON
  bool quiet = false;  ///< nothing on stderr but errors
  int verbose = 0;
};

}  // namespace evo::terminal
