// Probes: keys are random codes of +-1 and each query is a multiple of one key's code, so that its softmax
// weight is 1 to the last bit of fp32 and a row of O is a row of V. A key that is dropped, doubled, stale,
// permuted or read from another head shows as a wrong row, whatever the tolerance.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "model/random.hpp"
#include "packs/attention/attention_inputs.hpp"

namespace evo::packs::attention {
namespace {

constexpr double wanted_gap = 34;  // exp(-34) = 1.7e-15: sums of a million such weights vanish in fp32

struct ProbeSettings {
  std::size_t q = 0, k = 0, v = 0;
  std::int64_t heads = 0, seq = 0, dim = 0;
  double scale = 0;
  bool causal = false;
};

model::Expected<ProbeSettings> resolve_probe(const model::Case& bound, const model::InputSet& set) {
  ProbeSettings probe;
  std::size_t scale = 0;
  std::size_t causal = 0;
  const std::pair<std::string_view, std::size_t*> wanted[] = {
      {"Q", &probe.q}, {"K", &probe.k}, {"V", &probe.v}, {"scale", &scale}, {"causal", &causal}};
  for (const auto& [name, index] : wanted) {
    const auto position = argument_index(bound, name);
    if (!position) {
      return tl::make_unexpected(
          model::Error{fmt::format("input set {}: {}", set.name, position.error().message)});
    }
    *index = *position;
  }
  const std::vector<std::int64_t>& shape = bound.arguments[probe.q].shape;
  if (shape.size() != 4 || shape != bound.arguments[probe.k].shape ||
      shape != bound.arguments[probe.v].shape) {
    return tl::make_unexpected(model::Error{
        fmt::format("input set {}: Q, K and V must have one shape [batch, heads, seq, head_dim]", set.name)});
  }
  probe.heads = shape[0] * shape[1];
  probe.seq = shape[2];
  probe.dim = shape[3];
  probe.scale = bound.arguments[scale].scalar_float;
  probe.causal = bound.arguments[causal].scalar_integer != 0;
  return probe;
}

using Code = std::vector<std::uint64_t>;  ///< one bit for each component; 1 means +1

Code draw_code(model::RandomStream& stream, std::int64_t dim) {
  Code code(static_cast<std::size_t>((dim + 63) / 64));
  for (std::uint64_t& word : code) word = stream.next_u64();
  if (dim % 64 != 0) code.back() &= (std::uint64_t{1} << (dim % 64)) - 1;
  return code;
}

std::int64_t dot(const Code& a, const Code& b, std::int64_t dim) {
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += std::popcount(a[i] ^ b[i]);
  return dim - 2 * std::int64_t{different};
}

struct Codes {
  std::vector<Code> codes;
  std::int64_t largest_dot = std::numeric_limits<std::int64_t>::min();  ///< over distinct keys
};

/// Comparing each pair of more codes than this costs seconds a head.
constexpr std::int64_t most_compared = 2048;

/// Codes that differ, in one component at least.
Codes draw_distinct_codes(model::RandomStream& stream, std::int64_t count, std::int64_t dim) {
  Codes result;
  std::set<Code> taken;
  for (std::int64_t attempt = 0; attempt < 2 * count && std::ssize(result.codes) < count; ++attempt) {
    Code candidate = draw_code(stream, dim);
    if (taken.insert(candidate).second) result.codes.push_back(std::move(candidate));
  }
  result.largest_dot = dim - 2;
  return result;
}

/// Codes whose pairwise products stay well below head_dim; the bound gives way slowly if there is no room.
Codes draw_codes(model::RandomStream& stream, std::int64_t count, std::int64_t dim) {
  if (count > most_compared) return draw_distinct_codes(stream, count, dim);
  Codes result;
  std::int64_t limit = dim / 2;
  while (static_cast<std::int64_t>(result.codes.size()) < count) {
    bool placed = false;
    for (int attempt = 0; attempt < 32 && !placed; ++attempt) {
      const Code candidate = draw_code(stream, dim);
      std::int64_t worst = -dim;
      for (const Code& other : result.codes) {
        worst = std::max(worst, dot(candidate, other, dim));
        if (worst > limit) break;
      }
      if (worst > limit) continue;
      if (!result.codes.empty()) result.largest_dot = std::max(result.largest_dot, worst);
      result.codes.push_back(candidate);
      placed = true;
    }
    if (!placed) ++limit;
    if (limit >= dim) break;
  }
  return result;
}

/// Which key each query picks out, before a causal mask.
std::vector<std::int64_t> draw_targets(const ProbeSettings& probe, bool shift, model::RandomStream& stream) {
  std::vector<std::int64_t> targets(static_cast<std::size_t>(probe.seq));
  std::iota(targets.begin(), targets.end(), 0);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (shift) {
      targets[i] = static_cast<std::int64_t>((i + 1) % targets.size());
    } else if (probe.causal) {
      targets[i] = static_cast<std::int64_t>(stream.below(i + 1));
    } else {
      std::swap(targets[i], targets[i + stream.below(targets.size() - i)]);
    }
  }
  return targets;
}

model::Expected<void> fill_head(const ProbeSettings& probe, const model::InputSet& set, bool shift,
                                std::int64_t head, model::RandomStream& stream, DraftInputs& draft) {
  const Codes keys = draw_codes(stream, probe.seq, probe.dim);
  if (static_cast<std::int64_t>(keys.codes.size()) < probe.seq) {
    return tl::make_unexpected(model::Error{fmt::format(
        "input set {}: head_dim {} has too few codes for {} keys", set.name, probe.dim, probe.seq)});
  }
  double gain = parameter(set, "gain", 8);
  if (probe.seq > 1) {
    const double distance = static_cast<double>(probe.dim - keys.largest_dot) * probe.scale;
    while (!shift && gain * distance < wanted_gap) gain *= 2;
  }
  const std::vector<std::int64_t> targets = draw_targets(probe, shift, stream);
  for (std::int64_t i = 0; i < probe.seq; ++i) {
    const std::int64_t row = (head * probe.seq + i) * probe.dim;
    const Code& own = keys.codes[static_cast<std::size_t>(i)];
    const Code& wanted = keys.codes[static_cast<std::size_t>(targets[static_cast<std::size_t>(i)])];
    for (std::int64_t d = 0; d < probe.dim; ++d) {
      const auto element = static_cast<std::size_t>(row + d);
      const auto word = static_cast<std::size_t>(d / 64);
      draft[probe.k][element] = ((own[word] >> (d % 64)) & 1) != 0 ? 1 : -1;
      draft[probe.q][element] = ((wanted[word] >> (d % 64)) & 1) != 0 ? gain : -gain;
      // Far from zero, so that what is left of the other weights rounds away; exact in every float type.
      const double magnitude = static_cast<double>(16 + stream.below(240)) / 64;
      draft[probe.v][element] = stream.chance(0.5) ? magnitude : -magnitude;
    }
  }
  return {};
}

model::Expected<void> fill(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                           bool shift, DraftInputs& draft) {
  const auto probe = resolve_probe(bound, set);
  if (!probe) return tl::make_unexpected(probe.error());
  for (std::int64_t head = 0; head < probe->heads; ++head) {
    const std::string purpose = fmt::format("probe/{}/{}", set.name, bound.name);
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = static_cast<std::uint64_t>(head),
                                .purpose = purpose});
    if (auto filled = fill_head(*probe, set, shift, head, stream, draft); !filled) return filled;
  }
  return {};
}

}  // namespace

model::Expected<void> permutation_probe(const model::Case& bound, const model::InputSet& set,
                                        const InputKey& key, DraftInputs& draft) {
  return fill(bound, set, key, false, draft);
}

// Under a causal mask the key that a query picks out is the first hidden one: a mask that is off by one
// returns its row. The correct answer is an ordinary softmax over the others, so the accuracy class's bounds
// apply.
model::Expected<void> shift_probe(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                  DraftInputs& draft) {
  return fill(bound, set, key, true, draft);
}

}  // namespace evo::packs::attention
