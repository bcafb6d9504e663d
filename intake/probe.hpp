// Asks NVRTC about a kernel: what its parameters are, which names it leaves open, what its code does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluators/compile/compiler.hpp"
#include "intake/host_code.hpp"
#include "intake/ptx_use.hpp"
#include "intake/struct_layout.hpp"

namespace evo::intake {

struct ProbeQuestion {
  std::string source;
  std::string file;   ///< its path: headers are looked for beside it
  std::string entry;  ///< "ns::add<float, 4>"
  std::string arch;   ///< "sm_89"
  std::size_t parameters = 0;
  std::vector<std::string> parameter_types;  ///< as the text has them; may be empty
  /// Macros and their values, in front of the source.
  std::vector<std::pair<std::string, std::string>> macros;
  bool find_macros = true;  ///< define names that the compiler misses; false: they are errors
  std::string prologue;     ///< between the macros and the source
  std::string epilogue;     ///< behind the source, on lines of its own
};

struct ProbeAnswer {
  std::string source;  ///< that compiled: with host code cut where it had to be
  std::vector<Cut> cuts;
  std::map<std::string, std::string> headers;                ///< the user's, name to text
  std::vector<std::pair<std::string, std::string>> fetched;  ///< of those not beside the source: name, path
  std::vector<std::string> notes;                            ///< what was added
  std::vector<std::string> missing;  ///< names that it leaves open, in the order found
  std::vector<std::string> types;    ///< of the parameters, as C++ has them: "float const*"; empty: not known
  std::map<std::size_t, StructLayout> layouts;   ///< of parameters that are structs by value
  std::map<std::size_t, StructLayout> pointees;  ///< of parameters that point to structs
  std::vector<ParameterSlot> slots;              ///< the parameters, in the place of a struct its members
  model::Artifact artifact;
  KernelUse use;  ///< by slots
};

/// The value that an open name has while one asks.
[[nodiscard]] std::string trial_value(const std::string& name);

/// The compile of an answer's text with other macros, or another instance, than it was asked with.
[[nodiscard]] evaluators::compile::CompileRequest compile_of(const ProbeQuestion& question,
                                                             const ProbeAnswer& answer);

/// How the compiler spells `type` behind the answer's text, with the names of namespace `within` in sight:
/// "float" of a typedef. Nothing where it does not compile.
[[nodiscard]] std::optional<std::string> spelling_of(evaluators::compile::Compiler& compiler,
                                                     const ProbeQuestion& question, const ProbeAnswer& answer,
                                                     const std::string& type, const std::string& within);

/// The failure is the compiler's, of the last text that was tried. Throws model::Exception(environment)
/// without NVRTC.
[[nodiscard]] tl::expected<ProbeAnswer, model::Failure> probe(evaluators::compile::Compiler& compiler,
                                                              const ProbeQuestion& question);

}  // namespace evo::intake
