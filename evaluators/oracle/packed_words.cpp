#include "evaluators/oracle/packed_words.hpp"

#include <cmath>

#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "model/dtype.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Far above what eight low bits are of 32, far below what a field of four bits is of a word.
constexpr double least_change = 0x1p-10;

/// Each element with other low bits.
void change_low_bits(const model::BoundArgument& argument, std::uint64_t seed,
                     std::vector<std::byte>& bytes) {
  const auto size = static_cast<std::size_t>(model::size_of(argument.dtype));
  model::RandomStream stream({.seed = seed, .generation = 0, .slot = 0, .purpose = "low bits"});
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    bytes[at] ^= static_cast<std::byte>(1 + stream.below(255));
}

}  // namespace

bool holds_words(const Oracle& oracle, const model::Case& bound, const model::InputSet& set,
                 const InputBuffers& inputs, const Reference& reference, std::uint64_t seed) {
  const auto index = static_cast<std::size_t>(parameter(set, "argument", 0));
  if (index >= inputs.size() || inputs[index].empty()) return false;
  InputBuffers other = inputs;
  change_low_bits(bound.arguments[index], seed, other[index]);
  const auto outputs = reference.rows.empty() ? oracle.compute(bound, other)
                                              : oracle.compute_rows(bound, other, reference.rows);
  if (!outputs) return false;
  bool any = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_judged(argument.role) || !model::is_floating(argument.dtype)) continue;
    double squares = 0, changes = 0;
    for (std::size_t e = 0; e < reference.outputs[i].size(); ++e) {
      const double value = reference.outputs[i][e], change = (*outputs)[i][e] - value;
      if (!std::isfinite(change)) return false;
      squares += value * value;
      changes += change * change;
    }
    if (changes == 0) continue;  // it has nothing to do with that argument
    if (std::sqrt(changes) < least_change * std::sqrt(squares)) return false;
    any = true;
  }
  return any;
}

}  // namespace evo::evaluators::oracle
