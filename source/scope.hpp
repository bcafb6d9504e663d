// Names of a function and where they are known.
#pragma once

#include <set>
#include <string>

#include "source/program.hpp"

namespace evo::source {

/// Names that a statement declares itself, for what follows it in its block: not those of blocks inside.
[[nodiscard]] std::set<std::string> declared_by(const Program& program, std::size_t node);

/// Names that stand in the span; not members behind . and ->.
[[nodiscard]] std::set<std::string> names_in(const Program& program, Span span);

/// The statement (or, for a head of a loop, the loop) that declares `name` as it is seen in front of `node`;
/// none for a name that the function does not declare there: a parameter, a global one, a type, a macro.
[[nodiscard]] std::size_t declaration_seen(const Program& program, std::size_t node, const std::string& name);

/// Every name of `node`, which does not declare it inside, means in front of `target` what it means at
/// `node`.
[[nodiscard]] bool in_scope(const Program& program, std::size_t node, std::size_t target);

}  // namespace evo::source
