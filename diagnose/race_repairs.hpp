// What takes a race away: a barrier, an atomic update, a fence. Each is tried where it may belong.
#pragma once

#include "diagnose/code_lines.hpp"
#include "diagnose/lab.hpp"
#include "diagnose/post_mortem.hpp"
#include "diagnose/search.hpp"

namespace evo::diagnose {

/// True for a source that shows stages (EVO_PROBE).
[[nodiscard]] bool has_hooks(const Subject& subject);

/// For a failure that is a race. An atomic update where threads update one word, or a fence between a value
/// and the flag that hands it over, becomes `report.repair`. Otherwise a barrier that heals at `smallest` and
/// at `first`, the failure before it was reduced, gives `report.healing_barrier`. Facts: heals.atomic,
/// heals.fence, repair.*.
void mend_race(Lab& lab, const Failing& first, const Failing& smallest, const CodeLines& code,
               PostMortem& report);

}  // namespace evo::diagnose
