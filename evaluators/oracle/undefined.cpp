#include "evaluators/oracle/undefined.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/untouched.hpp"

namespace evo::evaluators::oracle {
namespace {

struct AskedQuotients {
  const Oracle& oracle;
  model::Case bound;
  bool may_be_most = false;
  std::once_flag once{};
  std::vector<std::vector<std::size_t>> found{};

  void find(const InputBuffers& inputs, const ReferenceOutputs& outputs) {
    found.assign(bound.arguments.size(), {});
    std::vector<std::set<std::size_t>> all(found.size());
    // One may lead the reference out of bounds, and come to the same behind a minimum.
    for (std::uint64_t draw = 0; draw < quotient_draws; ++draw) {
      if (const auto answer = oracle.computed->compute_with_other_quotients(bound, inputs, draw))
        add(all, outputs, *answer);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (may_be_most || 2 * all[i].size() <= outputs[i].size())
        found[i].assign(all[i].begin(), all[i].end());
    }
  }

  void add(std::vector<std::set<std::size_t>>& all, const ReferenceOutputs& outputs,
           const ReferenceOutputs& answer) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!model::is_judged(bound.arguments[i].role) || answer[i].size() != outputs[i].size()) continue;
      for (std::size_t e = 0; e < outputs[i].size(); ++e) {
        if (answer[i][e] == outputs[i][e] || (std::isnan(answer[i][e]) && std::isnan(outputs[i][e])))
          continue;
        all[i].insert(e);
      }
    }
  }
};

}  // namespace

UndefinedElements undefined_elements(const Oracle& oracle, const model::Case& bound, bool may_be_most) {
  if (oracle.computed == nullptr) return {};
  // NOLINTNEXTLINE(modernize-make-shared): an aggregate
  const std::shared_ptr<AskedQuotients> state(new AskedQuotients{oracle, bound, may_be_most});
  return [state](const InputBuffers& inputs,
                 const ReferenceOutputs& outputs) -> const std::vector<std::vector<std::size_t>>& {
    std::call_once(state->once, [&] { state->find(inputs, outputs); });
    return state->found;
  };
}

std::optional<std::vector<std::byte>> with_undefined(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    const ReferenceOutputs& outputs, std::span<const std::int64_t> words, const InputBuffers& inputs,
    const UndefinedElements& undefined, const CompareOptions& options) {
  if (!undefined || argument.reduce != model::Reduction::none) return std::nullopt;
  if (static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument)) return std::nullopt;
  const std::vector<std::size_t>& open = undefined(inputs, outputs)[index];
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  if (open.empty() || offsets.size() != outputs[index].size()) return std::nullopt;
  std::vector<std::byte> defined(actual.begin(), actual.end());
  const std::int64_t size = model::size_of(argument.dtype);
  for (const std::size_t e : open) {
    const std::int64_t offset = offsets[e] * size;
    if (is_untouched(options, actual, offset, size)) continue;
    if (words.empty())
      store_element(argument.dtype, outputs[index][e], defined.data() + offset);
    else
      std::memcpy(defined.data() + offset, &words[e], sizeof words[e]);
  }
  return defined;
}

}  // namespace evo::evaluators::oracle
