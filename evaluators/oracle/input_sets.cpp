#include "evaluators/oracle/input_sets.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "evaluators/oracle/attention_inputs.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/named.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

model::Expected<void> normal(const model::Case&, const model::InputSet& set, const InputKey&,
                             DraftInputs& draft) {
  const double mean = parameter(set, "mean", 0);
  const double deviation = parameter(set, "deviation", 1);
  for (std::vector<double>& values : draft) {
    for (double& value : values) value = mean + deviation * value;
  }
  return {};
}

template <Pattern shape>
model::Expected<void> pattern(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                              DraftInputs& draft) {
  return apply_pattern(bound, set, key, draft, shape);
}

template <int sign>
model::Expected<void> related(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                              DraftInputs& draft) {
  return relate_inputs(bound, set, key, draft, sign);
}

constexpr std::array kinds{
    InputKind{"normal", "every input standard normal (parameters mean, deviation)", false, 1, &normal},
    InputKind{"large_logits", "Q times query_scale (8)", false, 1, &large_logits},
    InputKind{"key_norm_rising", "norms of the keys grow along the sequence, low (0.25) to high (4)", false,
              1, &key_norm_rising},
    InputKind{"key_norm_falling", "norms of the keys shrink along the sequence, high (4) to low (0.25)",
              false, 1, &key_norm_falling},
    // A kernel with P in a 16-bit type divides a sum of rounded weights by one of exact weights: where one
    // weight outweighs the others and is not 1 (a running maximum that is not kept up at once), that is off
    // by up to half a unit in the last place, which rounds to the number beside 1.
    InputKind{"ones_v", "V is 1 everywhere, so every output is 1, or the number beside it", true, 1, &ones_v,
              false, 1},
    InputKind{"negative_logits", "every q.k is near `logit` (-1300) before scaling", false, 2,
              &negative_logits},
    InputKind{"extreme_logits", "every q.k is near `logit` (-100000) before scaling", false, 32,
              &extreme_logits},
    InputKind{"permutation_probe", "each query picks out one key, so each row of O is exactly a row of V",
              true, 1, &permutation_probe},
    InputKind{"spike", "a key at a drawn place whose logit is `height` (100) above the others", false, 1,
              &spike, true},
    InputKind{"staircase", "logits step up by `step` (100) at every 16th of the last 128 keys", false, 1,
              &staircase, true},
    InputKind{"rising", "grow along rows and columns (parameter argument: of this one alone)", false, 1,
              &pattern<rising>, true},
    InputKind{"falling", "fall along rows and columns (parameter argument: of this one alone)", false, 1,
              &pattern<falling>, true},
    InputKind{"late_spike", "+120 in the last row and column (parameter argument: of this one alone)", false,
              1, &pattern<late_spike>, true},
    InputKind{"early_spike", "+120 in the first row and column (parameter argument: of this one alone)",
              false, 1, &pattern<early_spike>, true},
    InputKind{"dominant", "1, but for a 120 in each row (parameter argument: of this one alone)", false, 1,
              &pattern<dominant>, true},
    InputKind{"plateau",
              "0, but for a number from 6 to 25 in each row (parameter argument: of this one alone)", false,
              1, &pattern<plateau>, true},
    InputKind{"cancellation",
              "neighbours of opposite sign, 120 large (parameter argument: of this one alone)", false, 1,
              &pattern<cancellation>, true},
    InputKind{"ones", "1 everywhere (parameter argument: of this one alone)", false, 1, &pattern<ones>, true},
    InputKind{"zeros", "half of the elements, and one row, are 0 (parameter argument: of this one alone)",
              false, 1, &pattern<zeros>, true},
    InputKind{"denormal", "below the smallest normal number (parameter argument: of this one alone)", false,
              1, &pattern<denormal>, true},
    InputKind{"large", "times 2^20 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<large>, true},
    InputKind{"larger", "times 2^10 (f16: 2^4) (parameter argument: of this one alone)", false, 1,
              &pattern<larger>, true},
    InputKind{"small", "over 2^20 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<small>, true},
    InputKind{"huge", "times 2^122 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<huge>, true},
    InputKind{"huge_negative", "the same, and negative (parameter argument: of this one alone)", false, 1,
              &pattern<huge_negative>, true},
    InputKind{"tiny", "over 2^100 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<tiny>, true},
    InputKind{"equal", "all inputs of one size are the same", false, 1, &related<1>, true},
    InputKind{"opposite", "inputs of one size nearly cancel each other", false, 1, &related<-1>, true},
    InputKind{"shift_probe", "each query picks out the next key, which a causal mask hides", false, 1,
              &shift_probe},
};

bool is_input(const model::BoundArgument& argument) {
  return argument.role == model::ArgumentRole::input;
}

/// do_range(begin, end) over parts of 0 .. count - 1, on several threads. Isolated, so that a caller's thread
/// that waits here does not pick up the caller's other tasks.
template <typename DoRange>
void in_ranges(std::size_t count, const DoRange& do_range) {
  constexpr std::size_t grain = std::size_t{1} << 15;
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                      [&](const auto& range) { do_range(range.begin(), range.end()); });
  });
}

}  // namespace

const InputKind* find_input_kind(std::string_view name) {
  return find_named(kinds, name);
}

std::vector<std::string> input_kind_names() {
  return names_of(kinds);
}

double parameter(const model::InputSet& set, std::string_view name, double fallback) {
  const auto found = set.parameters.find(std::string(name));
  return found == set.parameters.end() ? fallback : found->second;
}

bool wants_exact(const model::InputSet& set) {
  const InputKind* kind = find_input_kind(set.kind);
  return parameter(set, "exact", kind != nullptr && kind->exact ? 1 : 0) != 0;
}

unsigned exact_ulps(const model::InputSet& set) {
  const InputKind* kind = find_input_kind(set.kind);
  return kind == nullptr ? 0 : kind->exact_ulps;
}

bool is_conditioned(const model::InputSet& set) {
  const InputKind* kind = find_input_kind(set.kind);
  return kind != nullptr && kind->conditioned;
}

double tolerance_factor(const model::InputSet& set) {
  const InputKind* kind = find_input_kind(set.kind);
  return parameter(set, "tolerance_factor", kind != nullptr ? kind->tolerance_factor : 1);
}

model::Expected<InputBuffers> make_inputs(const model::Case& bound, const model::InputSet& set,
                                          const InputKey& key) {
  const InputKind* kind = find_input_kind(set.kind);
  if (kind == nullptr) {
    return tl::make_unexpected(
        model::Error{fmt::format("input set {}: unknown kind {}; known are {}", set.name, set.kind,
                                 fmt::join(input_kind_names(), ", "))});
  }
  DraftInputs draft(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!is_input(argument)) continue;
    const std::string purpose = fmt::format("input/{}/{}/{}", set.name, bound.name, argument.name);
    model::RandomStream stream({.seed = key.seed, .generation = key.rotation, .slot = i, .purpose = purpose});
    draft[i].resize(static_cast<std::size_t>(element_count(argument)));
    in_ranges(draft[i].size(), [&](std::size_t begin, std::size_t end) {
      model::RandomStream from = stream;
      from.skip(begin * model::RandomStream::words_of_normal);
      for (std::size_t e = begin; e < end; ++e) draft[i][e] = from.normal();
    });
  }
  if (const auto shaped = kind->shape_draft(bound, set, key, draft); !shaped) {
    return tl::make_unexpected(shaped.error());
  }
  InputBuffers buffers(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!is_input(argument)) continue;
    const std::int64_t size = model::size_of(argument.dtype);
    buffers[i].assign(static_cast<std::size_t>(buffer_bytes(argument)), std::byte{0xff});
    const std::vector<std::int64_t> offsets = element_offsets(argument);
    in_ranges(offsets.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        store_element(argument.dtype, draft[i][e], buffers[i].data() + offsets[e] * size);
    });
  }
  return buffers;
}

}  // namespace evo::evaluators::oracle
