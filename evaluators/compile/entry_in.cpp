#include "evaluators/compile/entry_in.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace evo::evaluators::compile {
namespace {

/// A namespace without a name around it: "_ZN12_GLOBAL__N_13addEPf" of "3add", as nvcc has it with a hash.
bool in_nameless_namespace(std::string_view entry, std::string_view measured_name) {
  if (!entry.starts_with("_ZN")) return false;
  const std::size_t digits = entry.find_first_not_of("0123456789", 3);
  if (digits == 3 || digits == std::string_view::npos) return false;
  const std::size_t length = std::strtoul(std::string(entry.substr(3, digits - 3)).c_str(), nullptr, 10);
  if (!entry.substr(digits).starts_with("_GLOBAL__N_") || length > entry.size() - digits) return false;
  return entry.substr(digits + length).starts_with(std::string(measured_name) + "E");
}

}  // namespace

std::string entry_in(std::string_view ptx, const std::string& name) {
  constexpr std::string_view directive = ".entry ";
  const std::string measured = fmt::format("{}{}", name.size(), name), mangled = "_Z" + measured;
  std::string found;
  for (std::size_t at = ptx.find(directive); at != std::string_view::npos; at = ptx.find(directive, at)) {
    at += directive.size();
    const std::string_view rest = ptx.substr(at);
    const std::string_view entry = rest.substr(0, rest.find_first_of("( \n\t"));
    if (entry == name) return name;
    if (!entry.starts_with(mangled) && !in_nameless_namespace(entry, measured)) continue;
    if (!found.empty()) return name;  // overloads: none of them is meant more than another
    found = entry;
  }
  return found.empty() ? name : found;
}

}  // namespace evo::evaluators::compile
