// Compiles genomes with the real NVRTC, in this process.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

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

/// The machine code of a template's genomes, each compiled once.
class MachineCode {
 public:
  /// `kernel` and `space` are kept by reference.
  MachineCode(const model::Template& kernel, const model::Space& space, std::string arch)
      : kernel_(kernel), space_(space), arch_(std::move(arch)) {}

  /// Compiles the base with each value of a gene that is legal there, and expects machine code of its own for
  /// each. How many values were legal.
  std::size_t expect_own(const model::Genome& base, const model::Gene& gene) {
    std::set<std::string> codes;
    std::size_t legal = 0;
    for (const model::Value& value : gene.values) {
      const model::Genome genome = with_genes(base, {{gene.name, value}});
      if (!space_.legal(genome)) continue;
      ++legal;
      const std::string code = hash_of(genome);
      EXPECT_TRUE(!code.empty() && codes.insert(code).second)
          << gene.name << "=" << model::to_string(value) << " makes the code of another value";
    }
    return legal;
  }

 private:
  /// Empty, after a failure of the test, for what does not compile.
  std::string hash_of(const model::Genome& genome) {
    const auto [known, is_new] = hashes_.try_emplace(genome.text());
    if (is_new) {
      const auto artifact = compile_genome(kernel_, space_, genome, arch_);
      EXPECT_TRUE(artifact) << genome.text() << words(artifact.error());
      if (artifact) known->second = artifact->code_hash;
    }
    return known->second;
  }

  const model::Template& kernel_;
  const model::Space& space_;
  std::string arch_;
  std::map<std::string, std::string> hashes_;
};

/// For tests that compile: skipped on a machine without NVRTC.
class NeedsNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }
};

/// ... of a template of attention_forward.
class AttentionTemplate : public NeedsNvrtc {
 protected:
  explicit AttentionTemplate(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] model::Space space(std::int64_t head_dim, const std::string& target = "l4") const {
    return bound_space(problem_, name_, head_dim, target);
  }

  std::string name_;
  model::Problem problem_ = shipped_problem("attention_forward");
  const model::Template& kernel_ = *problem_.find_template(name_);
};

}  // namespace evo::tests
