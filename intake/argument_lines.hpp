// Arguments of a draft as lines of problem.yaml.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "intake/draft.hpp"

namespace evo::intake {

/// A scalar of a flow collection: quoted where YAML would read it as something else.
[[nodiscard]] std::string plain_yaml(const std::string& text);

/// "[a, b]", each as plain_yaml().
[[nodiscard]] std::string yaml_list(const std::vector<std::string>& items);

/// The same arguments, with `align:` of members of structs that C++ does not put at the next multiple of
/// their size.
[[nodiscard]] std::vector<DraftArgument> with_alignments(std::vector<DraftArgument> arguments);

/// "  - name: d" of the struct that begins with member `first`, up to its "struct:".
[[nodiscard]] std::string struct_head(const std::vector<DraftArgument>& arguments, std::size_t first);

/// An argument for each field of an array of structs, "points[].position"; of others the argument itself.
[[nodiscard]] std::vector<DraftArgument> by_fields(const DraftArgument& argument);

/// "  - {name: x, role: input, ...}", deeper in a struct.
[[nodiscard]] std::string argument_line(const DraftArgument& argument);

}  // namespace evo::intake
