#include "packs/attention/attention_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "evaluators/oracle/in_ranges.hpp"
#include "model/random.hpp"

namespace evo::packs::attention {
namespace {

struct Roles {
  std::size_t q = 0, k = 0, v = 0;
  std::int64_t heads = 0;  ///< batch * heads
  std::int64_t seq = 0, dim = 0;
};

model::Expected<Roles> resolve(const model::Case& bound, const model::InputSet& set) {
  Roles roles;
  const std::array<std::pair<std::string_view, std::size_t*>, 3> wanted{
      {{"Q", &roles.q}, {"K", &roles.k}, {"V", &roles.v}}};
  for (const auto& [name, index] : wanted) {
    const auto position = argument_index(bound, name);
    if (!position) {
      return tl::make_unexpected(
          model::Error{fmt::format("input set {}: {}", set.name, position.error().message)});
    }
    *index = *position;
    const std::vector<std::int64_t>& shape = bound.arguments[*position].shape;
    if (shape.size() != 4 || shape != bound.arguments[roles.q].shape) {
      return tl::make_unexpected(model::Error{fmt::format(
          "input set {}: {} must have the shape [batch, heads, seq, head_dim] of Q", set.name, name)});
    }
  }
  const std::vector<std::int64_t>& shape = bound.arguments[roles.q].shape;
  roles.heads = shape[0] * shape[1];
  roles.seq = shape[2];
  roles.dim = shape[3];
  return roles;
}

/// The running maximum moves at every key tile, or at the first one only.
model::Expected<void> scale_keys(const model::Case& bound, const model::InputSet& set, DraftInputs& draft,
                                 bool rising) {
  const auto roles = resolve(bound, set);
  if (!roles) return tl::make_unexpected(roles.error());
  const double low = parameter(set, "low", 0.25);
  const double high = parameter(set, "high", 4);
  std::vector<double>& keys = draft[roles->k];
  for (std::size_t e = 0; e < keys.size(); ++e) {
    const std::int64_t j = (static_cast<std::int64_t>(e) / roles->dim) % roles->seq;
    const double position = roles->seq > 1 ? static_cast<double>(j) / static_cast<double>(roles->seq - 1) : 0;
    keys[e] *= low + (high - low) * (rising ? position : 1 - position);
  }
  return {};
}

/// Q near +c and K near -c (or both alike) in every component: each q.k is near `logit`, and differs between
/// keys by a few units after the usual scaling.
model::Expected<void> centre_logits(const model::Case& bound, const model::InputSet& set, DraftInputs& draft,
                                    double initial_logit) {
  const auto roles = resolve(bound, set);
  if (!roles) return tl::make_unexpected(roles.error());
  const double logit = parameter(set, "logit", initial_logit);
  const double spread = parameter(set, "spread", 1.5);  // of the logits after scaling with 1/sqrt(head_dim)
  const double centre = std::sqrt(std::abs(logit) / static_cast<double>(roles->dim));
  for (double& value : draft[roles->q]) value = centre + value * spread / centre;
  for (double& value : draft[roles->k]) value = (logit < 0 ? -centre : centre) + value * spread / centre;
  return {};
}

/// Makes the logit of query i and key j about height(head, j) plus noise of a few tenths, whatever i: queries
/// and keys lie along one direction of +-1, a key as far as its height asks.
template <class Height>
model::Expected<void> raise_logits(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                   DraftInputs& draft, const Height& height) {
  const auto roles = resolve(bound, set);
  if (!roles) return tl::make_unexpected(roles.error());
  const auto scale_at = argument_index(bound, "scale");
  if (!scale_at)
    return tl::make_unexpected(
        model::Error{fmt::format("input set {}: {}", set.name, scale_at.error().message)});
  const double scale = bound.arguments[*scale_at].scalar_float;
  model::RandomStream stream({.seed = key.seed,
                              .generation = key.rotation,
                              .slot = 0,
                              .purpose = fmt::format("logits/{}/{}", set.name, bound.name)});
  const auto dim = static_cast<std::size_t>(roles->dim);
  std::vector<double> directions;  // one after the other, a head each
  std::vector<std::int64_t> chosen;
  for (std::int64_t head = 0; head < roles->heads; ++head) {
    for (std::size_t d = 0; d < dim; ++d) directions.push_back((stream.next_u32() & 1) != 0 ? 1 : -1);
    chosen.push_back(static_cast<std::int64_t>(
        stream.below(static_cast<std::uint64_t>(std::max<std::int64_t>(roles->seq, 1)))));
  }
  const auto seq = static_cast<std::size_t>(roles->seq);
  constexpr std::size_t keys_at_a_time = 512;
  evaluators::oracle::in_ranges(
      chosen.size() * seq,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          const std::size_t head = row / seq;
          const double far = height(static_cast<std::int64_t>(row % seq), chosen[head]) /
                             (scale * static_cast<double>(roles->dim));
          const double* const direction = directions.data() + head * dim;
          double* const q = draft[roles->q].data() + row * dim;
          double* const k = draft[roles->k].data() + row * dim;
          for (std::size_t d = 0; d < dim; ++d) {
            q[d] = direction[d] * (1 + q[d] / 16);
            k[d] = direction[d] * far + k[d] / 4;
          }
        }
      },
      keys_at_a_time);
  return {};
}

}  // namespace

// A maximum that is kept from earlier tiles, or is that of some lanes only: exp() of what stands above it
// overflows, FP16 above 11, FP32 above 88. The key's place is drawn for each head.
model::Expected<void> spike(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                            DraftInputs& draft) {
  const double up = parameter(set, "height", 100);
  return raise_logits(bound, set, key, draft,
                      [&](std::int64_t j, std::int64_t chosen) { return j == chosen ? up : 0; });
}

// The same for every row of a causal problem and every width of tile: each 16 keys are above all before them,
// and the last key of all once more.
model::Expected<void> staircase(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                DraftInputs& draft) {
  constexpr std::int64_t width = 16, steps = 8;
  const double up = parameter(set, "step", 100);
  const auto roles = resolve(bound, set);
  if (!roles) return tl::make_unexpected(roles.error());
  const std::int64_t seq = roles->seq;
  return raise_logits(bound, set, key, draft, [&](std::int64_t j, std::int64_t) {
    const std::int64_t last = (seq - 1) / width;
    const std::int64_t step = std::max<std::int64_t>(0, j / width - (last - steps));
    return up * static_cast<double>(step + (j == seq - 1 ? 1 : 0));
  });
}

// Finds a missing subtraction of the maximum, or a maximum that is never updated: invisible on normal data.
model::Expected<void> large_logits(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                   DraftInputs& draft) {
  const auto roles = resolve(bound, set);
  if (!roles) return tl::make_unexpected(roles.error());
  const double factor = parameter(set, "query_scale", 8);
  for (double& value : draft[roles->q]) value *= factor;
  return {};
}

model::Expected<void> key_norm_rising(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                      DraftInputs& draft) {
  return scale_keys(bound, set, draft, true);
}

model::Expected<void> key_norm_falling(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                       DraftInputs& draft) {
  return scale_keys(bound, set, draft, false);
}

// Weights that do not sum to one, however they came about.
model::Expected<void> ones_v(const model::Case& bound, const model::InputSet& set, const InputKey&,
                             DraftInputs& draft) {
  const auto roles = resolve(bound, set);
  if (!roles) return tl::make_unexpected(roles.error());
  std::fill(draft[roles->v].begin(), draft[roles->v].end(), 1.0);
  return {};
}

// A maximum that starts at 0 or at a finite sentinel, and masked keys that count as logit 0.
model::Expected<void> negative_logits(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                      DraftInputs& draft) {
  return centre_logits(bound, set, draft, -1300);
}

model::Expected<void> extreme_logits(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                     DraftInputs& draft) {
  return centre_logits(bound, set, draft, -100000);
}

}  // namespace evo::packs::attention
