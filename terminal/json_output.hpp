// The documents that --json prints, on stdout. What they are made of is report's, whose page shows the same.
#pragma once

#include "report/json_output.hpp"

namespace evo::terminal {

using report::genes_to_json;
using report::insights_to_json;
using report::lineage_to_json;
using report::replay_to_json;
using report::run_to_json;
using report::strict_json;
using report::times_to_json;
using report::to_json;

/// One line on stdout.
void print_json(const boost::json::value& document);

}  // namespace evo::terminal
