#include "intake/index_products.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "intake/index_codes.hpp"
#include "intake/launch_text.hpp"

namespace evo::intake {
namespace {

/// All sets of axes are asked of few axes alone: each is some launches.
constexpr std::size_t most_axes = 4;

/// Whether both stay in bounds with numbers below `count`, at these sizes. What cannot be run says nothing.
bool stays_below(const Draft& draft, const model::Artifact& kernel, const model::Artifact* reference,
                 std::size_t argument, const std::string& count, bool larger) {
  Draft filled = draft;
  filled.arguments[argument].keys.emplace_back("fill", fmt::format("{{integers: [0, {} - 1]}}", count));
  return stay_in_bounds(filled, kernel, reference, larger);
}

}  // namespace

std::optional<std::string> find_index_product(const Draft& draft, const model::Artifact& kernel,
                                              const model::Artifact* reference, std::size_t argument) {
  std::vector<std::string> axes;
  for (const DraftAxis& axis : draft.axes) axes.push_back(axis.name);
  if (axes.size() < 2 || axes.size() > most_axes) return std::nullopt;
  // Data, and what leads nowhere, may be anything: numbers that go up in steps of 7, and of 11, where an axis
  // is a multiple of 7.
  const auto any = [&](const char* count) {
    return stays_below(draft, kernel, reference, argument, count, false);
  };
  if (any("16777213") && any("16777215")) return std::nullopt;
  std::vector<std::uint32_t> sets;
  for (std::uint32_t set = 1; set < (1U << axes.size()); ++set) {
    if (std::popcount(set) > 1) sets.push_back(set);
  }
  std::ranges::stable_sort(
      sets, [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) > std::popcount(b); });
  for (const std::uint32_t set : sets) {
    std::vector<std::string> factors;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if ((set >> i & 1U) != 0) factors.push_back(axes[i]);
    }
    const std::string product = product_of(factors);
    const auto stays = [&](const std::string& count, bool larger) {
      return stays_below(draft, kernel, reference, argument, count, larger);
    };
    if (stays(product, false) && !stays("2 * " + product, false) && stays(product, true) &&
        !stays("2 * " + product, true))
      return product;
  }
  return std::nullopt;
}

}  // namespace evo::intake
