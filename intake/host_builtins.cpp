#include "intake/host_builtins.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "intake/probe_text.hpp"

namespace evo::intake {
namespace {

struct Builtin {
  std::string_view name;
  std::string_view body;  ///< of the argument x, whose type is T
};

constexpr std::array<Builtin, 4> builtins{{
    {"clz", "int n = 8 * sizeof(x); for (; x; x >>= 1) --n; return n;"},
    {"ctz", "int n = 0; for (; n < int(8 * sizeof(x)) && !(x & 1); x >>= 1) ++n; return n;"},
    {"popcount", "int n = 0; for (; x; x >>= 1) n += x & 1; return n;"},
    {"ffs", "int n = 1; for (; x && !(x & 1); x >>= 1) ++n; return x ? n : 0;"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> widths{
    {{"", "unsigned"}, {"l", "unsigned long"}, {"ll", "unsigned long long"}}};

}  // namespace

std::string host_builtins_header() {
  std::string text = "// Built-in functions of host compilers.\n#pragma once\n";
  for (const Builtin& each : builtins) {
    for (const auto& [suffix, type] : widths)
      text += fmt::format("__host__ __device__ constexpr int __builtin_{}{}({} x) {{ {} }}\n", each.name,
                          suffix, type, each.body);
  }
  return text;
}

bool is_host_builtin(const std::string& message) {
  if (!message.starts_with("identifier ") || !message.ends_with("is undefined")) return false;
  const std::string name = quoted(message);
  return std::ranges::any_of(builtins, [&](const Builtin& each) {
    return std::ranges::any_of(widths, [&](const auto& width) {
      return name == fmt::format("__builtin_{}{}", each.name, width.first);
    });
  });
}

}  // namespace evo::intake
