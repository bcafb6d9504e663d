// What the gates would say of an answer, asked of the comparison alone: no kernel runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/oracle/reference_cache.hpp"
#include "evaluators/selftest/cases.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::selftest {

/// The correct answers to one case on the sets that the gates show a kernel: those of the accuracy class, and
/// behind them the structured ones that nobody declared (oracle/patterns.hpp). Throws
/// model::Exception(invalid_configuration) where the oracle has none.
class Question {
 public:
  /// `answers`: of the catalogue `subject.known`; both must outlive the question.
  Question(const Subject& subject, oracle::ReferenceCache& answers, const model::Case& bound);

  [[nodiscard]] std::size_t declared() const { return domain_.sets.size(); }
  [[nodiscard]] std::size_t sets() const { return sets_.size(); }
  [[nodiscard]] const model::InputSet& set(std::size_t s) const { return sets_[s]; }
  /// nullptr: no correct answer to this set can be judged.
  [[nodiscard]] const oracle::ReferenceData* reference(std::size_t s);
  [[nodiscard]] const model::Case& bound() const { return case_; }
  [[nodiscard]] const oracle::Oracle& oracle() const { return *oracle_; }
  /// Its answers, whatever the inputs are; nullopt where it has none to them.
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> answer(const oracle::InputBuffers& inputs) const;
  /// Whether `answer`, rounded to the outputs' types, is told from the reference of set `s`.
  [[nodiscard]] bool refused(std::size_t s, const oracle::ReferenceOutputs& answer);

 private:
  const Subject& subject_;
  model::Case case_;
  Domain domain_;
  std::vector<model::InputSet> sets_;
  const oracle::Oracle* oracle_ = nullptr;
  oracle::ReferenceCache& cache_;
  std::vector<std::optional<std::shared_ptr<const oracle::ReferenceData>>> references_;
};

}  // namespace evo::evaluators::selftest
