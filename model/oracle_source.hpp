// Where a problem's correct answers come from, as data: what problem.yaml says under `oracle`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/artifact.hpp"

namespace evo::model {

/// Kinds of oracle. Two that agree make a variant `proven`; see oracle_claim().
enum class OracleKind : std::uint8_t {
  builtin,     ///< C++, from the catalogue
  kernel,      ///< a naive CUDA kernel (Problem::oracle_kernel)
  expression,  ///< index notation (model/formula.hpp)
  files,       ///< recorded .npy arrays
  command,     ///< any program that reads and writes .npy
};

[[nodiscard]] std::string_view name_of(OracleKind kind);
[[nodiscard]] std::optional<OracleKind> oracle_kind_from_name(std::string_view name);

/// One statement of an expression and where it stands.
struct OracleStatement {
  std::string text, file;
  int line = 0, column = 0;  ///< of its first character
};

/// Recorded arrays of one workload.
struct RecordedWorkload {
  std::string workload;                      ///< its name
  std::map<std::string, std::string> files;  ///< argument -> path of an .npy file
};

struct OracleSource {
  OracleKind kind = OracleKind::builtin;
  std::string name;                          ///< builtin: of the catalogue
  std::vector<OracleStatement> statements;   ///< expression
  std::vector<RecordedWorkload> recordings;  ///< files
  std::vector<std::string> command;          ///< command: program and arguments
  std::string folder;                        ///< command: where it runs
  double timeout_s = 60;                     ///< command: seconds for one case
  std::string content;                       ///< hash of the files that it names: part of what is cached by
};

/// What another process needs to compute the same answers.
struct OracleParts {
  std::vector<OracleSource> sources;
  /// The reference kernel in double, in float for `tolerance: auto`, and in float with powers by exp2f(y *
  /// log2f(x)) where it has any.
  std::optional<Artifact> kernel{}, plain_kernel{}, power_kernel{};
  std::string hash;  ///< of all of it
};

}  // namespace evo::model
