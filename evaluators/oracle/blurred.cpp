#include "evaluators/oracle/blurred.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/root_mean_square.hpp"

namespace evo::evaluators::oracle {
namespace {

/// All to even neighbours, all to odd ones, and two by chance.
constexpr std::uint64_t draws_of_a_blur = 4;
/// Far more than roundings of fp64 leave where they do not decide, and no more than a few of float.
constexpr double least_blur = 0x1p-20;

struct AskedBlur {
  const Oracle& oracle;
  model::Case bound;
  std::once_flag once{};
  std::vector<std::vector<Blur>> found{};

  void find(const InputBuffers& inputs, const ReferenceOutputs& outputs) {
    found.assign(bound.arguments.size(), {});
    ReferenceOutputs low = outputs, high = outputs;
    for (std::uint64_t draw = 0; draw < draws_of_a_blur; ++draw) {
      const auto answer = oracle.computed->compute_rounded_in_f64(bound, inputs, draw);
      if (!answer) return;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!may_be_blurred(bound.arguments[i])) continue;
        for (std::size_t e = 0; e < outputs[i].size(); ++e) {
          const double other = (*answer)[i][e];
          // What is no number, or has no end, does not say how far the element may move.
          if (!std::isfinite(other)) continue;
          low[i][e] = std::min(low[i][e], other);
          high[i][e] = std::max(high[i][e], other);
        }
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!may_be_blurred(bound.arguments[i])) continue;
      const double usual = root_mean_square(outputs[i]);
      for (std::size_t e = 0; e < outputs[i].size(); ++e) {
        // A NaN or an infinity of the answer is asked for, whatever else it might have been: nothing is more
        // than what is allowed of it.
        const double allowed = least_blur * std::max(usual, std::abs(outputs[i][e]));
        const double moved = std::max(high[i][e] - outputs[i][e], outputs[i][e] - low[i][e]);
        if (moved > allowed) found[i].push_back({e, low[i][e], high[i][e]});
      }
    }
  }
};

}  // namespace

bool may_be_blurred(const model::BoundArgument& argument) {
  return model::is_judged(argument.role) && is_floating(argument.dtype) &&
         argument.reduce == model::Reduction::none;
}

BlurredElements blurred_elements(const Oracle& oracle, const model::Case& bound) {
  if (oracle.computed == nullptr || std::ranges::none_of(bound.arguments, may_be_blurred)) return {};
  // NOLINTNEXTLINE(modernize-make-shared): an aggregate
  const std::shared_ptr<AskedBlur> state(new AskedBlur{oracle, bound});
  return [state](const InputBuffers& inputs,
                 const ReferenceOutputs& outputs) -> const std::vector<std::vector<Blur>>& {
    std::call_once(state->once, [&] { state->find(inputs, outputs); });
    return state->found;
  };
}

std::optional<std::vector<double>> with_blurred(const model::BoundArgument& argument, std::size_t index,
                                                std::span<const std::byte> actual,
                                                const ReferenceOutputs& outputs, const InputBuffers& inputs,
                                                const BlurredElements& blurred) {
  if (!blurred || !may_be_blurred(argument)) return std::nullopt;
  if (static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument)) return std::nullopt;
  const std::vector<Blur>& open = blurred(inputs, outputs)[index];
  if (open.empty()) return std::nullopt;
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  std::vector<double> granted = outputs[index];
  if (offsets.size() != granted.size()) return std::nullopt;
  for (const Blur& blur : open) {
    const double value = load_element(argument.dtype, actual.data() + offsets[blur.element] * size);
    // Just outside is held against the nearer end, with the tolerance of all others.
    if (std::isfinite(value)) granted[blur.element] = std::clamp(value, blur.low, blur.high);
  }
  return granted;
}

}  // namespace evo::evaluators::oracle
