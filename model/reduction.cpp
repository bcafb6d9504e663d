#include "model/reduction.hpp"

#include <array>

namespace evo::model {
namespace {

constexpr std::array<std::string_view, 5> all_reductions{"none", "sum", "max", "min", "sort"};

}  // namespace

std::span<const std::string_view> reduction_names() {
  return all_reductions;
}

std::string_view name_of(Reduction reduction) {
  return all_reductions.at(static_cast<std::size_t>(reduction));
}

}  // namespace evo::model
