// A word of a function written otherwise wherever it stands.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mutators/source_mutator.hpp"

namespace evo::mutators {

/// What token `at` of the program becomes; nullopt: it stays.
using Word = std::function<std::optional<std::string>(std::size_t at)>;

/// The span's text on one line, with these words.
[[nodiscard]] std::string flat_with(const source::Program& program, source::Span span, const Word& word);

/// Edits of every statement and head of the function that have such a word. Empty where there is none, and
/// where one stands in a place that cannot be edited: half of them would be another program.
[[nodiscard]] Change rewritten(const EditedSource& source, std::string_view operation, std::size_t function,
                               const Word& word);

}  // namespace evo::mutators
