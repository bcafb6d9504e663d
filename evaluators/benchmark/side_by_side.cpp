#include "evaluators/benchmark/side_by_side.hpp"

#include <algorithm>

#include "evaluators/measure/statistics.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::benchmark {
namespace {

/// One contender in the rounds of one temperature.
struct Racer {
  Contender* contender;
  Standing* standing;
  TimingRequest turn;
  Timed timed;
};

void drop(Racer& racer, const std::string& reason) {
  racer.standing->unavailable = reason;
  racer.contender->release();
}

/// A first turn that warms up and says how many samples fit into a turn.
void pilot(Racer& racer, const Protocol& protocol) {
  TimingRequest turn = racer.turn;
  turn.warmup = 1;
  turn.samples = 1;
  if (protocol.sample_seconds > 0) turn.launches = turn.sets;
  const auto taken = racer.contender->time(turn);
  if (!taken) return drop(racer, taken.error());
  if (protocol.sample_seconds > 0) {
    // Every set is used equally often here, too.
    const double set_seconds = std::max(taken->front() * turn.sets * 1e-6, 1e-9);
    const int most = racer.turn.launches / turn.sets;
    turn.launches =
        turn.sets *
        std::clamp(static_cast<int>(std::min(protocol.sample_seconds / set_seconds, 1e6)), 1, most);
    racer.turn.launches = racer.timed.launches = turn.launches;
  }
  const double sample_seconds = taken->front() * turn.launches * 1e-6;
  const double fit = std::min(protocol.turn_seconds / std::max(sample_seconds, 1e-9), 1e6);
  racer.turn.samples = std::clamp(static_cast<int>(fit), 1, protocol.samples);
}

void race(std::vector<Racer>& racers, const Protocol& protocol) {
  const auto in_the_race = [](const Racer& racer) { return racer.standing->unavailable.empty(); };
  for (Racer& racer : racers) {
    if (in_the_race(racer)) pilot(racer, protocol);
  }
  for (int round = 0; round < protocol.rounds; ++round) {
    for (std::size_t i = 0; i < racers.size(); ++i) {
      Racer& racer = racers[(i + static_cast<std::size_t>(round)) % racers.size()];
      if (!in_the_race(racer)) continue;
      const auto samples = racer.contender->time(racer.turn);
      if (!samples) {
        drop(racer, samples.error());
        continue;
      }
      racer.timed.samples_us.insert(racer.timed.samples_us.end(), samples->begin(), samples->end());
      racer.standing->method = racer.contender->method();
    }
  }
}

void run_rounds(const std::vector<Entry>& entries, std::vector<Standing>& standings,
                const gates::ColdPlan& plan, std::optional<Timed> Standing::*place,
                const Protocol& protocol) {
  // Every set is used equally often, so that the time between two uses of one is the same for all.
  const int sets = plan.sets, launches = gates::cold_launches(protocol.launches, plan);
  std::vector<Racer> racers;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!standings[i].unavailable.empty()) continue;
    racers.push_back({entries[i].contender,
                      &standings[i],
                      {sets, launches, 1, 1, plan.emptied ? gates::emptying_bytes(protocol.l2_bytes) : 0},
                      {sets, launches, {}, 0, {}}});
  }
  race(racers, protocol);
  for (Racer& racer : racers) {
    if (!racer.standing->unavailable.empty() || racer.timed.samples_us.empty()) continue;
    racer.timed.median_us = measure::median(racer.timed.samples_us);
    racer.timed.ci95 = measure::median_interval(racer.timed.samples_us);
    racer.standing->*place = std::move(racer.timed);
  }
}

}  // namespace

BufferSets buffer_sets(std::int64_t bytes, std::int64_t l2_bytes) {
  const std::int64_t set = std::max<std::int64_t>(bytes, 1);
  const auto hot = std::clamp<std::int64_t>(l2_bytes / 2 / set, 1, 8);
  return {static_cast<int>(hot), gates::cold_plan(bytes, l2_bytes)};
}

std::vector<Standing> measure_side_by_side(const std::vector<Entry>& entries, const model::Case& bound,
                                           const oracle::InputBuffers& inputs,
                                           const SampledReference& reference,
                                           const model::Tolerance& tolerance, const Protocol& protocol) {
  std::vector<Standing> standings;
  for (const Entry& entry : entries) {
    Standing& standing = standings.emplace_back();
    standing.contender = entry.contender->name();
    const auto output = entry.contender->compute(bound, inputs);
    if (!output) {
      standing.unavailable = output.error();
    } else if (entry.computes) {
      standing.check =
          reference.check(*output, tolerance, entry.contender->adds_in_tensor_cores() ? protocol.cut_off : 0);
      if (!standing.check->pass) standing.unavailable = "its output is wrong: " + standing.check->text;
    }
    if (!standing.unavailable.empty()) entry.contender->release();
  }
  const auto [hot, cold] = buffer_sets(oracle::case_bytes(bound), protocol.l2_bytes);
  run_rounds(entries, standings, {hot, false}, &Standing::hot, protocol);
  if (protocol.cold) run_rounds(entries, standings, cold, &Standing::cold, protocol);
  for (const Entry& entry : entries) entry.contender->release();
  return standings;
}

}  // namespace evo::evaluators::benchmark
