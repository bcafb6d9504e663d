#include "evaluators/oracle/input_sets.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/compared_values.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fills.hpp"
#include "evaluators/oracle/in_ranges.hpp"
#include "evaluators/oracle/index_chains.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/long_rounds.hpp"
#include "evaluators/oracle/longest.hpp"
#include "evaluators/oracle/matching.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "evaluators/oracle/reaching_values.hpp"
#include "evaluators/oracle/relations.hpp"
#include "evaluators/oracle/specials.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

bool is_input(const model::BoundArgument& argument) {
  return model::is_given(argument.role);
}

/// Integers of a kind that says nothing of them.
bool has_plain_integers(const model::BoundArgument& argument, const model::InputSet& set,
                        const InputKind& kind) {
  const bool generic =
      std::ranges::any_of(generic_input_kinds(), [&](const auto& own) { return own.name == kind.name; });
  return generic && !is_floating(argument.dtype) && !set.parameters.contains("mean") &&
         !set.parameters.contains("deviation");
}

/// Standard normal numbers. Of a large array 2^20 are drawn, and the rest of it is stretches of those that
/// begin anywhere among them: drawing each number takes most of the time that its data takes, and stretches
/// of 4096 that begin where chance has it leave no period that a kernel, or an index that is off, could live
/// on.
void draw_normal(const model::RandomStream& stream, std::vector<double>& values) {
  constexpr std::size_t drawn = std::size_t{1} << 20, stretch = 4096;
  const std::size_t own = std::min(values.size(), drawn);
  in_ranges(own, [&](std::size_t begin, std::size_t end) {
    model::RandomStream from = stream;
    from.skip(begin * model::RandomStream::words_of_normal);
    for (std::size_t e = begin; e < end; ++e) values[e] = from.normal();
  });
  if (values.size() == own) return;
  in_ranges((values.size() - own + stretch - 1) / stretch,
            [&](std::size_t begin, std::size_t end) {
              model::RandomStream from = stream;
              from.skip(own * model::RandomStream::words_of_normal + begin);
              for (std::size_t k = begin; k < end; ++k) {
                const std::size_t first = own + k * stretch;
                const auto source = values.begin() + from.next_u32() % (drawn - stretch);
                std::copy_n(source, std::min(stretch, values.size() - first),
                            values.begin() + static_cast<std::ptrdiff_t>(first));
              }
            },
            8);
}

}  // namespace

double parameter(const model::InputSet& set, std::string_view name, double fallback) {
  const auto found = set.parameters.find(std::string(name));
  return found == set.parameters.end() ? fallback : found->second;
}

SetRules rules_of(const Catalogue& known, const model::InputSet& set) {
  const InputKind* kind = known.find_input_kind(set.kind);
  SetRules rules;
  if (kind != nullptr)
    rules = {kind->exact, kind->exact_ulps, kind->tolerance_factor, kind->conditioned, kind->special_values};
  rules.exact = parameter(set, "exact", rules.exact ? 1 : 0) != 0;
  rules.tolerance_factor = parameter(set, "tolerance_factor", rules.tolerance_factor);
  return rules;
}

namespace {

model::Expected<InputBuffers> draw_inputs(const Catalogue& known, const model::Case& bound,
                                          const model::InputSet& set, const InputKey& key) {
  const InputKind* kind = known.find_input_kind(set.kind);
  if (kind == nullptr) {
    return tl::make_unexpected(
        model::Error{fmt::format("input set {}: unknown kind {}; known are {}", set.name, set.kind,
                                 fmt::join(known.input_kind_names(), ", "))});
  }
  if (set.kind == "recorded" && known.problem_oracle() != nullptr) {
    if (auto recorded = known.problem_oracle()->recorded_inputs(bound)) return std::move(*recorded);
  }
  DraftInputs draft(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!is_input(argument)) continue;
    const std::string purpose = fmt::format("input/{}/{}/{}", set.name, bound.name, argument.name);
    model::RandomStream stream({.seed = key.seed, .generation = key.rotation, .slot = i, .purpose = purpose});
    draft[i].resize(static_cast<std::size_t>(element_count(argument)));
    draw_normal(stream, draft[i]);
  }
  if (const auto shaped = kind->shape_draft(bound, set, key, draft); !shaped) {
    return tl::make_unexpected(shaped.error());
  }
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!is_input(argument) || !has_plain_integers(argument, set, *kind)) continue;
    const std::string purpose = fmt::format("integers/{}/{}/{}", set.name, bound.name, argument.name);
    draw_plain_integers(
        bound, i, set,
        model::RandomStream({.seed = key.seed, .generation = key.rotation, .slot = i, .purpose = purpose}),
        draft[i]);
  }
  // Plain integers are drawn over what the kind has made of them.
  if (kind->shape_draft == &put_numbers || set.kind == bits_kind) {
    if (const auto put = put_numbers(bound, set, key, draft); !put) return tl::make_unexpected(put.error());
  }
  draw_fills(bound, set, key, draft);
  put_compared(bound, set, key, draft);
  put_reaching(bound, set, key, draft);
  draw_indices(bound, set, key, draft);
  draw_long_rounds(bound, set, key, draft);
  if (set.kind == matches_kind) {
    match_integers(bound, set, key, draft);
    follow_others(bound, set, draft);  // of what has been matched
  }
  if (set.kind == related_kind) {
    relate_places(bound, set, key, draft);
    follow_others(bound, set, draft);  // of what is related now
  }
  put_specials(bound, set, key, draft);
  InputBuffers buffers(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!is_input(argument)) continue;
    const std::int64_t size = model::size_of(argument.dtype);
    buffers[i].assign(static_cast<std::size_t>(buffer_bytes(argument)), std::byte{0xff});
    in_ranges(draft[i].size(), [&](std::size_t begin, std::size_t end) {
      for_elements(argument, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
                   [&](std::int64_t e, std::int64_t offset) {
                     store_element(argument.dtype, draft[i][static_cast<std::size_t>(e)],
                                   buffers[i].data() + offset * size);
                   });
    });
    // What another argument copies, or begins rows with, stays what it was then.
    const bool copied = std::ranges::any_of(bound.arguments, [&](const model::BoundArgument& other) {
      const auto* fill = other.fill_in(set.name);
      return fill != nullptr && model::follows_another(fill->form) && fill->argument == i;
    });
    if (!copied && has_plain_integers(argument, set, *kind) && argument.fill_in(set.name) == nullptr) {
      const std::string purpose = fmt::format("low bits/{}/{}/{}", set.name, bound.name, argument.name);
      draw_low_bits(
          bound, i, set,
          model::RandomStream({.seed = key.seed, .generation = key.rotation, .slot = i, .purpose = purpose}),
          buffers[i]);
    }
  }
  return buffers;
}

}  // namespace

model::Expected<InputBuffers> make_inputs(const Catalogue& known, const model::Case& bound,
                                          const model::InputSet& set, const InputKey& key) {
  const auto draw = [&](const model::InputSet& of, const InputKey& drawn) {
    return draw_inputs(known, bound, of, drawn);
  };
  const auto made = [&](const InputKey& drawn) {
    return set.kind == longest_kind ? longest_inputs(known.problem_oracle(), bound, drawn, draw)
                                    : draw(set, drawn);
  };
  auto inputs = made(key);
  if (!inputs || key.rotation == 0 || bound.launch.symbols.empty()) return inputs;
  // What is in a variable of the module is filled once for all sets of buffers that are timed in turn.
  InputKey first = key;
  first.rotation = 0;
  auto fixed = made(first);
  if (!fixed) return fixed;
  for (const model::SymbolPlan& symbol : bound.launch.symbols)
    (*inputs)[symbol.argument] = std::move((*fixed)[symbol.argument]);
  return inputs;
}

}  // namespace evo::evaluators::oracle
