// Port: source in, artifact or failure out. Real: NVRTC in worker processes behind a cache. Fake:
// tests/support.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "model/artifact.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::compile {

struct CompileRequest {
  std::string source;
  std::string source_file;  ///< name in diagnostics and line tables
  /// The kernel: "add", extern "C" or not, or as C++ names it, "ns::add<float, 4>". Artifact::entry is its
  /// name in the module.
  std::string entry;
  std::string arch;                            ///< "sm_89"
  std::map<std::string, std::string> headers;  ///< name -> text, besides the prelude and the toolkit's own
  std::vector<std::string> options;            ///< extra NVRTC options, e.g. "--fmad=false"
  double timeout_s = 60;
  std::int64_t memory_mb = 4096;  ///< resident, of the compiler's process; 0 = no limit
  /// Kernels that are launched besides `entry`, named as it is: Artifact::others, in this order.
  std::vector<std::string> other_entries{};
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Thread-safe; blocks. Failure: compile_error with one Evidence per diagnostic (file, line, message), or
  /// compile_timeout (reason "time" or "memory"). Throws model::Exception(environment) without a usable
  /// NVRTC.
  [[nodiscard]] virtual tl::expected<model::Artifact, model::Failure> compile(
      const CompileRequest& request) = 0;
  /// Part of cache keys and of a run's toolchain identity: "NVRTC 13.0.88".
  [[nodiscard]] virtual std::string version() const = 0;
};

}  // namespace evo::evaluators::compile
