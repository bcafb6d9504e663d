#include "bench/search/screen_models.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "engine/statistics.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/error.hpp"
#include "model/random.hpp"
#include "mutators/sampling.hpp"

namespace evo::bench {
namespace {

/// Standard normal, always the same for this text and seed.
double normal_of(const std::string& text, std::uint64_t seed) {
  model::RandomStream random({seed, 0, 0, text});
  return random.normal();
}

double sum_of_genes(const std::string& name, const model::Genome& genome, std::uint64_t seed) {
  double sum = 0;
  for (const auto& [gene, value] : genome.values())
    sum += normal_of(fmt::format("{} {}={}", name, gene, model::to_string(value)), seed);
  return sum;
}

}  // namespace

ScreenSample screen_sample(const Landscape& landscape) {
  constexpr int draws = 1000;
  model::RandomStream random({1, 0, 0, "sample"});
  ScreenSample sample;
  for (int i = 0; i < draws; ++i) {
    const auto& entry = landscape.space.templates[random.below(landscape.space.templates.size())];
    const auto genome = mutators::random_legal(entry.space, random);
    if (!genome) continue;
    const auto latency = landscape.latency(entry.kernel_template.name, *genome);
    if (!latency) continue;
    sample.genomes.emplace_back(entry.kernel_template.name, *genome);
    sample.logs.push_back(std::log(*latency));
  }
  return sample;
}

ScreenModel screen_model(const Landscape& landscape, const ScreenSample& sample, const std::string& name,
                         std::uint64_t seed) {
  const engine::Moments moments = engine::moments(sample.logs);
  const double spread = std::sqrt(moments.variance);
  double signal = 0, noise = 0, genes = 0;
  if (name == "exact") {
    signal = 1;
  } else if (name == "inverse") {
    signal = -1;
  } else if (name == "noise") {
    noise = 1;
  } else if (name == "genes") {
    genes = 1;
  } else {
    char* end = nullptr;
    const double rank = std::strtod(name.c_str(), &end);
    if (*end != '\0' || !(rank > 0 && rank < 1))
      throw model::Exception(model::ExitCode::usage,
                             fmt::format("no model '{}': exact, 0.85, noise, genes or inverse", name));
    // Pearson's correlation of two normal variables whose ranks have this one.
    const double linear = 2 * std::sin(std::numbers::pi * rank / 6);
    signal = 1;
    noise = spread * std::sqrt(1 / (linear * linear) - 1);
  }
  ScreenModel model;
  model.latency = [&landscape, seed, signal, noise, genes, spread, middle = moments.mean](
                      const std::string& template_name, const model::Genome& genome) {
    const std::string key = engine::genome_key(template_name, genome);
    const auto latency = landscape.latency(template_name, genome);
    const double log = latency ? std::log(*latency) : middle + spread * normal_of("failed " + key, seed);
    double value = signal * log;
    if (noise > 0) value += noise * normal_of(key, seed);
    if (genes > 0) value += genes * sum_of_genes(template_name, genome, seed);
    return std::exp(value);
  };
  std::vector<double> says;
  for (const auto& [template_name, genome] : sample.genomes)
    says.push_back(model.latency(template_name, genome));
  model.spearman = evaluators::measure::spearman(says, sample.logs);
  return model;
}

}  // namespace evo::bench
