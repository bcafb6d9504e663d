#include "evaluators/oracle/undefined.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

struct AskedQuotients {
  const Oracle& oracle;
  model::Case bound;
  std::once_flag once{};
  std::vector<std::vector<std::size_t>> found{};

  void find(const InputBuffers& inputs, const ReferenceOutputs& outputs) {
    found.assign(bound.arguments.size(), {});
    std::vector<std::set<std::size_t>> all(found.size());
    for (std::uint64_t draw = 0;; ++draw) {
      const auto answer = oracle.computed->compute_with_other_quotients(bound, inputs, draw);
      if (!answer || !add(all, outputs, *answer)) break;
    }
    for (std::size_t i = 0; i < found.size(); ++i) found[i].assign(all[i].begin(), all[i].end());
  }

  /// False: nothing differs, and nobody need ask on.
  [[nodiscard]] bool add(std::vector<std::set<std::size_t>>& all, const ReferenceOutputs& outputs,
                         const ReferenceOutputs& answer) const {
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!model::is_judged(bound.arguments[i].role) || answer[i].size() != outputs[i].size()) continue;
      for (std::size_t e = 0; e < outputs[i].size(); ++e) {
        if (answer[i][e] == outputs[i][e] || (std::isnan(answer[i][e]) && std::isnan(outputs[i][e])))
          continue;
        all[i].insert(e);
        any = true;
      }
    }
    return any;
  }
};

/// The elements of a buffer of this argument's size that nobody can judge; empty of all else.
std::vector<std::size_t> undefined_of(const model::BoundArgument& argument, std::size_t index,
                                      std::span<const std::byte> actual, const ReferenceOutputs& outputs,
                                      const InputBuffers& inputs, const UndefinedElements& undefined) {
  if (!undefined || argument.reduce != model::Reduction::none) return {};
  if (static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument)) return {};
  return undefined(inputs, outputs)[index];
}

}  // namespace

UndefinedElements undefined_elements(const Oracle& oracle, const model::Case& bound) {
  if (oracle.computed == nullptr) return {};
  // NOLINTNEXTLINE(modernize-make-shared): an aggregate
  const std::shared_ptr<AskedQuotients> state(new AskedQuotients{oracle, bound});
  return [state](const InputBuffers& inputs,
                 const ReferenceOutputs& outputs) -> const std::vector<std::vector<std::size_t>>& {
    std::call_once(state->once, [&] { state->find(inputs, outputs); });
    return state->found;
  };
}

std::optional<std::vector<double>> with_undefined(const model::BoundArgument& argument, std::size_t index,
                                                  std::span<const std::byte> actual,
                                                  const ReferenceOutputs& outputs, const InputBuffers& inputs,
                                                  const UndefinedElements& undefined) {
  const auto open = undefined_of(argument, index, actual, outputs, inputs, undefined);
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  std::vector<double> granted = outputs[index];
  if (open.empty() || offsets.size() != granted.size()) return std::nullopt;
  const std::int64_t size = model::size_of(argument.dtype);
  for (const std::size_t e : open) {
    const double value = load_element(argument.dtype, actual.data() + offsets[e] * size);
    if (std::isfinite(value)) granted[e] = value;
  }
  return granted;
}

std::optional<std::vector<std::int64_t>> words_with_undefined(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    std::span<const std::int64_t> words, const ReferenceOutputs& outputs, const InputBuffers& inputs,
    const UndefinedElements& undefined) {
  const auto open = undefined_of(argument, index, actual, outputs, inputs, undefined);
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  std::vector<std::int64_t> granted(words.begin(), words.end());
  if (open.empty() || offsets.size() != granted.size()) return std::nullopt;
  for (const std::size_t e : open)
    std::memcpy(&granted[e], actual.data() + static_cast<std::size_t>(offsets[e]) * sizeof(std::int64_t),
                sizeof(std::int64_t));
  return granted;
}

}  // namespace evo::evaluators::oracle
