#include "terminal/json_output.hpp"

#include <fmt/format.h>

namespace evo::terminal {

void print_json(const boost::json::value& document) {
  fmt::print("{}\n", strict_json(boost::json::serialize(document)));
}

}  // namespace evo::terminal
