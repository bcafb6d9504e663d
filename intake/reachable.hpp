// What of a published file one kernel needs: the rest is left out of the copy when it stands in the way.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace evo::intake {

/// Blanks, in `source` and in the user's `headers`, the declarations and definitions at namespace level that
/// nothing in `needed` leads to: by name, through functions, types, variables and macros. Newlines stay.
/// Keeps too much rather than too little: all that has the same name, `using namespace`, operators of device
/// code, and the lines of conditions that do not end in what goes; but never functions of the host, which
/// device code cannot call. Returns how many it blanked; 0, and nothing is changed, where a macro that is
/// needed pastes names together (##), since those cannot be followed.
[[nodiscard]] int keep_reachable(std::string& source, std::map<std::string, std::string>& headers,
                                 const std::vector<std::string>& needed);

}  // namespace evo::intake
