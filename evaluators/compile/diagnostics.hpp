// NVRTC's log as evidence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.hpp"

namespace evo::evaluators::compile {

/// One Evidence (kind "error") for each error of the front end and of ptxas, in the log's order. A ptxas
/// error has the line of the PTX in its details ("ptx_line"); with `ptx` given it has the source position of
/// that line too.
[[nodiscard]] std::vector<model::Evidence> parse_errors(std::string_view log, std::string_view ptx = {});

/// The reason code of a failed compile: "include_not_found", "too_much_shared_memory", "ptxas_error" or
/// "source_error".
[[nodiscard]] std::string reason_of(std::string_view log);

/// The log without lines that change from compile to compile (times), and as valid UTF-8.
[[nodiscard]] std::string stable_log(std::string_view log);

/// `text` with every byte that is not part of valid UTF-8 replaced by '?'.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace evo::evaluators::compile
