#include "evaluators/reference/more_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::reference {
namespace {

using model::ArgumentRole;

constexpr std::uint64_t most_blocks = std::uint64_t{1} << 20;
/// Of 16 times as many blocks: threads that only ask for the bound take a part of a second.
constexpr std::uint64_t most_threads = std::uint64_t{1} << 19;

std::uint64_t product_of(const std::array<std::uint32_t, 3>& sides) {
  return std::uint64_t{sides[0]} * sides[1] * sides[2];
}

/// The first element that is as it was before the one launch, and other bytes after the larger one.
std::optional<std::int64_t> first_new(const model::BoundArgument& argument,
                                      const std::vector<std::byte>& input, std::span<const std::byte> once,
                                      std::span<const std::uint8_t> written,
                                      std::span<const std::byte> more) {
  // Most launches make the same.
  if (std::ranges::equal(once, more)) return std::nullopt;
  const auto size = static_cast<std::size_t>(model::size_of(argument.dtype));
  const bool given = model::is_given(argument.role);
  std::optional<std::int64_t> found;
  oracle::for_elements(argument, 0, oracle::element_count(argument),
                       [&](std::int64_t element, std::int64_t offset) {
                         const std::size_t at = static_cast<std::size_t>(offset) * size;
                         const auto same = [&](std::span<const std::byte> with) {
                           return std::ranges::equal(once.subspan(at, size), with.subspan(at, size));
                         };
                         if (found || same(more)) return;
                         const auto zero = [](std::byte byte) { return byte == std::byte{0}; };
                         bool left = false;
                         if (given) {
                           left = at + size <= input.size() && same(input);
                         } else if (argument.zeroed) {
                           left = std::ranges::all_of(once.subspan(at, size), zero);
                         } else if (at + size <= written.size()) {
                           left = std::ranges::count(written.subspan(at, size), std::uint8_t{0}) > 0;
                         }
                         if (left) found = element;
                       });
  return found;
}

/// Of the case with this plan; nothing where it fails.
std::optional<std::vector<devices::HostBytes>> contents_with(devices::Device& machine,
                                                             devices::ModuleId module,
                                                             const model::Case& wide,
                                                             const model::LaunchPlan& plan,
                                                             const oracle::InputBuffers& inputs) {
  auto buffers = gates::CaseBuffers::create(machine, wide, gates::as_allocated);
  if (!buffers || !buffers->write_inputs(inputs) || !buffers->poison(1, false)) return std::nullopt;
  devices::LaunchOptions options;
  options.instruction_budget = wide.reference_budget != 0 ? wide.reference_budget : 2'000'000'000'000;
  if (!machine.launch(module, plan, buffers->arguments(), options) || !machine.synchronize())
    return std::nullopt;
  std::vector<devices::HostBytes> all(wide.arguments.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!model::is_judged(wide.arguments[i].role)) continue;
    auto bytes = buffers->read(i);
    if (!bytes) return std::nullopt;
    all[i] = std::move(*bytes);
  }
  return all;
}

}  // namespace

std::optional<Untouched> written_by_more_blocks(devices::Device& machine, devices::ModuleId module,
                                                const model::Artifact& artifact, const model::Case& wide,
                                                const oracle::InputBuffers& inputs,
                                                const Launched& launched) {
  for (std::size_t side = 0; side < 3; ++side) {
    if (artifact.ptx.find(fmt::format("%ctaid.{}", "xyz"[side])) == std::string::npos) continue;
    for (const std::uint32_t factor : {2U, 16U}) {
      model::LaunchPlan plan = wide.launch;
      plan.grid[side] *= factor;
      const std::uint64_t blocks = product_of(plan.grid);
      if (blocks > most_blocks || (side > 0 && plan.grid[side] > 65535)) break;
      if (factor > 2 && blocks * product_of(plan.block) > most_threads) break;
      const auto more = contents_with(machine, module, wide, plan, inputs);
      if (!more) break;
      for (std::size_t i = 0; i < wide.arguments.size(); ++i) {
        if (!model::is_judged(wide.arguments[i].role)) continue;
        const auto element = first_new(wide.arguments[i], inputs[i], launched.contents[i].span(),
                                       launched.written[i], (*more)[i].span());
        if (element) return Untouched{i, *element};
      }
    }
  }
  return std::nullopt;
}

bool may_hide_what_it_leaves(const model::Case& bound) {
  return std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    return argument.keeps_unwritten && model::is_judged(argument.role);
  });
}

}  // namespace evo::evaluators::reference
