// Where derived cases are put: each is bound, named and left out where the genome cannot launch it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evaluators/gates/case_matrix.hpp"
#include "model/random.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Thread instructions of a reference for a value of a scalar that nobody gave, on a small workload.
inline constexpr std::uint64_t budget_of_a_scalar = std::uint64_t{1} << 26;

class CaseBuilder {
 public:
  /// Holds references to `context` and `genome`. `static_smem`: bytes of each entry. The same `entropy` gives
  /// the same cases, if they are asked for in the same order.
  CaseBuilder(const TemplateContext& context, const model::Genome& genome,
              std::vector<std::int64_t> static_smem, std::uint64_t entropy);

  /// `workload` with `changes` as a case of this name, unless it does not bind or the target does not launch
  /// it. A `reference_budget` of 0 is the usual one.
  void add(CaseUse use, const model::Workload& workload, const std::string& name,
           const model::CaseChanges& changes = {}, std::uint64_t reference_budget = 0);
  /// The same under the name of the workload and the changed scalars, which may be no values of the problem:
  /// as the count of a loop a large one would take hours.
  void add_named(CaseUse use, const model::Workload& workload, const model::Case& bound,
                 const model::CaseChanges& changes);
  /// One scalar with another value; within a range those that belong to it go along.
  void add_scalar(CaseUse use, const model::Workload& workload, const model::Case& bound, std::size_t scalar,
                  double value);
  [[nodiscard]] model::Expected<model::Case> bind(const model::Workload& workload,
                                                  const model::CaseChanges& changes = {}) const;

  [[nodiscard]] const TemplateContext& context() const { return context_; }
  [[nodiscard]] const model::Genome& genome() const { return genome_; }
  [[nodiscard]] const model::Problem& problem() const { return context_.experiment->problem; }
  /// Does the problem declare a range of that scalar which does not hold `value`?
  [[nodiscard]] bool is_beyond_range(std::size_t scalar, double value) const;
  /// What strides and factors are drawn from.
  [[nodiscard]] model::RandomStream& stream() { return stream_; }
  [[nodiscard]] std::vector<DerivedCase> take() { return std::move(cases_); }

 private:
  const TemplateContext& context_;
  const model::Genome& genome_;
  std::vector<std::int64_t> static_smem_;
  model::RandomStream stream_;
  std::vector<DerivedCase> cases_;
};

}  // namespace evo::evaluators::gates
