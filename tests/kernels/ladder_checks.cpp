#include "tests/kernels/ladder_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <random>

#include "evaluators/gates/sanitize.hpp"
#include "tests/kernels/attention_genomes.hpp"
#include "tests/support/known.hpp"

namespace evo::tests {

model::Experiment small_attention_of(const std::string& kernel, std::int64_t head_dim) {
  model::Experiment experiment = small_attention(head_dim);
  experiment.accuracy_class = "fp32-softmax";
  experiment.baseline_template = kernel;
  experiment.baseline = experiment.problem.find_template(kernel)->space.initial();
  return experiment;
}

std::string take_out_constraint(model::Experiment& experiment, std::size_t position) {
  for (model::Template& kernel : experiment.problem.templates) {
    if (kernel.name != experiment.baseline_template) continue;
    std::vector<model::Constraint> others = kernel.space.constraints();
    const std::string reason = others.at(position).reason;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(position));
    kernel.space = model::Space(kernel.space.genes(), others, kernel.space.fixed());
    return reason;
  }
  throw std::runtime_error("no template " + experiment.baseline_template);
}

void expect_random_genomes_correct(const std::string& prefix, const Genes& small,
                                   const std::function<model::Experiment(std::int64_t)>& make) {
  const char* wanted = std::getenv((prefix + "_SAMPLES").c_str());
  const char* seed = std::getenv((prefix + "_SEED").c_str());
  const int samples = wanted != nullptr ? std::atoi(wanted) : 4;
  std::mt19937 random(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 11u);
  for (int proven = 0; proven < samples;) {
    const std::int64_t head_dim = std::array<std::int64_t, 4>{64, 64, 32, 128}[random() % 4];
    model::Experiment experiment = make(head_dim);
    const auto genome =
        random_full_strength_genome(baseline_space(experiment), random, wanted == nullptr ? small : Genes{});
    ASSERT_TRUE(genome);
    experiment.accuracy_class = accuracy_class_of(*genome);
    OnLadder ladder(experiment);
    const auto start = std::chrono::steady_clock::now();
    const auto report = ladder.prove(*genome);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const bool over_budget = !report.valid() && report.failure()->status == model::Status::over_budget;
    if (wanted != nullptr) {
      fmt::print("{:3} head_dim {} {:.1f} s: {}\n", proven, head_dim, took.count(),
                 report.valid() ? "correct" : report.failure()->reason);
      std::fflush(stdout);
    }
    if (over_budget) continue;
    EXPECT_TRUE(report.valid()) << genome->text() << "\n" << verdict(report);
    ++proven;
  }
}

std::vector<SharedMemoryUse> shared_memory_use(const model::Experiment& experiment, const Genes& genes) {
  const model::Template& kernel = *experiment.problem.find_template(experiment.baseline_template);
  const model::Space space = baseline_space(experiment);
  const model::Genome genome = with_genes(space.initial(), genes);
  SCOPED_TRACE(genome.text());
  EXPECT_EQ(space.violation(genome), std::nullopt);
  const auto artifact = compile_genome(kernel, space, genome);
  const auto bound =
      evaluators::gates::bind_variant(evaluators::gates::make_context(experiment, kernel), genome);
  EXPECT_TRUE(artifact) << words(artifact.error());
  EXPECT_TRUE(bound) << bound.error().text();
  if (!artifact || !bound) return {};
  evaluators::devices::VirtualDevice device(experiment.target);
  const auto report = evaluators::gates::sanitize(
      device, *artifact, bound->sanitize_shapes, {},
      {evo::tests::known(), experiment.problem.input_sets.front()}, experiment.gates);
  EXPECT_FALSE(report.failure) << words(*report.failure);
  EXPECT_EQ(report.notes.size(), bound->sanitize_shapes.size());
  std::vector<SharedMemoryUse> uses;
  for (const model::Evidence& note : report.notes) {
    const std::map<std::string, std::string> details(note.details.begin(), note.details.end());
    uses.push_back({std::stoll(details.at("predicted")), std::stoll(details.at("touched")), note.message});
  }
  return uses;
}

void expect_touched_to_the_end(const model::Experiment& experiment, const Genes& genes,
                               std::int64_t padding) {
  const std::vector<SharedMemoryUse> uses = shared_memory_use(experiment, genes);
  ASSERT_FALSE(uses.empty());
  const auto furthest = std::max_element(
      uses.begin(), uses.end(),
      [](const SharedMemoryUse& a, const SharedMemoryUse& b) { return a.touched < b.touched; });
  fmt::print("predicted {}, touched {}\n", furthest->predicted, furthest->touched);
  EXPECT_LE(furthest->touched, furthest->predicted) << furthest->message;
  EXPECT_LE(furthest->predicted - furthest->touched, padding) << furthest->message;
}

void PrintTo(const BarrierCase& site, std::ostream* out) {
  *out << site.name;
}

void expect_needed_or_not(const model::Experiment& experiment, const BarrierCase& site,
                          const std::set<std::string>& reasons) {
  OnLadder ladder(experiment);
  const model::Space space = ladder.space();
  const model::Genome genome = with_genes(space.initial(), site.genes);
  ASSERT_EQ(space.violation(genome), std::nullopt);
  const auto report = ladder.prove(genome);
  if (site.enough) {
    EXPECT_TRUE(report.valid()) << verdict(report);
    return;
  }
  ASSERT_FALSE(report.valid()) << "a race that nobody saw";
  EXPECT_EQ(report.failed_gate(), "sanitize") << verdict(report);
  EXPECT_TRUE(reasons.contains(report.failure()->reason)) << verdict(report);
  const model::Evidence& first = report.failure()->evidence.front();
  if (site.file.empty()) {
    EXPECT_TRUE(first.file.ends_with(".cu") || first.file.ends_with(".cuh")) << first.file;
  } else {
    EXPECT_EQ(first.file, site.file);
  }
  EXPECT_GT(first.line, 0);
}

}  // namespace evo::tests
