// What stands at the source lines that a reading names.
#pragma once

#include <map>
#include <string>

#include "model/counters.hpp"

namespace evo::evaluators::profile {

/// Fills LineCount::text and LineSamples::text, and names the files of samples, which are paths of
/// whoever compiled, as the source names them. `source` is what NVRTC got as `source_file`, with its #line
/// directives; `headers`: name to text. A line of another file, or beyond a file's end, keeps no text. Blanks
/// at both ends go, and what is behind 120 characters.
void add_line_texts(model::CounterReading& reading, const std::string& source, const std::string& source_file,
                    const std::map<std::string, std::string>& headers);

}  // namespace evo::evaluators::profile
