// Errors as values. Outcomes of the domain (a candidate that does not compile) are model::Failure in
// verdict.hpp; this is for input that a person wrote and can mend.
#pragma once

#include <stdexcept>
#include <string>

#include <tl/expected.hpp>

namespace evo::model {

/// The documented exit codes of the command line.
enum class ExitCode : int {
  done = 0,
  failed = 1,
  usage = 2,
  invalid_configuration = 3,
  environment = 4,
  no_valid_candidate = 5,
  verification_failed = 6,
  interrupted = 130,
};

/// What is wrong, where, and the nearest valid value if there is one.
struct Error {
  std::string message;
  std::string file{};
  int line = 0;    ///< 1-based; 0 = not known
  int column = 0;  ///< 1-based; 0 = not known

  /// "file:line:column: message", without the parts that are not known.
  [[nodiscard]] std::string text() const;
};

template <class T>
using Expected = tl::expected<T, Error>;

/// A broken environment or configuration that ends the command. cli/main maps it to the exit code.
class Exception : public std::runtime_error {
 public:
  Exception(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

}  // namespace evo::model
