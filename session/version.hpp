#pragma once

#include <string>

namespace evo::session {

/// "evo 0.2.0 (ledger 1, g++ 12.2)": program, ledger format, compiler.
[[nodiscard]] std::string version_text();
/// "0.2.0"
[[nodiscard]] std::string version_number();
/// Names the sources that decide what a device job comes to; "" in a program that is not evo.
[[nodiscard]] std::string source_id();

}  // namespace evo::session
