// A formula of the problem's own (model/formula.hpp) as its oracle, in fp64.
#pragma once

#include <span>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "model/formula.hpp"

namespace evo::evaluators::oracle {

class ExpressionOracle final : public ComputedOracle {
 public:
  explicit ExpressionOracle(std::vector<model::OracleStatement> texts) : texts_(std::move(texts)) {}
  /// Of statements that were parsed for the case that will be asked about: a mutant.
  explicit ExpressionOracle(std::vector<model::formula::Statement> parsed) : parsed_(std::move(parsed)) {}

  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const override;
  /// Where there is one output, and no statement after its own.
  [[nodiscard]] bool computes_rows(const model::Case& bound) const override;
  [[nodiscard]] model::Expected<ReferenceOutputs> compute_rows(
      const model::Case& bound, const InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case& bound, const InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;
  /// The product of the extents of nested reductions, the largest of all statements.
  [[nodiscard]] std::optional<double> depth(const model::Case& bound) const override;
  [[nodiscard]] std::vector<OracleMutant> mutants(const model::Case& bound) const override;

 private:
  [[nodiscard]] model::Expected<std::vector<model::formula::Statement>> parsed_for(
      const model::Case& bound) const;

  std::vector<model::OracleStatement> texts_;
  std::vector<model::formula::Statement> parsed_;
};

}  // namespace evo::evaluators::oracle
