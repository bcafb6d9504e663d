// Compiles genomes with the real NVRTC, in this process.
#pragma once

#include <unistd.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "model/error.hpp"
#include "tests/kernels/shipped.hpp"

namespace evo::tests {

/// nullptr on a machine without NVRTC.
inline const evaluators::compile::Nvrtc* nvrtc() {
  static const std::optional<evaluators::compile::Nvrtc> loaded =
      []() -> std::optional<evaluators::compile::Nvrtc> {
    try {
      auto library = evaluators::compile::Nvrtc::load();
      // Names in line tables are relative to the toolkit's headers.
      if (!library.include_folders().empty() && ::chdir(library.include_folders().front().c_str()) != 0) {
        throw std::runtime_error("the toolkit's include folder is not accessible");
      }
      return library;
    } catch (const model::Exception&) {
      return std::nullopt;
    }
  }();
  return loaded ? &*loaded : nullptr;
}

inline evaluators::compile::CompileResult compile_source(const model::Template& kernel, std::string source,
                                                         const std::string& arch) {
  evaluators::compile::CompileRequest request;
  request.source = std::move(source);
  request.source_file = kernel.source_file;
  request.entry = kernel.entry;
  request.arch = arch;
  request.headers = {kernel.headers.begin(), kernel.headers.end()};
  return evaluators::compile::run_compile(*nvrtc(), request);
}

inline evaluators::compile::CompileResult compile_genome(const model::Template& kernel,
                                                         const model::Space& space,
                                                         const model::Genome& genome,
                                                         const std::string& arch = "sm_89") {
  return compile_source(kernel, model::render_source(kernel, space, genome), arch);
}

/// What a failed compile said.
inline std::string words(const model::Failure& failure) {
  std::string text = failure.reason;
  for (const model::Evidence& item : failure.evidence) {
    text += "\n  " + item.file + ":" + std::to_string(item.line) + ": " + item.message;
  }
  return text;
}

}  // namespace evo::tests
