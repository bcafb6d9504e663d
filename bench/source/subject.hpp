// An experiment whose baseline's text the benches edit and prove.
#pragma once

#include <string>

#include "engine/search_space.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/edits.hpp"
#include "model/variant.hpp"
#include "mutators/source_mutator.hpp"
#include "session/evaluation_stack.hpp"
#include "session/load.hpp"

namespace evo::bench {

inline constexpr std::uint64_t bench_entropy = 7;

/// An experiment's baseline, whose source is what is edited.
class Subject {
 public:
  /// Throws model::Exception for an experiment that is none.
  explicit Subject(const std::string& file)
      : experiment_(session::load_experiment_or_throw(file, {})),
        space_(engine::make_search_space(experiment_)),
        entry_(space_.templates[space_.baseline_template]),
        stack_(experiment_, session::choose_device("virtual", experiment_.target), options()) {}

  /// As the source is now, with edits.
  evaluators::gates::GateReport prove(const source::Edits& edits) {
    ++proofs;
    return evaluators::gates::prove(
        stack_.ladder(),
        model::make_variant(entry_.kernel_template, entry_.space, model::with_edits(space_.baseline, edits)));
  }
  [[nodiscard]] mutators::EditedSource read() const {
    return mutators::edited_source(
        model::render_source(entry_.kernel_template, entry_.space, space_.baseline),
        model::render_entries(entry_.kernel_template, entry_.space, space_.baseline), threads_);
  }
  /// The edits become part of the source.
  void keep(const source::Edits& edits) {
    const source::Edited result = source::apply_edits(entry_.kernel_template.source, edits);
    entry_.kernel_template.source = result.text;
  }
  [[nodiscard]] const std::string& file() const { return entry_.kernel_template.source_file; }
  [[nodiscard]] const std::string& name() const { return experiment_.name; }

  /// Edits from here on know the block's size.
  void tell_threads(int threads) { threads_ = threads; }
  [[nodiscard]] const engine::SearchTemplate& entry() const { return entry_; }
  [[nodiscard]] const model::Genome& baseline() const { return space_.baseline; }

  int proofs = 0;

 private:
  static session::StackOptions options() {
    session::StackOptions result;
    result.threads = 2;
    result.input_seed = bench_entropy;
    return result;
  }

  model::Experiment experiment_;
  engine::SearchSpace space_;
  engine::SearchTemplate entry_;
  session::EvaluationStack stack_;
  int threads_ = 0;
};

}  // namespace evo::bench
