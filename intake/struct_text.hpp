// The data members of a struct, as the texts that declare it have them.
#pragma once

#include <string>
#include <vector>

namespace evo::intake {

/// Names of the non-static data members in the order of the declaration, those of its bases first. `type` is
/// a name as a compiler spells it: "ns::Accessor<float, 2>". Of an anonymous union the first member. Empty
/// where no text declares it, or where it has none.
[[nodiscard]] std::vector<std::string> data_members(const std::vector<std::string>& texts,
                                                    const std::string& type);
/// Whether one of the texts has a body for it.
[[nodiscard]] bool declares_struct(const std::vector<std::string>& texts, const std::string& type);

}  // namespace evo::intake
