// What a module's code does with an integer that a kernel gets by value: which other values it may treat
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "evaluators/code/ptx_statements.hpp"
#include "model/artifact.hpp"
#include "model/dtype.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Of one parameter of an entry. Followed through registers that are written once and hold the parameter, its
/// negative or its complement, plus a number.
struct ScalarUse {
  std::set<std::int64_t> equal;  ///< asked for: the code compares the parameter with these for equality
  std::set<std::int64_t> above;  ///< something else may happen above these (setp, min): not at them
  std::set<std::int64_t> below;  ///< something else may happen below these (max)
  /// Bits that do not come through: a mask, a conversion or a load that is narrower than the type.
  std::set<std::uint64_t> lost;
  /// It goes through steps that spread its bits (xor, products with large numbers or of 64 bits, rotations).
  bool mixed = false;
  /// It says where, whether or how often something happens: in an address, a comparison, a division, a
  /// conversion to another kind of number, or anything that is not known.
  bool decides = false;

  void add(const ScalarUse& other);
};

/// Of the parameter with this index, which has `bytes`. Of PTX that evo cannot read, nothing but `decides`.
[[nodiscard]] ScalarUse use_of_scalar(const code::PtxModule& module, const std::string& entry,
                                      std::size_t parameter, std::int64_t bytes);

/// Values of a scalar that is `usual` where nobody changes it, which such code may treat otherwise: multiples
/// of the powers of two that divide `usual` beyond what it is compared with, one with a bit that is lost, one
/// with high bits where it is only mixed. Those that the type holds and a double, without `usual` and
/// other_integers(); each once, a few.
[[nodiscard]] std::vector<std::int64_t> telling_integers(const ScalarUse& use, std::int64_t usual,
                                                         model::DType dtype);

/// By the argument's index, for all scalars of the problem that may be another (unusual_scalars.hpp), as the
/// kernels of `bound` get them, and then far_integers() of the seed (unusual_scalars.hpp): all of them for up
/// to four such scalars, of more the first ones. Members of a struct that is a parameter are not followed,
/// and have the latter alone. Of a floating-point scalar that is a number: whole numbers with which the code
/// asks whether it is equal, three at most; a factor of 0 often has a path of its own.
[[nodiscard]] std::map<std::size_t, std::vector<std::int64_t>> telling_scalars(
    const model::Problem& problem, const model::Artifact& artifact, const model::Case& bound,
    std::uint64_t seed);

/// Of the same integers, by the argument's index: what the kernels' code asks whether they are equal to,
/// three numbers of each at most, without the one of `bound`.
[[nodiscard]] std::map<std::size_t, std::vector<std::int64_t>> equal_integers(const model::Problem& problem,
                                                                              const model::Artifact& artifact,
                                                                              const model::Case& bound);

}  // namespace evo::evaluators::gates
