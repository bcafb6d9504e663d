// Sizes that an array may have, and small launches to ask for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/probe_run.hpp"

namespace evo::intake {

/// Elements of the largest array at small sizes.
constexpr std::int64_t most_probed = std::int64_t{2} << 20;

/// A shape and its elements at the sizes of a run.
struct ShapeCandidate {
  std::vector<std::string> shape;
  std::int64_t elements = 0;
};
/// Products of the axes, with small factors, the smallest first; of equal ones the plainest.
[[nodiscard]] std::vector<ShapeCandidate> size_candidates(const Draft& draft, const ProbeRun& run);
/// Elements that any of them fits into with room to spare: what leaves an array of so many, fails for another
/// reason. Of many axes less: arrays are filled for every launch.
[[nodiscard]] std::int64_t room_for(const std::vector<ShapeCandidate>& candidates);
/// What lies between two axes: the plainest first.
[[nodiscard]] std::vector<std::string> between_axes(const Draft& draft);
/// Whether the expression has no names but axes'.
[[nodiscard]] bool of_axes(const Draft& draft, const std::string& text);

/// A reference's launch: threads enough for `most` elements, sides enough where it asks for y. False where it
/// cannot be set.
bool launch_reference(const Draft& draft, ProbeRun& run, std::int64_t most);
/// Sets that launch for the run's sizes, and gives the bytes of each argument's array there, 0 of a scalar;
/// nothing where an array is too large to be probed, or where the launch cannot be set.
[[nodiscard]] std::optional<std::vector<std::int64_t>> launch_reference(const Draft& draft, ProbeRun& run);
/// What sizes of axes are multiplied with: small sizes first; tiles of a kernel fit larger ones.
[[nodiscard]] std::vector<std::int64_t> scales_of(const Draft& draft, Probed whose);

}  // namespace evo::intake
