#include "cli/misspelt.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/nearest.hpp"

namespace evo::cli {

std::string unknown_verb(std::string_view word, const std::vector<std::string>& verbs) {
  if (const auto near = config::nearest(word, verbs))
    return fmt::format("unknown verb '{}'; did you mean '{}'?", word, *near);
  return fmt::format("unknown verb '{}'; there are {}", word, fmt::join(verbs, ", "));
}

std::optional<std::string> first_option(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const bool dashed = word.size() > 1 && word[0] == '-';
    if (dashed && (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0))
      return word.substr(0, word.find('='));
  }
  return std::nullopt;
}

std::string unknown_option(std::string_view verb, std::string_view word,
                           const std::vector<std::string>& options) {
  // The dashes are no part of what is misspelt: "-seed" is as near to "--seed" as "--sed" is.
  const auto plain = [](std::string_view text) {
    return std::string(text.substr(std::min(text.find_first_not_of('-'), text.size())));
  };
  std::vector<std::string> names;
  for (const std::string& option : options) names.push_back(plain(option));
  if (const auto near = config::nearest(plain(word), names)) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), *near) - names.begin());
    return fmt::format("{} has no option '{}'; did you mean '{}'?", verb, word, options[at]);
  }
  return fmt::format("{} has no option '{}'; '{}{} --help' lists them", verb, word,
                     verb == "evo" ? "" : "evo ", verb);
}

}  // namespace evo::cli
