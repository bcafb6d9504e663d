// What the checks of the self-test share.
#pragma once

#include <string>
#include <vector>

#include "evaluators/oracle/reference_cache.hpp"
#include "evaluators/selftest/selftest.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::selftest {

/// The experiment's accuracy class and its input sets. Throws model::Exception(invalid_configuration) if the
/// problem has no such class.
struct Domain {
  model::Tolerance tolerance;
  std::vector<model::InputSet> sets;
};
[[nodiscard]] Domain domain_of(const model::Experiment& experiment);

/// The problem's check workloads and the experiment's own, bound to the baseline; those that take no longer
/// than a moment to interpret, the most telling (most dimensions above 1) first. Where none is so small,
/// shapes that the correctness gate would draw. Never empty.
[[nodiscard]] std::vector<model::Case> small_cases(const model::Experiment& experiment);

/// A job on `cases` that proves and does not time, with few repetitions.
[[nodiscard]] gates::DeviceJob make_job(const Subject& subject, model::Artifact artifact,
                                        std::vector<model::Case> cases);

/// Compiles for the device that the jobs run on, or for the target where the device takes any code.
[[nodiscard]] tl::expected<model::Artifact, model::Failure> compile_for_device(
    const Subject& subject, compile::CompileRequest request);

/// "wrong (mismatch): O: ..." of a result's failure, or "passed".
[[nodiscard]] std::string describe(const model::Failure* failure);
[[nodiscard]] const model::Failure* failure_of(const gates::DeviceResult& result);

/// C++ type of an element in a generated kernel; 16-bit floats are `unsigned short`, their bits.
[[nodiscard]] std::string bits_type(model::DType dtype);
/// "const float* a, float* c, int n": parameters of a kernel that takes the case's arguments. `floats` names
/// the types of 16-bit floats by CUDA's names.
[[nodiscard]] std::string parameters(const model::Case& bound, bool floats);

/// `answers` keeps the correct ones, of the catalogue `subject.known`, from one check to the next.
[[nodiscard]] std::vector<Check> check_null_candidates(const Subject& subject,
                                                       oracle::ReferenceCache& answers);
[[nodiscard]] Check check_good_kernel(const Subject& subject);
[[nodiscard]] Check check_fast_and_slow(const Subject& subject);
[[nodiscard]] std::vector<Check> check_arguments(const Subject& subject, oracle::ReferenceCache& answers);
[[nodiscard]] std::vector<Check> check_mistakes(const Subject& subject, oracle::ReferenceCache& answers);

}  // namespace evo::evaluators::selftest
