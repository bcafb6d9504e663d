// Macros that open or close a namespace: #define BEGIN_NAMESPACE namespace library {
#pragma once

#include <map>
#include <set>
#include <string>

namespace evo::intake {

/// Macros of the text whose bodies open more braces than they close, or the other way round. Those that take
/// arguments, and those with several bodies, have an empty one here.
[[nodiscard]] std::map<std::string, std::string> brace_macros(const std::string& source);

/// CUB_NAMESPACE_BEGIN: a name that says as much, of a header that is not there.
[[nodiscard]] bool names_a_namespace(const std::string& name);

/// Whether a line of the text is one name in capitals and nothing else, as such macros mostly stand.
[[nodiscard]] bool has_lone_macro(const std::string& source);

/// The text with what `bodies` has of such macros in their places, where it is a namespace or the end of one.
/// Lines stay.
[[nodiscard]] std::string with_namespaces_spelled_out(const std::string& source,
                                                      const std::map<std::string, std::string>& bodies);

}  // namespace evo::intake
