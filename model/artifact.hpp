// What the compiler made of a variant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::model {

/// The compiler's resource lines (ptxas -v) for the entry.
struct ResourceUsage {
  int registers = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int stack_bytes = 0;
  std::int64_t static_smem_bytes = 0;
  std::int64_t constant_bytes = 0;
  int barriers = 0;
};

/// A kernel of a module besides Artifact::entry.
struct FurtherKernel {
  std::string entry;  ///< its name in the module
  ResourceUsage resources;
};

/// A variable of the module that the code may write, and that each launch has to leave as it found it.
struct KeptVariable {
  std::string name;  ///< in the module
  std::string file;  ///< where it is written first
  int line = 0;
  bool written = true;  ///< false: it only lies beside others that are
};

struct Artifact {
  std::string entry;  ///< kernel name in the module
  std::string arch;   ///< "sm_89"
  std::string ptx;
  std::string cubin;  ///< ELF bytes
  ResourceUsage resources;
  std::string compiler_log;  ///< warnings and resource lines
  std::string source_file;   ///< name in line tables of the candidate's own source
  std::string code_hash;     ///< machine code, constants and resource info of its kernels; no line tables
  std::string compiler;      ///< "NVRTC 13.0"
  bool from_cache = false;
  double compile_ms = 0;
  std::vector<FurtherKernel> others{};  ///< the kernels that are launched besides `entry`
  std::vector<KeptVariable> kept{};
};

}  // namespace evo::model
