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
          {"noisy: turns 2 %, loads 0.1 %, 2 % outliers", 0.02, 0.001, 0.03, 0.02}};
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

void Turns::load() {
  for (double& effect : loaded_) effect = noise_.load * draws_.normal();
}

double Turns::turn(const std::vector<double>* runs) {
  if (runs != nullptr) return (*runs)[draws_.below(runs->size())];
  const double outlier = draws_.chance(noise_.outliers) ? 1.2 : 1;
  return outlier * std::exp(noise_.turn * draws_.normal());
}

std::array<double, 2> Turns::round() {
  ++rounds_;
  const double both = std::exp(noise_.common * draws_.normal());
  const double candidate = ratio_ * both * std::exp(loaded_[0]) * turn(candidate_);
  const double incumbent = both * std::exp(loaded_[1]) * turn(incumbent_);
  spent_ += candidate + incumbent;
  return {candidate, incumbent};
}

double Turns::alone(bool candidate) {
  if (!candidate) ++rounds_;
  const double both = std::exp(noise_.common * draws_.normal());
  const double us = candidate ? ratio_ * both * std::exp(loaded_[0]) * turn(candidate_)
                              : both * std::exp(loaded_[1]) * turn(incumbent_);
  spent_ += us;
  return us;
}

}  // namespace evo::bench
