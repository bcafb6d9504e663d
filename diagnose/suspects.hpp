// Lines that a cause may be about, without a correct text to compare with: what each rule says such lines
// look like, searched among the lines that the compiler made code of.
#pragma once

#include <vector>

#include "diagnose/code_lines.hpp"
#include "diagnose/post_mortem.hpp"
#include "diagnose/subject.hpp"

namespace evo::diagnose {

/// Best first; the most likely cause and the facts of `report` decide what is looked for. Empty where
/// nothing looks like it.
[[nodiscard]] std::vector<SourcePlace> suspects(const Subject& subject, const PostMortem& report,
                                                const CodeLines& code);

}  // namespace evo::diagnose
