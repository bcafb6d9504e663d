// What differs between two JSON values, short where lists have only grown: for who follows a run.
#pragma once

#include <optional>

#include <boost/json/value.hpp>

namespace evo::report {

/// nullopt: they are equal. Otherwise one of
///   {"=": VALUE}             another value
///   {"+": [ITEM, ...]}       a list with these behind what it had
///   {"at": {"KEY": CHANGE}, "-": [KEY, ...]}
///                            an object, or a list of as many objects whose keys are their numbers: what has
///                            changed in it, and which keys are gone
/// web/src/changes.ts applies it.
[[nodiscard]] std::optional<boost::json::value> changes(const boost::json::value& before,
                                                        const boost::json::value& after);

}  // namespace evo::report
