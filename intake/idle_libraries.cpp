#include "intake/idle_libraries.hpp"

#include <algorithm>
#include <regex>
#include <string_view>
#include <vector>

#include "diagnose/tokens.hpp"

namespace evo::intake {
namespace {

struct Library {
  std::string_view folder;  ///< of its headers
  std::string_view space, macros;
};
constexpr Library libraries[] = {
    {"cub/", "cub", "CUB_"}, {"thrust/", "thrust", "THRUST_"}, {"cuda/", "cuda", "_CCCL_"}};

bool names(const std::string& text, const Library& library) {
  return std::ranges::any_of(diagnose::tokens_of(text), [&](const diagnose::Token& token) {
    // The path of an #include is no name, and macros about versions are the library's own business.
    return !token.directive && (token.is(library.space) || token.text.starts_with(library.macros));
  });
}

bool blank_includes(std::string& text, std::string_view folder) {
  static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"][^\n]*)re",
                                  std::regex::multiline);
  std::string result = text;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), include); it != std::sregex_iterator();
       ++it) {
    if (!(*it)[1].str().starts_with(folder)) continue;
    const auto begin = result.begin() + it->position(0);
    std::fill(begin, begin + it->length(0), ' ');
  }
  const bool changed = result != text;
  text = std::move(result);
  return changed;
}

}  // namespace

bool without_idle_libraries(std::string& source, std::map<std::string, std::string>& headers) {
  bool changed = false;
  for (const Library& library : libraries) {
    bool named = names(source, library);
    for (const auto& [name, text] : headers) named = named || names(text, library);
    if (named) continue;
    changed = blank_includes(source, library.folder) || changed;
    for (auto& [name, text] : headers) changed = blank_includes(text, library.folder) || changed;
  }
  return changed;
}

}  // namespace evo::intake
