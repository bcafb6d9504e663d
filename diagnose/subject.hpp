// What is diagnosed: a source and a genome of a template, with all that is needed to run and judge it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/oracle/catalogue.hpp"
#include "model/experiment.hpp"
#include "model/variant.hpp"

namespace evo::diagnose {

/// Text and genome together: what reductions vary.
struct Candidate {
  std::string source;  ///< the template's text, before genes are put in front
  model::Genome genome;
};

struct Subject {
  std::string title;  ///< "naive_tiles.cu" or "variant 0123456789abcdef of runs/x"
  model::Problem problem;
  evaluators::oracle::Catalogue known;  ///< what the problem's names mean
  model::Template kernel_template;      ///< its source is the diagnosed one
  model::Space space;                   ///< bound
  Candidate candidate;
  model::TargetProfile target;
  model::Tolerance tolerance;
  std::vector<model::InputSet> input_sets;  ///< of the accuracy class
  /// Sets that nobody declared and the correctness gate adds (oracle::structured_sets()); for what fails on
  /// no other.
  std::vector<model::InputSet> undeclared_sets;
  model::GateSettings settings;
  std::uint64_t input_seed = 1;
  std::vector<model::Workload> workloads;  ///< what is tried, with a value for every axis
  /// Shapes that nobody declared and the correctness gate draws; for what fails at no other.
  std::vector<model::Workload> drawn;
  std::optional<model::Error> unbound;   ///< why shapes or launches cannot be resolved
  std::optional<std::string> violation;  ///< the constraint that the genome breaks
  /// The template's own text where the diagnosed one is another, and the genome that the run (or the
  /// template) began with where that is another.
  std::optional<std::string> known_source;
  std::optional<model::Genome> known_genome;

  [[nodiscard]] const std::string& file() const { return kernel_template.source_file; }
  /// The sets of the accuracy class, and behind them those that nobody declared.
  [[nodiscard]] const model::InputSet& set(std::size_t index) const {
    return index < input_sets.size() ? input_sets[index] : undeclared_sets.at(index - input_sets.size());
  }
};

/// How near two results of FP32 arithmetic are that mean the same: the class's relative bound, but for one
/// that is a mere ceiling above a rule that follows the data.
[[nodiscard]] inline double close_error(const Subject& subject) {
  constexpr double most = 1e-3;
  const double bound = subject.tolerance.relative_frobenius;
  return subject.tolerance.reference_factor && bound > most ? most : bound;
}

/// True for what the virtual device does not follow in all of its variants, as the template says: a GPU is
/// asked first.
[[nodiscard]] inline bool needs_gpu(const Subject& subject) {
  return !subject.kernel_template.sync_checkable;
}

/// What a person wrote that cannot be diagnosed: the exit code is that of an invalid configuration.
[[nodiscard]] model::Exception invalid(const std::string& message);

/// Takes the template of `experiment` called `template_name`, with `genome`. `source` replaces its text and
/// `source_file` its name, where given. Throws model::Exception(invalid_configuration) for an unknown
/// template, accuracy class or input set.
[[nodiscard]] Subject make_subject(const model::Experiment& experiment, const std::string& template_name,
                                   const model::Genome& genome, evaluators::oracle::Catalogue known,
                                   const std::optional<std::string>& source = std::nullopt,
                                   const std::string& source_file = {});

}  // namespace evo::diagnose
