#include "evaluators/oracle/longest.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "evaluators/oracle/layout.hpp"
#include "model/dtype.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::BoundArgument;
using model::BoundFill;
using model::FillForm;

/// All candidates of a case together, and one of them: what takes longer is none.
constexpr std::uint64_t most_instructions = std::uint64_t{1} << 24, most_of_one = std::uint64_t{1} << 22;
constexpr std::size_t most_candidates = 64;
/// The first of these tell whether the data decides.
constexpr std::size_t telling = 4;
constexpr std::array<std::string_view, 14> bases{"normal",  "ties",    "ones",         "all_zero", "runs",
                                                 "rising",  "falling", "next",         "path",     "swapped",
                                                 "winding", "chain",   "winding_high", "euclid"};
/// Less than this share more than the shortest is what branches differ by, not rounds.
constexpr double least_ratio = 1.25;

/// Any of its numbers may stand in any element, whatever the others are, and no other array follows it.
bool may_be_mixed(const model::Case& bound, std::size_t index) {
  const BoundArgument& argument = bound.arguments[index];
  if (!model::is_given(argument.role) || argument.texture) return false;
  const std::string set(longest_kind);
  const BoundFill* const fill = argument.fill_in(set);
  if (fill != nullptr && !fill->has_range() && fill->form != FillForm::zipf) return false;
  return std::ranges::none_of(bound.arguments, [&](const BoundArgument& other) {
    const BoundFill* const follows = other.fill_in(set);
    return follows != nullptr && model::follows_another(follows->form) && follows->argument == index;
  });
}

class Search {
 public:
  Search(const ComputedOracle& oracle, const model::Case& bound) : oracle_(oracle), bound_(bound) {
    bound_.reference_budget = most_of_one;
  }
  [[nodiscard]] bool may_go_on() const { return left_ > 0 && asked_ < most_candidates; }
  /// False: it has not ended, or has no answer. Keeps the longest.
  bool ask(const InputBuffers& inputs) {
    ++asked_;
    const auto took = oracle_.effort(bound_, inputs);
    left_ -= std::min(left_, took.value_or(most_of_one));
    if (!took) return false;
    least_ = std::min(least_, *took);
    if (*took <= most_) return true;
    most_ = *took;
    longest_ = inputs;
    return true;
  }
  [[nodiscard]] bool hangs_on_data() const {
    return static_cast<double>(most_) > least_ratio * static_cast<double>(least_);
  }
  [[nodiscard]] const InputBuffers& longest() const { return longest_; }

 private:
  const ComputedOracle& oracle_;
  model::Case bound_;
  std::uint64_t left_ = most_instructions, least_ = ~std::uint64_t{0}, most_ = 0;
  std::size_t asked_ = 0;
  InputBuffers longest_;
};

/// Some elements of one array, one or a stretch, become those of another draw, or change places.
InputBuffers changed(const model::Case& bound, const std::vector<std::size_t>& arrays, InputBuffers inputs,
                     const InputBuffers& other, model::RandomStream& stream) {
  const std::size_t i = arrays[stream.below(arrays.size())];
  const BoundArgument& argument = bound.arguments[i];
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  if (offsets.empty()) return inputs;
  const std::int64_t size = model::size_of(argument.dtype);
  const auto copy = [&](const InputBuffers& from, std::size_t source, std::size_t target) {
    std::copy_n(from[i].begin() + offsets[source] * size, size, inputs[i].begin() + offsets[target] * size);
  };
  const std::size_t first = stream.below(offsets.size());
  const std::size_t room = std::min<std::size_t>(offsets.size() - first, 16);
  const std::size_t count = stream.below(2) == 0 ? 1 : 1 + stream.below(room);
  if (stream.below(3) == 0) {
    const InputBuffers before = inputs;
    const std::size_t to = stream.below(offsets.size());
    copy(before, first, to);
    copy(before, to, first);
    return inputs;
  }
  for (std::size_t e = first; e < first + count; ++e) copy(other, e, e);
  return inputs;
}

}  // namespace

std::vector<model::InputSet> sets_of_longest(const std::vector<model::Argument>& arguments) {
  const bool any = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_given(argument.role) && !model::is_floating(argument.dtype);
  });
  if (!any) return {};
  return {{fmt::format("{} everywhere", longest_kind),
           std::string(longest_kind),
           {{std::string(undeclared_parameter), 1}}}};
}

model::Expected<InputBuffers> longest_inputs(
    const ComputedOracle* oracle, const model::Case& bound, const InputKey& key,
    const std::function<model::Expected<InputBuffers>(const model::InputSet&, const InputKey&)>& draw) {
  const auto base = [&](std::string_view kind, const InputKey& of) {
    return draw({std::string(longest_kind), std::string(kind), {}}, of);
  };
  auto plain = base(bases.front(), key);
  if (!plain || oracle == nullptr) return plain;
  Search search(*oracle, bound);
  if (!search.ask(*plain)) return plain;
  for (std::size_t at = 1; at < bases.size() && search.may_go_on(); ++at) {
    if (at == telling && !search.hangs_on_data()) return plain;
    if (const auto inputs = base(bases[at], key)) search.ask(*inputs);
  }
  if (!search.hangs_on_data()) return plain;
  std::vector<std::size_t> arrays;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i)
    if (may_be_mixed(bound, i)) arrays.push_back(i);
  model::RandomStream stream({.seed = key.seed,
                              .generation = key.rotation,
                              .slot = 0,
                              .purpose = fmt::format("longest/{}", bound.name)});
  while (!arrays.empty() && search.may_go_on()) {
    const auto other = base(bases[stream.below(bases.size())], {stream.next_u64(), key.rotation});
    if (!other) break;
    search.ask(changed(bound, arrays, search.longest(), *other, stream));
  }
  return search.longest();
}

}  // namespace evo::evaluators::oracle
