// The two devices that are compared, and a compile service that serves both.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/devices/device.hpp"

namespace evo::bench {

/// Throws model::Exception(environment) without NVRTC or without a GPU.
class DevicePair {
 public:
  DevicePair();
  [[nodiscard]] evaluators::devices::Device& gpu() { return *gpu_; }
  [[nodiscard]] evaluators::devices::Device& machine() { return *machine_; }
  [[nodiscard]] evaluators::compile::Compiler& compiler() { return *caching_; }
  /// What the GPU's own code is compiled for: "sm_90a", "sm_89", ...
  [[nodiscard]] const std::string& arch() const { return arch_; }
  /// "NVIDIA H200, driver 580.159.04, NVRTC 13.0.88"
  [[nodiscard]] std::string description() const;

 private:
  std::unique_ptr<evaluators::compile::CompileService> service_;
  evaluators::compile::ArtifactCache cache_;
  std::unique_ptr<evaluators::compile::CachingCompiler> caching_;
  std::unique_ptr<evaluators::devices::Device> gpu_, machine_;
  std::string arch_;
};

/// Compares instruction by instruction; returns the number of lines that disagree.
int compare_instructions(DevicePair& pair, const std::string& source_file, std::uint64_t seed);
/// Compares whole kernels of an experiment's space; returns the number of genomes that disagree.
int compare_genomes(DevicePair& pair, const std::string& experiment_file, int count, std::uint64_t seed);

/// `count` clean genomes and as many mutants through the sanitize gate and through compute-sanitizer: prints
/// the table of agreement and every disagreement. `bugs_file`: a table of seeded bugs, for mutants. Returns
/// the disagreements without a known reason. Throws model::Exception(environment) where compute-sanitizer is
/// missing, after what the virtual device says.
int compare_sanitizers(const std::string& experiment_file, const std::string& bugs_file, int count,
                       std::uint64_t seed);

/// `evo compile-worker` beside this executable, or $EVO_BINARY.
[[nodiscard]] evaluators::compile::ServiceOptions service_options();

}  // namespace evo::bench
