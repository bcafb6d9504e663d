#include "evaluators/oracle/oracle.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/named.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::array oracles{
    Oracle{"attention_forward", "O = softmax(scale * Q K^T) V, with a causal mask if causal is not 0",
           &attention_forward, &attention_forward_rows, &attention_forward_plain},
    Oracle{"vector_add", "c = a + b", &vector_add},
    Oracle{"row_softmax", "y = softmax(x) along the last axis", &row_softmax},
    Oracle{"saxpy", "z = alpha * x + y", &saxpy},
};

}  // namespace

const Oracle* find_oracle(std::string_view name) {
  return find_named(oracles, name);
}

std::vector<std::string> oracle_names() {
  return names_of(oracles);
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
