// What the verbs that read a kernel's file print of what they inferred, and the compiler that they ask.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "cli/options.hpp"
#include "intake/folder.hpp"
#include "intake/make_draft.hpp"

namespace evo::cli {

/// NVRTC behind the artifact cache. Throws model::Exception(environment) where there is none.
[[nodiscard]] intake::Draft draft_of(const terminal::CommonOptions& common, const intake::Request& request,
                                     intake::Purpose purpose);

/// "inferred from add.cu:" and a line for each part, then notes.
[[nodiscard]] std::string inferred_text(const intake::Draft& draft, const std::string& kernel);
/// What was written, what is left to fill in by file and line, and the next command.
[[nodiscard]] std::string written_text(const intake::WrittenFolder& written);
[[nodiscard]] boost::json::object draft_to_json(const intake::Draft& draft,
                                                const intake::WrittenFolder& written);

}  // namespace evo::cli
