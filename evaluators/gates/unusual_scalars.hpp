// Scalars with values that the problem's own are far from: zero, of the other sign, a thousand times as
// large.
//
// A kernel may leave out work where a factor is zero, or take one to be positive. Whether the problem means
// such values nobody says: a scale of logits is positive, and kernels count on that; a factor of a sum may be
// anything. What the answer does tells them apart. Where it is a polynomial of the scalar (a + b s, or c
// s^2), no value of it is special; elsewhere the case is left out.
//
// An integer that the problem gives as a number (a window, a shift, a flag) gets other values near it, where
// the oracle answers them.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {

/// For a floating-point scalar that is `usual` where nobody changes it.
[[nodiscard]] std::vector<double> unusual_values(double usual, model::RandomStream& stream);

/// For an integer that the problem gives as a number: its neighbours that the same powers of two divide, so
/// that a count of vectors stays one; of a power of two its half and its double. A flag gets its other value,
/// and 2. Those that the type holds.
[[nodiscard]] std::vector<std::int64_t> other_integers(std::int64_t usual, model::DType dtype);

/// Such an integer far from the usual value: with the other sign, 0, and more by 2^8 and by 2^16, where it is
/// less than that, which a kernel that keeps it in 8 or 16 bits takes for the usual value; 1, -1, powers of
/// two and numbers of several magnitudes and both signs, others for each seed. Those that the type holds,
/// each once, without the usual value and other_integers(); what tells most stands first.
[[nodiscard]] std::vector<std::int64_t> far_integers(std::int64_t usual, model::DType dtype,
                                                     std::uint64_t seed);

/// Has `bound` an integer there that is neither `declared`'s nor one of other_integers() of that?
[[nodiscard]] bool is_far_integer(const model::Case& declared, const model::Case& bound, std::size_t scalar);

/// Is the scalar an integer that is a number, and may kernels be shown another?
[[nodiscard]] bool may_be_another(const model::Argument& scalar);

/// False for a set at the ends of a type where the problem does not select, see selecting.hpp. False for a
/// check of a case with CaseUse::unusual where the answer to these inputs is not a polynomial of the scalar
/// of third degree at most, or not finite. Of an integer: where the oracle has no answer (an index out of
/// range, elements that stay unwritten), or the same answer as to the usual value or to another of
/// other_integers(): then it may be a flag or a name, of which 2 says nothing. Of one that is none of those
/// (scalar_use.hpp, far_integers()) also where all of the answer is one number, and where the next one and
/// one twice as far from 0 have the same answer, or none, and where it passes another integer (the other end
/// of a clamp) and leaves few different numbers. True for all others, among them CaseUse::ranged: what is in
/// a range that the problem declares needs to have an answer, and no more.
[[nodiscard]] bool asks_what_is_meant(const JobContext& context, const Check& check);

/// False where the reference has no answer: its oracle says so, or a scalar with a value that no expression
/// of the problem gives (CaseUse::changed, rescaled, unusual, ranged) made a NaN or an infinity of it. The
/// root of a variance has none where a factor of it is drawn above 1; with the problem's own values it has
/// one, and that is asked.
[[nodiscard]] bool has_an_answer(const JobContext& context, const Check& check,
                                 const oracle::ReferenceData& reference);

}  // namespace evo::evaluators::gates
