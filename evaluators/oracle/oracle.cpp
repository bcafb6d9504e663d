#include "evaluators/oracle/oracle.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::evaluators::oracle {
namespace {

constexpr std::array oracles{
    Oracle{"vector_add", "c = a + b", &vector_add},
    Oracle{"saxpy", "z = alpha * x + y", &saxpy},
};

}  // namespace

std::span<const Oracle> generic_oracles() {
  return oracles;
}

model::Expected<std::size_t> argument_index(const model::Case& bound, std::string_view name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (bound.arguments[i].name == name) return i;
    known.push_back(bound.arguments[i].name);
  }
  return tl::make_unexpected(model::Error{
      fmt::format("the reference needs an argument {}; the problem has {}", name, fmt::join(known, ", "))});
}

}  // namespace evo::evaluators::oracle
