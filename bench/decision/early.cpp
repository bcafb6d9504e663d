#include "bench/decision/early.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/decision/noise.hpp"
#include "bench/decision/sequential.hpp"
#include "engine/early_pairings.hpp"
#include "engine/promotion_error.hpp"
#include "engine/verdicts.hpp"
#include "model/experiment.hpp"

namespace evo::bench {
namespace {

using engine::EarlyPairings;
using engine::TrialRecord;

constexpr int candidates = 400, gain_every = 40;
constexpr double gain = 0.98;
/// In times of an evaluation: a whole comparison, of 128 rounds, takes as long as ten.
constexpr double evaluation = 1, round_cost = 10.0 / 128;

/// A comparison that has begun and that the clock has not yet ended.
struct Open {
  std::string candidate, incumbent;
  double error = 0;
  bool on_device = false, answered = false;
  evaluators::Paired result{};
};

/// Comparisons wait in it for a clock that the simulation turns.
class Device final : public evaluators::Evaluator {
 public:
  [[nodiscard]] evaluators::EvaluatorInfo info() const override { return {}; }
  [[nodiscard]] evaluators::Prepared prepare(const model::Variant&) override { return {}; }
  [[nodiscard]] evaluators::Evaluation evaluate(const evaluators::Prepared&) override { return {}; }
  [[nodiscard]] std::optional<evaluators::Paired> time_paired(const model::Variant& candidate,
                                                              const model::Variant& incumbent,
                                                              double error) override {
    auto mine = std::make_shared<Open>();
    mine->candidate = candidate.id;
    mine->incumbent = incumbent.id;
    mine->error = error;
    std::unique_lock lock(mutex);
    open.push_back(mine);
    changed.notify_all();
    changed.wait(lock, [&] { return mine->answered; });
    return mine->result;
  }
  void answer(const std::shared_ptr<Open>& one) {
    const std::scoped_lock lock(mutex);
    one->answered = true;
    std::erase(open, one);
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::shared_ptr<Open>> open;  ///< guarded by mutex
};

struct Setting {
  int gpus = 1;
  bool early = false;
  bool gains = false;
  int in_flight = 8;
  double rest = 1;  ///< what candidates that are no gains take of the champion's time
};

struct Outcome {
  int wrong = 0, gains = 0, found = 0, comparisons = 0, thrown_away = 0;
  double time = 0, compared = 0, wasted = 0;  ///< in evaluations; the last two of a device
};

class Run {
 public:
  Run(const Setting& setting, const Noise& noise, double margin, std::uint64_t number)
      : setting_(setting),
        noise_(noise),
        margin_(margin),
        number_(number),
        error_(model::GateSettings{}.promotion_error, candidates),
        early_(device_, setting.gpus),
        draws_({.seed = number, .generation = 0, .slot = 0, .purpose = "early latencies"}) {
    champion_ = trial(0, 1);
    truth_["v0"] = 1;
  }

  Outcome run() {
    while (committed_ < candidates) {
      propose();
      look_ahead();
      start();
      if (!commit()) advance();
    }
    // What still runs is asked by nobody.
    while (early_.at_work() > 0) {
      settle();
      std::vector<std::shared_ptr<Open>> left;
      {
        const std::scoped_lock lock(device_.mutex);
        left = device_.open;
      }
      for (const auto& one : left) device_.answer(one);
      std::this_thread::yield();
    }
    return outcome_;
  }

 private:
  struct InFlight {
    TrialRecord trial;
    bool on_device = false, evaluated = false, gains = false;
  };
  struct Busy {
    double ends = 0;
    std::int64_t evaluated = -1;  ///< a trial's index, or
    std::shared_ptr<Open> compared{};
  };

  /// Measured alone, at its own moment.
  TrialRecord trial(std::int64_t index, double truth) {
    TrialRecord made;
    made.index = index;
    made.variant = "v" + std::to_string(index);
    made.status = model::Status::proven;
    const double us = truth * std::exp(noise_.common * draws_.normal());
    made.latencies.push_back({"w", 1, {model::LatencyKind::measured, us, {{us, us}}, 60, "clock"}});
    return made;
  }

  void propose() {
    while (asked_ < candidates && asked_ < committed_ + setting_.in_flight) {
      const std::int64_t index = ++asked_;
      InFlight next;
      next.gains = setting_.gains && index % gain_every == 0;
      const double truth = truth_.at(champion_.variant) * (next.gains ? gain : setting_.rest);
      next.trial = trial(index, truth);
      truth_[next.trial.variant] = truth;
      in_flight_.push_back(std::move(next));
    }
  }

  void look_ahead() {
    std::vector<EarlyPairings::Waiting> waiting;
    for (const InFlight& flying : in_flight_) {
      if (flying.evaluated) {
        auto prepared = std::make_shared<evaluators::Prepared>();
        prepared->variant.id = flying.trial.variant;
        waiting.push_back({&flying.trial, std::move(prepared)});
      }
      if (!setting_.early) break;  // the next to be committed, and no other
    }
    early_.look_ahead(
        champion_, waiting, margin_, [this](std::int64_t open) { return error_.next(open); },
        [](const TrialRecord& of) {
          model::Variant variant;
          variant.id = of.variant;
          return variant;
        });
    settle();
  }

  /// Until all that have begun wait for the clock, and all that the clock has ended are over.
  void settle() {
    std::unique_lock lock(device_.mutex);
    while (true) {
      lock.unlock();
      const auto running = static_cast<std::size_t>(early_.at_work());
      lock.lock();
      if (device_.open.size() == running) return;
      device_.changed.wait_for(lock, std::chrono::microseconds(20));
    }
  }

  /// Comparisons come first, then the trial that was proposed first.
  void start() {
    {
      const std::scoped_lock lock(device_.mutex);
      std::ranges::sort(device_.open, {},
                        [](const auto& one) { return std::stoi(one->candidate.substr(1)); });
      for (const auto& one : device_.open) {
        if (one->on_device || !has_free()) continue;
        one->on_device = true;
        busy_.push_back({now_ + compare_now(*one), -1, one});
      }
    }
    for (InFlight& flying : in_flight_) {
      if (flying.on_device || !has_free()) continue;
      flying.on_device = true;
      busy_.push_back({now_ + evaluation, flying.trial.index, nullptr});
    }
  }
  [[nodiscard]] bool has_free() const { return busy_.size() < static_cast<std::size_t>(setting_.gpus); }

  /// What it comes to; its time.
  double compare_now(Open& one) {
    Sequential how{{0, {8, 16, 32, 64}}, 2, true, 4, 2};
    how.plan.error = 2 * one.error;
    Turns turns(noise_, truth_.at(one.candidate) / truth_.at(one.incumbent), number_,
                static_cast<std::uint64_t>(++outcome_.comparisons));
    const Ended ended = compare(turns, how, margin_);
    const double time = turns.rounds() * round_cost;
    outcome_.compared += time;
    // Only the end counts; the interval says which.
    const double ratio = ended.promoted ? 0.5 : 1;
    one.result = {};
    model::PairedComparison& comparison = one.result.comparison.emplace();
    comparison.incumbent = one.incumbent;
    comparison.ratio = ratio;
    comparison.interval = {ratio - 0.1, ratio + 0.1};
    comparison.confidence = 0.999;
    comparison.rounds = static_cast<std::uint32_t>(turns.rounds());
    comparison.error = ended.decided ? one.error : 0;
    one.result.device_seconds = time;
    return time;
  }

  bool commit() {
    if (in_flight_.empty() || !in_flight_.front().evaluated) return false;
    TrialRecord& next = in_flight_.front().trial;
    if (needs_pairing(next, champion_)) {
      if (!early_.has_ended(next.index, champion_.variant, error_.next())) return false;
      keep_pairing(next, early_.take(next.index, champion_.variant, error_.next()));
    }
    outcome_.wasted += early_.wasted(next.index);
    compare_with_champion(next, champion_, margin_);
    // Another gain that its proposer could not see may have made it none.
    const bool is_gain = in_flight_.front().gains && truth_.at(next.variant) < truth_.at(champion_.variant);
    outcome_.gains += is_gain ? 1 : 0;
    const bool promoted = next.paired && next.status == model::Status::better;
    if (next.paired) error_.add(*next.paired, promoted);
    if (next.paired) ++used_;
    if (promoted) {
      ++(is_gain ? outcome_.found : outcome_.wrong);
      champion_ = next;
      champion_.status = model::Status::proven;
    }
    in_flight_.pop_front();
    ++committed_;
    outcome_.time = now_;
    outcome_.thrown_away = outcome_.comparisons - used_;
    return true;
  }

  void advance() {
    const auto next = std::ranges::min_element(busy_, {}, &Busy::ends);
    if (next == busy_.end()) throw std::logic_error("nothing runs and nothing can be committed");
    const Busy ended = *next;
    busy_.erase(next);
    now_ = ended.ends;
    if (ended.compared) device_.answer(ended.compared);
    for (InFlight& flying : in_flight_)
      if (flying.trial.index == ended.evaluated) flying.evaluated = true;
    settle();
  }

  const Setting setting_;
  const Noise& noise_;
  const double margin_;
  const std::uint64_t number_;
  engine::PromotionError error_;
  Device device_;
  EarlyPairings early_;
  model::RandomStream draws_;
  TrialRecord champion_;
  std::map<std::string, double> truth_;
  std::deque<InFlight> in_flight_;
  std::vector<Busy> busy_;
  std::int64_t asked_ = 0, committed_ = 0;
  int used_ = 0;
  double now_ = 0;
  Outcome outcome_;
};

struct Sum {
  int wrong_runs = 0, wrong = 0, gains = 0, found = 0;
  double comparisons = 0, thrown_away = 0, time = 0, compared = 0, wasted = 0;
};

Sum run_all(int runs, const Setting& setting, const Noise& noise, double margin) {
  Sum sum;
  for (int number = 1; number <= runs; ++number) {
    const Outcome one = Run(setting, noise, margin, static_cast<std::uint64_t>(number)).run();
    sum.wrong_runs += one.wrong > 0 ? 1 : 0;
    sum.wrong += one.wrong;
    sum.gains += one.gains;
    sum.found += one.found;
    sum.comparisons += one.comparisons;
    sum.thrown_away += one.thrown_away;
    sum.time += one.time / runs;
    sum.compared += one.compared;
    sum.wasted += one.wasted;
  }
  return sum;
}

void print_setting(const Setting& setting, const Noise& noise, int runs, double margin) {
  Setting planted = setting, edge = setting;
  planted.gains = true;
  edge.rest = 1 - margin;
  const int few = std::max(runs / 10, 1);
  const Sum at_edge = run_all(runs, edge, noise, margin), copies = run_all(runs / 2, setting, noise, margin),
            gains = run_all(few, planted, noise, margin);
  const auto share = [](double part, double all) { return all > 0 ? 100 * part / all : 0; };
  fmt::print(
      "| {} | {} | {} of {} | {} of {} | {:.1f} % | {:.0f} | {} of {} | {} | {:.1f} % | {:.1f} % | {:.0f} "
      "|\n",
      setting.gpus, setting.early ? "early" : "at commit", at_edge.wrong_runs, runs, copies.wrong_runs,
      runs / 2, share(copies.wasted, copies.compared), copies.time, gains.found, gains.gains, gains.wrong,
      share(gains.thrown_away, gains.comparisons), share(gains.wasted, gains.compared), gains.time);
  std::fflush(stdout);
}

}  // namespace

void print_early(int runs, std::size_t noise, double margin) {
  const std::vector<Noise> all = modelled_noises();
  fmt::print(
      "{}\n{} runs of {} candidates that are faster by the margin of {} % and no more, {} of as many copies, "
      "{} with one that is {:.0f} % faster in every {}; alpha {} %; 8 in flight for each GPU; time in "
      "evaluations, of which a comparison of 128 rounds takes {}\n\n"
      "| GPUs | comparisons | edge: runs that promote one | copies: runs that promote one | copies: thrown "
      "away, "
      "of the comparisons' device time | time | gains found | promotions of what is not faster | comparisons "
      "thrown away | of their device time | time |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      all.at(noise).name, runs, candidates, 100 * margin, runs / 2, std::max(runs / 10, 1), 100 * (1 - gain),
      gain_every, 100 * model::GateSettings{}.promotion_error, 128 * round_cost);
  for (const int gpus : {1, 2, 4, 8}) {
    for (const bool early : {false, true})
      print_setting({gpus, early, false, 8 * gpus, 1}, all.at(noise), runs, margin);
  }
}

}  // namespace evo::bench
