#include "evaluators/devices/virtual/parameter_ranges.hpp"

#include <bit>
#include <limits>

#include "evaluators/devices/kernel_arguments.hpp"

namespace evo::evaluators::devices {
namespace {

/// Of which power of two a multiple of `number` is one; 0 says nothing but of a single number.
unsigned twos_in(std::int64_t number) {
  return number == 0 ? 0 : static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(number)));
}

}  // namespace

std::vector<vd::ParameterRange> ranges_of(const vd::Program& program, const model::LaunchPlan& plan,
                                          std::span<const KernelArgument> all, const LaunchOptions& options) {
  std::vector<vd::ParameterRange> ranges;
  const auto places = places_of(plan, all.size());
  for (std::size_t i = 0; i < places.size() && i < program.parameters.size(); ++i) {
    for (const ArgumentPlace& place : places[i].arguments) {
      const auto offset = program.parameters[i].offset + static_cast<std::uint32_t>(place.offset);
      const KernelArgument& argument = all[place.argument];
      // No array is a null pointer.
      if (std::holds_alternative<BufferArgument>(argument))
        ranges.push_back({offset, 8, 1, std::numeric_limits<std::int64_t>::max()});
      if (place.argument >= options.ranges.size() || !options.ranges[place.argument]) continue;
      const auto* bytes = std::get_if<std::vector<std::byte>>(&argument);
      const ArgumentRange& range = *options.ranges[place.argument];
      if (bytes != nullptr)
        ranges.push_back({offset, static_cast<std::uint32_t>(bytes->size()), range.least, range.most,
                          twos_in(range.multiple)});
    }
  }
  return ranges;
}

}  // namespace evo::evaluators::devices
