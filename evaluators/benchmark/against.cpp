#include "evaluators/benchmark/against.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "evaluators/benchmark/side_by_side.hpp"
#include "evaluators/gates/cold_sets.hpp"
#include "evaluators/measure/statistics.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::benchmark {
namespace {

/// A turn: samples of a graph of launches behind one that warms up, as where two kernels of evo's take turns.
constexpr int samples_a_turn = 2;
/// A sample need not be longer than this.
constexpr double longest_sample_us = 1000;

Attempt<void> prepare(Contender& contender, const model::Case& bound, const oracle::InputBuffers& inputs,
                      const ContenderJudge& judge) {
  const auto outputs = contender.compute(bound, inputs);
  if (!outputs) return tl::make_unexpected(outputs.error());
  const std::string wrong = judge(contender, *outputs);
  if (!wrong.empty()) return tl::make_unexpected("its output is wrong: " + wrong);
  return {};
}

Attempt<double> one_turn(Contender& contender, const TimingRequest& request) {
  const auto samples = contender.time(request);
  if (!samples) return tl::make_unexpected(samples.error());
  const double us = samples->empty() ? 0 : measure::median(*samples);
  if (!std::isfinite(us) || us <= 0)
    return tl::make_unexpected(std::string("a sample is no positive number"));
  return us;
}

/// What both are asked for. The kernel's first turn says how many launches fill a sample.
Attempt<TimingRequest> request_for(Contender& kernel, const model::Case& bound,
                                   const AgainstProtocol& protocol) {
  const auto [hot, cold] = buffer_sets(oracle::case_bytes(bound), protocol.l2_bytes);
  TimingRequest request;
  const gates::ColdPlan plan = protocol.cold ? cold : gates::ColdPlan{hot, false};
  request.sets = plan.sets;
  request.launches = gates::cold_launches(protocol.launches, plan);
  if (plan.emptied) request.emptying_bytes = gates::emptying_bytes(protocol.l2_bytes);
  request.samples = samples_a_turn;
  const auto us = one_turn(kernel, request);
  if (!us) return tl::make_unexpected(us.error());
  const int fit =
      std::clamp(static_cast<int>(std::min(longest_sample_us / *us, 1e6)), request.sets, request.launches);
  request.launches = gates::cold_launches(fit, plan);
  return request;
}

}  // namespace

Attempt<AgainstTimes> time_against(Contender& kernel, Contender& other, const model::Case& bound,
                                   const oracle::InputBuffers& inputs, const ContenderJudge& judge,
                                   const AgainstProtocol& protocol) {
  const auto of_kernel = [](const std::string& why) { return tl::make_unexpected("the champion: " + why); };
  if (auto done = prepare(other, bound, inputs, judge); !done) return tl::make_unexpected(done.error());
  model::RandomStream draws(
      {.seed = protocol.seed, .generation = 0, .slot = 0, .purpose = "who begins " + bound.name});
  AgainstTimes times;
  std::optional<TimingRequest> request;
  std::size_t begins = 0;
  for (int round = 0; round < protocol.rounds; ++round) {
    if (round % protocol.rounds_a_load == 0) {
      kernel.release();
      if (auto done = prepare(kernel, bound, inputs, judge); !done) return of_kernel(done.error());
    }
    if (!request) {
      auto found = request_for(kernel, bound, protocol);
      if (!found) return of_kernel(found.error());
      request = *found;
    }
    // Of two rounds one begins with each; which of the two is drawn.
    begins = round % 2 == 0 ? static_cast<std::size_t>(draws.below(2)) : 1 - begins;
    for (const std::size_t side : {begins, 1 - begins}) {
      const auto us = one_turn(side == 0 ? kernel : other, *request);
      if (!us && side == 0) return of_kernel(us.error());
      if (!us) return tl::make_unexpected(us.error());
      (side == 0 ? times.kernel_us : times.other_us).push_back(*us);
    }
  }
  return times;
}

}  // namespace evo::evaluators::benchmark
