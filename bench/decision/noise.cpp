#include "bench/decision/noise.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/measure/statistics.hpp"
#include "evaluators/process/capture.hpp"
#include "model/error.hpp"

namespace evo::bench {

namespace json = boost::json;

std::vector<Noise> modelled_noises() {
  return {{"quiet: turns 0.3 %, loads 0.05 %", 0.003, 0.0005, 0.01, 0},
          {"loads: turns 0.3 %, loads 0.3 %", 0.003, 0.003, 0.01, 0},
          {"noisy: turns 2 %, loads 0.1 %, 2 % outliers", 0.02, 0.001, 0.03, 0.02},
          {.name = "far loads: turns 0.3 %, loads 1 %", .turn = 0.003, .load = 0.01, .common = 0.01},
          {.name = "farther loads: turns 0.3 %, loads 3 %", .turn = 0.003, .load = 0.03, .common = 0.01},
          {.name = "heavy tails: turns 1 %, loads 0.3 %, t with 3 degrees",
           .turn = 0.01,
           .load = 0.003,
           .common = 0.01,
           .heavy = true},
          {.name = "heavy loads: turns 0.3 %, loads 1 %, t with 3 degrees",
           .turn = 0.003,
           .load = 0.01,
           .common = 0.01,
           .heavy = true},
          {.name = "drift: 0.2 % a turn, turns 0.3 %, loads 0.05 %",
           .turn = 0.003,
           .load = 0.0005,
           .drift = 0.002},
          {.name = "slow: 1 % for each kernel, correlation 0.7 from round to round",
           .turn = 0.003,
           .load = 0.0005,
           .common = 0.01,
           .slow = 0.01,
           .memory = 0.7},
          {.name = "slower: 1 % for each kernel, correlation 0.95",
           .turn = 0.003,
           .load = 0.0005,
           .common = 0.01,
           .slow = 0.01,
           .memory = 0.95},
          {.name = "slowest: 1 % for each kernel, correlation 0.995",
           .turn = 0.003,
           .load = 0.0005,
           .common = 0.01,
           .slow = 0.01,
           .memory = 0.995},
          {.name = "throttled: a fifth of the turns a tenth slower, five in a row",
           .turn = 0.003,
           .load = 0.0005,
           .common = 0.01,
           .throttled = 0.2}};
}

Noise recorded_configurations(const std::string& file) {
  const auto fail = [&](const std::string& message) {
    throw model::Exception(model::ExitCode::invalid_configuration, fmt::format("{}: {}", file, message));
  };
  if (!std::filesystem::exists(file)) fail("no such file");
  const auto gzip = evaluators::process::find_program("gzip");
  if (!gzip) throw model::Exception(model::ExitCode::environment, "gzip is not on the path");
  const auto captured = evaluators::process::run_captured({gzip->string(), "-dc", file},
                                                          std::chrono::minutes(2), std::size_t{1} << 30);
  boost::system::error_code failed;
  const json::value document = json::parse(captured.output, failed);
  if (captured.exit_code != 0 || failed || !document.is_object() || !document.as_object().contains("cache"))
    fail("it is no cache of Kernel Tuner's");
  Noise noise{std::filesystem::path(file).stem().stem().string(), 0, 0, 0, 0, {}};
  for (const auto& [key, entry] : document.at("cache").as_object()) {
    const auto* times = entry.as_object().if_contains("times");
    if (times == nullptr || !times->is_array() || times->as_array().size() < 8) continue;
    std::vector<double> runs;
    // The first is slow for reasons of its own; a turn begins with one that is not timed.
    for (std::size_t i = 1; i < times->as_array().size(); ++i)
      runs.push_back(times->as_array()[i].to_number<double>());
    if (!std::all_of(runs.begin(), runs.end(), [](double ms) { return ms > 0 && ms < 1e19; })) continue;
    noise.recorded.push_back(std::move(runs));
  }
  if (noise.recorded.empty()) fail("it holds no runs");
  return noise;
}

Noise recorded_noise(const std::string& file) {
  Noise noise = recorded_configurations(file);
  double best = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& runs : noise.recorded)
    best = std::min(best, evaluators::measure::median(runs));
  std::erase_if(noise.recorded, [&](const std::vector<double>& runs) {
    return evaluators::measure::median(runs) > 2 * best;
  });
  return noise;
}

Turns::Turns(const Noise& noise, double ratio, std::uint64_t seed, std::uint64_t number)
    : noise_(noise),
      ratio_(ratio),
      draws_({.seed = seed, .generation = number, .slot = 0, .purpose = "decision " + noise.name}) {
  if (!noise.recorded.empty()) candidate_ = incumbent_ = &noise.recorded[draws_.below(noise.recorded.size())];
}

Turns::Turns(const Noise& noise, const std::vector<double>& candidate, const std::vector<double>& incumbent,
             std::uint64_t number)
    : noise_(noise),
      ratio_(1),
      draws_({.seed = 1, .generation = number, .slot = 0, .purpose = "race " + noise.name}),
      candidate_(&candidate),
      incumbent_(&incumbent) {}

double Turns::deviate() {
  const double normal = draws_.normal();
  if (!noise_.heavy) return normal;
  double squares = 0;
  for (int k = 0; k < 3; ++k) {
    const double one = draws_.normal();
    squares += one * one;
  }
  // The variance of Student's t with 3 degrees of freedom is 3.
  return normal / std::sqrt(squares / 3) / std::sqrt(3.0);
}

void Turns::load() {
  for (double& effect : loaded_) effect = noise_.load * deviate();
}

double Turns::turn(const std::vector<double>* runs) {
  if (runs != nullptr) return (*runs)[draws_.below(runs->size())];
  const double outlier = draws_.chance(noise_.outliers) ? 1.2 : 1;
  return outlier * std::exp(noise_.turn * deviate());
}

double Turns::one(bool candidate) {
  const std::size_t side = candidate ? 0 : 1;
  double us = (candidate ? ratio_ : 1) * std::exp(loaded_[side] + slowly_[side] + noise_.drift * turns_++) *
              turn(candidate ? candidate_ : incumbent_);
  if (noise_.throttled > 0) {
    constexpr double ends = 0.2;  // five turns in the mean
    const double begins = ends * noise_.throttled / (1 - noise_.throttled);
    throttled_ = draws_.chance(throttled_ ? 1 - ends : begins);
    if (throttled_) us *= 1.1;
  }
  return us;
}

std::array<double, 2> Turns::round() {
  // As gates/paired.cpp: of two rounds each begins one.
  candidate_begins_ = rounds_ % 2 == 0 ? draws_.chance(0.5) : !candidate_begins_;
  ++rounds_;
  const double both = std::exp(noise_.common * draws_.normal());
  if (noise_.slow > 0) {
    const double fresh = rounds_ == 1 ? 1 : std::sqrt(1 - noise_.memory * noise_.memory);
    for (double& value : slowly_) value = noise_.memory * value + fresh * noise_.slow * draws_.normal();
  }
  std::array<double, 2> us{};
  for (const bool candidate : {candidate_begins_, !candidate_begins_})
    us[candidate ? 0 : 1] = both * one(candidate);
  spent_ += us[0] + us[1];
  return us;
}

double Turns::alone(bool candidate) {
  if (!candidate) ++rounds_;
  const double us = std::exp(noise_.common * draws_.normal()) * one(candidate);
  spent_ += us;
  return us;
}

}  // namespace evo::bench
