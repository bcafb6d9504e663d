// The reference of a problem from a file of the user's: as it is, or with what it takes to be called so.
#pragma once

#include <string>
#include <vector>

#include "evaluators/compile/compiler.hpp"
#include "intake/ptx_use.hpp"
#include "intake/signature.hpp"

namespace evo::intake {

/// A parameter of the problem, for the reference's call.
struct ReferenceParameter {
  std::string name, dtype;
  bool array = false;
  bool written = false;  ///< an output or an inout
  std::string path{};    ///< "d.rows", of a member of a struct that the kernel takes by value
  bool texels = false;   ///< a texture or surface of the kernel: the reference gets its array
};

struct Reference {
  std::string text;   ///< of reference.cu
  std::string entry;  ///< in it
  KernelText kernel;  ///< as the user's file has it
  std::string file;   ///< the user's
  std::vector<std::string> notes;
  KernelUse use;             ///< by the problem's parameters
  model::Artifact artifact;  ///< takes the problem's parameters, double for what floats
};

/// The parameters of the kernel that FILE or FILE:ENTRY means, as its text has them. Throws as
/// read_reference().
[[nodiscard]] std::vector<Parameter> reference_parameters(const std::string& argument);

/// Reads FILE or FILE:ENTRY and matches its parameters with the problem's: by name, or by place where there
/// are as many. A file that does not say EVO_REAL, or takes arrays of float beside it, computes in
/// float: its float is made double. So is its double made EVO_REAL, unless the kernel computes in double,
/// too. `macros` are values of genes that the file may mention. Throws model::Exception: (usage) for a file
/// or entry that is not there, (invalid_configuration) for parameters that cannot be matched and for what
/// does not compile.
[[nodiscard]] Reference read_reference(evaluators::compile::Compiler& compiler, const std::string& argument,
                                       const std::vector<ReferenceParameter>& parameters,
                                       const std::vector<std::pair<std::string, std::string>>& macros,
                                       const std::string& arch, bool kernel_in_double);

/// reference.cu to be filled in; `elements` is what threads are counted by, empty: there are no more than
/// that.
[[nodiscard]] std::string reference_stub(const std::vector<ReferenceParameter>& parameters,
                                         const std::string& output, const std::string& elements);

}  // namespace evo::intake
