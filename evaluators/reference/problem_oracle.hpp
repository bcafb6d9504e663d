// All oracles of a problem as one: what the first of them says that has an answer, if the others say the
// same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "model/oracle_source.hpp"

namespace evo::evaluators::reference {

/// One of them. Exactly one of the two is set.
struct Witness {
  std::string name;  ///< "expression", "kernel reference.cu", as messages say it
  std::shared_ptr<const oracle::ComputedOracle> computed{};
  std::optional<oracle::Oracle> builtin{};
  /// The relative rounding of its answers: 2^-53, or that of the type that it was recorded in.
  double rounding = 0x1p-53;
};

/// Two answers are alike if they differ, relative to the norm, by no more than the rounding of the coarser
/// one allows after a long sum. Error: they are not, with the place and both values; or one has none.
class ProblemOracle final : public oracle::ComputedOracle {
 public:
  ProblemOracle(std::vector<Witness> witnesses, model::OracleParts parts)
      : witnesses_(std::move(witnesses)), parts_(std::move(parts)) {}

  [[nodiscard]] bool can_answer(const model::Case& bound, const oracle::InputBuffers& inputs) const override;
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute(
      const model::Case& bound, const oracle::InputBuffers& inputs) const override;
  [[nodiscard]] bool computes_rows(const model::Case& bound) const override;
  /// All of them do: the slowest decides.
  [[nodiscard]] bool prefers_whole(const model::Case& bound) const override;
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute_rows(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;
  [[nodiscard]] model::Expected<std::optional<oracle::ReferenceOutputs>> compute_plain(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;
  /// Of the first that can.
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> compute_otherwise(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> compute_rounded(const model::Case& bound,
                                                                        const oracle::InputBuffers& inputs,
                                                                        std::uint64_t draw) const override;
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> compute_with_other_quotients(
      const model::Case& bound, const oracle::InputBuffers& inputs, std::uint64_t draw) const override;
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> compute_rounded_in_f64(
      const model::Case& bound, const oracle::InputBuffers& inputs, std::uint64_t draw) const override;
  /// Those of the first that has them.
  [[nodiscard]] std::optional<oracle::ExactWords> compute_words(
      const model::Case& bound, const oracle::InputBuffers& inputs) const override;
  /// Of the first that counts.
  [[nodiscard]] std::optional<std::uint64_t> effort(const model::Case& bound,
                                                    const oracle::InputBuffers& inputs) const override;
  [[nodiscard]] std::optional<double> depth(const model::Case& bound) const override;
  /// Those of the first that has any.
  [[nodiscard]] std::vector<oracle::OracleMutant> mutants(const model::Case& bound) const override;
  [[nodiscard]] const model::OracleParts* parts() const override { return &parts_; }
  [[nodiscard]] std::optional<model::Expected<oracle::InputBuffers>> recorded_inputs(
      const model::Case& bound) const override;

 private:
  std::vector<Witness> witnesses_;
  model::OracleParts parts_;
};

}  // namespace evo::evaluators::reference
