#include "evaluators/compile/macro_clash.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "evaluators/compile/text.hpp"

namespace evo::evaluators::compile {
namespace {

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Does `line` have `name` as a whole identifier?
bool has_name(std::string_view line, std::string_view name) {
  for (auto at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const bool begins = at == 0 || !in_name(line[at - 1]);
    const bool ends = at + name.size() == line.size() || !in_name(line[at + name.size()]);
    if (begins && ends) return true;
  }
  return false;
}

/// The line of the error, as the compiler's log shows it.
std::string_view line_of(const model::Evidence& error) {
  const auto found =
      std::ranges::find_if(error.details, [](const auto& detail) { return detail.first == "source"; });
  return found == error.details.end() ? std::string_view{} : std::string_view(found->second);
}

}  // namespace

std::vector<std::string> macros_ahead(std::string_view source, const std::vector<std::string>& options) {
  std::vector<std::string> macros;
  for (const std::string_view line : lines_of(source)) {
    if (line.starts_with("#line")) break;
    if (!line.starts_with("#define ")) continue;
    std::string macro(trimmed(line.substr(8)));
    const auto blank = macro.find(' ');
    if (blank == std::string::npos) continue;
    macro[blank] = '=';
    macros.push_back(std::move(macro));
  }
  for (const std::string& option : options) {
    if (option.starts_with("-D") && option.size() > 2) macros.push_back(option.substr(2));
  }
  return macros;
}

void name_clashes(std::vector<model::Evidence>& errors, std::string_view own,
                  const std::vector<std::string>& macros) {
  for (model::Evidence& error : errors) {
    if (error.file.empty() || error.file == own) continue;
    const std::string_view line = line_of(error);
    const auto clash = std::ranges::find_if(macros, [&](const std::string& macro) {
      const std::string_view name = std::string_view(macro).substr(0, macro.find('='));
      return !name.empty() && has_name(line, name);
    });
    if (clash == macros.end()) continue;
    const std::string name = clash->substr(0, clash->find('='));
    error.message += fmt::format(
        "; {} is a macro there ({}, a gene or an axis, ahead of every #include): give {} "
        "another name, in the kernel too",
        name, *clash, name);
  }
}

}  // namespace evo::evaluators::compile
