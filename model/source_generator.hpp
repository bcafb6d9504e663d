// Port: a program that writes a kernel's source for a genome. Real: evaluators/process, in a sandbox.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "model/value.hpp"
#include "model/verdict.hpp"

namespace evo::model {

class SourceGenerator {
 public:
  virtual ~SourceGenerator() = default;
  /// The source for these genes and compile-time axes; the same values give the same text. Failure:
  /// compile_error "source_command" with what the program printed. Thread-safe.
  [[nodiscard]] virtual tl::expected<std::string, Failure> generate(const Environment& values) const = 0;
};

}  // namespace evo::model
