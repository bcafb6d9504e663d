#include "session/sixteen_bits.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace evo::session {
namespace {

/// A sum of hundreds of terms in f16 is that far beyond what float makes; a wrong index, further.
constexpr double most_times_bound = 100;

}  // namespace

std::string sixteen_bits_hint(const engine::TrialRecord& trial, const model::Problem& problem) {
  const bool automatic =
      !problem.tolerances.empty() && std::ranges::all_of(problem.tolerances, &model::Tolerance::automatic);
  if (trial.reason != "mismatch" || !automatic || problem.computes_in) return {};
  for (const model::Evidence& evidence : trial.evidence) {
    const auto times =
        std::ranges::find_if(evidence.details, [](const auto& each) { return each.first == "times_bound"; });
    if (times == evidence.details.end() || std::strtod(times->second.c_str(), nullptr) > most_times_bound)
      continue;
    for (const model::Argument& argument : problem.arguments) {
      const bool half = argument.dtype == model::DType::f16, brain = argument.dtype == model::DType::bf16;
      if (!(half || brain) || !model::is_judged(argument.role) ||
          !evidence.message.starts_with(argument.name + ": "))
        continue;
      const char* const type = half ? "f16" : "bf16";
      return fmt::format(
          "{0} is {1}, and tolerance: auto allows what the reference makes in float, rounded once. Where the "
          "kernel adds or multiplies in {1} itself, and that is meant, say so: compute: {1} beside "
          "tolerance: "
          "auto in problem.yaml (evo tune, check and new: --compute {1}); what is allowed then are the "
          "roundings of {1}\n",
          argument.name, type);
    }
  }
  return {};
}

}  // namespace evo::session
