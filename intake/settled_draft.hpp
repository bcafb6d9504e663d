// A draft that the self-test has tried: what evo guessed wrongly is mended in the written folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "config/loader.hpp"
#include "intake/draft.hpp"
#include "intake/request.hpp"

namespace evo::intake {

/// Asks the self-test, and mends evo's own guesses: `folder`, whose experiment is `experiment_file`, is
/// written again. What is left to say is said by the run, which asks once more. Returns the notes that were
/// added. `try_begins` is called before each try. Throws model::Exception as the self-test does.
std::vector<std::string> settle_draft(const Request& request, Draft& draft,
                                      const std::filesystem::path& folder, const std::string& experiment_file,
                                      const config::Overrides& overrides, std::uint64_t input_seed,
                                      const std::function<void()>& try_begins);

/// What the run says of "reference.cu", the copy, with the name of the user's file.
[[nodiscard]] std::string in_users_words(const Request& request, std::string message);

/// Of a reference that leaves an array: what evo took it for, and how another shape is said. Of one that
/// leaves elements alone: how that is said. "" where
/// `message` says nothing of the kind.
[[nodiscard]] std::string shape_hint(const Draft& draft, const std::string& message);

}  // namespace evo::intake
