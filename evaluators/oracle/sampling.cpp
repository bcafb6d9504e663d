#include "evaluators/oracle/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::uint64_t sampling_draws = 2;
constexpr double weight_step = 0x1p-8;

bool is_filtered(const model::BoundArgument& argument) {
  return argument.texture && argument.texture->filter == model::TextureFilter::linear;
}

/// Sum over the dimensions of the largest difference of each element to its neighbours there.
std::vector<double> steps_of(const model::BoundArgument& argument, const std::vector<double>& values) {
  const model::TextureModel& texture = *argument.texture;
  const model::TextureExtent extent = model::texture_extent(texture, argument.shape);
  std::vector<double> steps(values.size());
  std::int64_t distance = texture.channels;
  for (unsigned d = 0; d < extent.dimensions; ++d) {
    const std::int64_t size = extent.size[d];
    for (std::int64_t e = 0; e < static_cast<std::int64_t>(values.size()); ++e) {
      const std::int64_t at = e / distance % size;
      const double own = values[static_cast<std::size_t>(e)];
      const auto towards = [&](std::int64_t next) {
        if (next >= 0 && next < size)
          return std::abs(own - values[static_cast<std::size_t>(e + (next - at) * distance)]);
        if (texture.address == model::TextureAddress::border) return std::abs(own);
        if (texture.address != model::TextureAddress::wrap) return 0.0;
        const std::int64_t other = (next + size) % size;
        return std::abs(own - values[static_cast<std::size_t>(e + (other - at) * distance)]);
      };
      steps[static_cast<std::size_t>(e)] += std::max(towards(at - 1), towards(at + 1));
    }
    distance *= size;
  }
  return steps;
}

void move_texels(const model::BoundArgument& argument, std::vector<std::byte>& bytes,
                 model::RandomStream signs) {
  const std::int64_t size = model::size_of(argument.dtype);
  const std::int64_t count = element_count(argument);
  std::vector<double> values;
  for (std::int64_t e = 0; e < count; ++e)
    values.push_back(load_element(argument.dtype, bytes.data() + e * size));
  const std::vector<double> steps = steps_of(argument, values);
  const model::DTypeRange range = model::range_of(argument.dtype);
  for (std::int64_t e = 0; e < count; ++e) {
    const auto i = static_cast<std::size_t>(e);
    double step = weight_step * steps[i];
    if (!is_floating(argument.dtype)) step = std::ceil(step);
    const double sign = (signs.next_u32() & 1) != 0 ? 1 : -1;
    const double low = is_floating(argument.dtype) ? -range.high : range.low;
    store_element(argument.dtype, std::clamp(values[i] + sign * step, low, range.high),
                  bytes.data() + e * size);
  }
}

}  // namespace

bool filters_textures(const model::Case& bound) {
  return std::ranges::any_of(bound.arguments, is_filtered);
}

model::Expected<std::vector<OutputErrors>> measure_sampling(const Oracle& oracle, const model::Case& bound,
                                                            const InputBuffers& inputs,
                                                            const Reference& reference,
                                                            std::uint64_t entropy) {
  std::vector<OutputErrors> worst(bound.arguments.size());
  for (std::uint64_t draw = 0; draw < sampling_draws; ++draw) {
    InputBuffers other = inputs;
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      if (!is_filtered(bound.arguments[i])) continue;
      move_texels(
          bound.arguments[i], other[i],
          model::RandomStream({.seed = entropy, .generation = draw, .slot = i, .purpose = "sampling"}));
    }
    if (!oracle.can_answer(bound, other)) return std::vector<OutputErrors>{};
    const auto answer = reference.rows.empty() ? oracle.compute(bound, other)
                                               : oracle.compute_rows(bound, other, reference.rows);
    if (!answer) return tl::make_unexpected(answer.error());
    for (std::size_t i = 0; i < worst.size(); ++i) {
      double squares = 0;
      const std::vector<double>&now = (*answer)[i], &correct = reference.outputs[i];
      for (std::size_t e = 0; e < now.size(); ++e) {
        const double error = std::abs(now[e] - correct[e]);
        if (!std::isfinite(error)) continue;
        squares += error * error;
        worst[i].largest = std::max(worst[i].largest, error);
      }
      if (!now.empty())
        worst[i].rms = std::max(worst[i].rms, std::sqrt(squares / static_cast<double>(now.size())));
    }
  }
  return worst;
}

}  // namespace evo::evaluators::oracle
