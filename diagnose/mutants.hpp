// A source with one small change: what a slip of the pen would have to be undone by. Which of them makes a
// wrong kernel correct says where the mistake is, and what it is.
#pragma once

#include <string>
#include <vector>

#include "diagnose/variables.hpp"

namespace evo::diagnose {

struct Mutant {
  /// comparison, constant, bound, condition, exchange, guard, start, rescale, factor, function, arithmetic,
  /// grouping, operand, arguments, index, order, removal, width, type, initialiser, infinity, reset, atomic,
  /// fence
  std::string kind;
  int line = 0;        ///< of the change
  std::string source;  ///< as a whole
  std::string text;    ///< "`i <= n` in place of `i < n`"
  std::string with;    ///< what stands there now: a name, a number; "" where it is more
};

/// What the parameters of the kernels that are launched are, by their names in this source, each once.
struct KernelNames {
  std::size_t entry = 0;  ///< of SourceText::functions: the kernel that is launched first
  std::vector<std::string> float_scalars, integer_scalars, flags, inputs, outputs;
};

/// Changes of the given kinds, in the order of the kinds and then of the source; each source once.
[[nodiscard]] std::vector<Mutant> mutants_of(const std::string& source, const KernelNames& names,
                                             const std::vector<std::string>& kinds);

}  // namespace evo::diagnose
