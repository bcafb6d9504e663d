#include "evaluators/reference/untouched.hpp"

#include <algorithm>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::reference {
namespace {

using model::ArgumentRole;

/// Any order of its elements is as good.
bool takes_any_order(const model::BoundArgument& argument) {
  const auto orderless = [](const model::BoundFill& fill) {
    return fill.has_range() || fill.form == model::FillForm::zipf;
  };
  return (!argument.fill || orderless(*argument.fill)) &&
         std::ranges::all_of(argument.set_fills, [&](const auto& entry) { return orderless(entry.second); });
}

bool is_asked(const model::BoundArgument& argument) {
  if (argument.keeps_unwritten) return false;
  if (argument.role == ArgumentRole::inout) return takes_any_order(argument);
  return argument.role == ArgumentRole::output && argument.zeroed;
}

/// An element that was left as it was so far.
struct Suspect {
  std::size_t element = 0;
  int told = 0;  ///< launches whose contents were others there
};

std::vector<std::byte> stored(const model::BoundArgument& argument, const std::vector<double>& values) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(oracle::buffer_bytes(argument)), std::byte{0xff});
  const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  for (std::size_t e = 0; e < values.size(); ++e)
    oracle::store_element(argument.dtype, values[e], bytes.data() + offsets[e] * size);
  return bytes;
}

/// 1 to 7, unlike for neighbours and from launch to launch: what a reference copies from an input, ramps
/// among them, is not the same everywhere. Small, since a counter may lead into an array.
double small_number(std::size_t element, std::size_t launch) {
  std::uint64_t mixed = (element + 1) * 0x9e3779b97f4a7c15U + launch * 0xd1b54a32d192ed03U;
  mixed ^= mixed >> 29;
  mixed *= 0xbf58476d1ce4e5b9U;
  return static_cast<double>(1 + (mixed >> 40) % 7);
}

/// Takes elements out of `suspects` that one more launch writes: in it integers of an inout are numbers that
/// are far beyond its others. A game of life has cells that are 0 again whatever the ones beside them were.
void clear_written(devices::Device& machine, devices::ModuleId module, const model::Case& wide,
                   const oracle::InputBuffers& inputs, const std::vector<std::vector<double>>& before,
                   std::vector<std::vector<Suspect>>& suspects) {
  constexpr double beyond = 85;  // 0x55, in any type
  oracle::InputBuffers others = inputs;
  bool any = false;
  const auto is_marked = [&](std::size_t i) {
    const model::BoundArgument& argument = wide.arguments[i];
    return argument.role == ArgumentRole::inout && !oracle::is_floating(argument.dtype) &&
           argument.dtype != model::DType::boolean &&  // which holds no such number
           !suspects[i].empty() && std::ranges::find(before[i], beyond) == before[i].end();
  };
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    if (!is_marked(i)) continue;
    std::vector<double> marked = before[i];
    for (const Suspect& suspect : suspects[i]) marked[suspect.element] = beyond;
    others[i] = stored(wide.arguments[i], marked);
    any = true;
  }
  if (!any) return;
  auto buffers = gates::CaseBuffers::create(machine, wide, gates::as_allocated);
  if (!buffers || !buffers->write_inputs(others) || !buffers->poison(1, false)) return;
  devices::LaunchOptions options;
  options.instruction_budget = wide.reference_budget != 0 ? wide.reference_budget : 2'000'000'000'000;
  if (!machine.launch(module, wide.launch, buffers->arguments(), options)) return;
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    if (!is_marked(i)) continue;
    const auto bytes = buffers->read(i);
    if (!bytes) continue;
    const auto span = bytes->span();
    const std::vector<double> after = oracle::load_array(wide.arguments[i], {span.begin(), span.end()});
    std::erase_if(suspects[i], [&](const Suspect& suspect) { return after[suspect.element] != beyond; });
  }
}

}  // namespace

std::optional<Untouched> find_untouched(devices::Device& machine, devices::ModuleId module,
                                        const model::Case& wide, const oracle::InputBuffers& inputs,
                                        const oracle::ReferenceOutputs& outputs) {
  const std::size_t count = wide.arguments.size();
  model::Case other = wide;
  std::vector<std::vector<double>> before(count);
  std::vector<std::vector<Suspect>> suspects(count);
  for (std::size_t i = 0; i < count; ++i) {
    const model::BoundArgument& argument = wide.arguments[i];
    if (!inputs[i].empty()) before[i] = oracle::load_array(argument, inputs[i]);
    if (!is_asked(argument)) continue;
    if (argument.zeroed) before[i].assign(outputs[i].size(), 0.0);
    for (std::size_t e = 0; e < outputs[i].size(); ++e) {
      if (outputs[i][e] == before[i][e]) suspects[i].push_back({e});
    }
    other.arguments[i].role = ArgumentRole::inout;
    other.arguments[i].zeroed = false;
  }
  const auto any = [&] {
    return std::ranges::any_of(suspects, [](const auto& left) { return !left.empty(); });
  };
  // Other inputs, too: what adds x leaves an element as it was where x is 0. Three launches clear most; among
  // millions of bytes some are written as they were in all of those.
  for (const std::size_t distance : {1, 3, 7, 2, 5}) {
    if (!any()) return std::nullopt;
    oracle::InputBuffers others = inputs;
    std::vector<std::vector<double>> changed = before;
    for (std::size_t i = 0; i < count; ++i) {
      const model::BoundArgument& argument = wide.arguments[i];
      if (changed[i].empty()) continue;
      if (argument.zeroed) {
        for (std::size_t e = 0; e < changed[i].size(); ++e) changed[i][e] = small_number(e, distance);
      } else if (takes_any_order(argument)) {
        std::rotate(changed[i].begin(),
                    changed[i].begin() + static_cast<std::ptrdiff_t>(distance % changed[i].size()),
                    changed[i].end());
      }
      others[i] = stored(argument, changed[i]);
    }
    const auto other_by = static_cast<double>(distance);
    // Other factors, too: a moving average keeps what was there where its weight is 1.
    for (std::size_t i = 0; i < count; ++i) {
      if (wide.arguments[i].role != ArgumentRole::scalar) continue;
      other.arguments[i].scalar_float =
          wide.arguments[i].scalar_float * (1 + 0.0625 * other_by) + 0.03125 * other_by;
    }
    auto buffers = gates::CaseBuffers::create(machine, other, gates::as_allocated);
    if (!buffers || !buffers->write_inputs(others) || !buffers->poison(1, false)) return std::nullopt;
    devices::LaunchOptions options;
    options.instruction_budget = wide.reference_budget != 0 ? wide.reference_budget : 2'000'000'000'000;
    if (!machine.launch(module, other.launch, buffers->arguments(), options)) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
      if (suspects[i].empty()) continue;
      const auto bytes = buffers->read(i);
      if (!bytes) return std::nullopt;
      const auto span = bytes->span();
      const std::vector<double> after = oracle::load_array(other.arguments[i], {span.begin(), span.end()});
      std::erase_if(suspects[i], [&](Suspect& suspect) {
        const std::size_t e = suspect.element;
        // Where both began alike nothing is told.
        suspect.told += changed[i][e] == before[i][e] ? 0 : 1;
        return after[e] != changed[i][e];
      });
    }
  }
  clear_written(machine, module, wide, inputs, before, suspects);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Suspect& suspect : suspects[i]) {
      if (suspect.told >= 2) return Untouched{i, static_cast<std::int64_t>(suspect.element)};
    }
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::reference
