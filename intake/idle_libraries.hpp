// Template libraries of the toolkit that a text includes and does not name.
#pragma once

#include <map>
#include <string>

namespace evo::intake {

/// Takes the #include lines of CUB, Thrust and libcu++ out of `source` and the user's `headers`, of each
/// library that no code in them names: other kernels of the file did, and its headers take NVRTC seconds.
/// Newlines stay. True where one was taken out.
bool without_idle_libraries(std::string& source, std::map<std::string, std::string>& headers);

}  // namespace evo::intake
