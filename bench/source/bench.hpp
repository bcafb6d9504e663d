// The tables of evo-source-edits.
#pragma once

#include <string>
#include <vector>

namespace evo::bench {

/// A row an operator: edits tried, that apply, compile, change the PTX; of those that change it, that pass
/// the sanitize gate, and all gates. Subjects are experiments (the baseline's genome), folders of them, or
/// single files (their first kernel that is no template, compiled as it is; without a problem no gate is
/// asked).
int survival(const std::vector<std::string>& arguments);

/// In each experiment's baseline: barriers planted that nothing needs; what is left after every edit that
/// takes one away and passes the gates was made.
int planted(const std::vector<std::string>& experiments);

/// Each barrier that the baseline needs taken out; how many proposals of race_repair it takes until every
/// gate passes.
int removed(const std::vector<std::string>& experiments);

}  // namespace evo::bench
