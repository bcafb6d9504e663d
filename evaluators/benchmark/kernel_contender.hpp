// A compiled variant as a contender, on a device of this process.
#pragma once

#include <functional>
#include <optional>

#include "evaluators/benchmark/contender.hpp"
#include "evaluators/devices/device.hpp"
#include "evaluators/gates/case_buffers.hpp"

namespace evo::evaluators::benchmark {

/// What a variant needs to run one case.
struct BoundKernel {
  model::Artifact artifact;
  model::Case bound;  ///< arguments and launch plan
};

/// Gives the kernel for a case by its name, or says why the variant cannot run it (illegal there, does not
/// compile).
using KernelSource = std::function<Attempt<BoundKernel>(const model::Case&)>;

class KernelContender final : public Contender {
 public:
  /// `device` is used by one thread at a time and outlives the contender.
  KernelContender(std::string name, devices::Device& device, KernelSource source);
  ~KernelContender() override;

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Attempt<Outputs> compute(const model::Case& bound,
                                         const oracle::InputBuffers& inputs) override;
  [[nodiscard]] Attempt<std::vector<double>> time(const TimingRequest& request) override;
  void release() override;
  [[nodiscard]] std::string method() const override { return method_; }
  [[nodiscard]] bool adds_in_tensor_cores() const override;

 private:
  [[nodiscard]] Attempt<void> grow(std::size_t sets);

  std::string name_;
  devices::Device& device_;
  KernelSource source_;
  std::optional<BoundKernel> kernel_;
  std::optional<devices::ModuleId> module_;
  std::vector<gates::CaseBuffers> sets_;
  oracle::InputBuffers inputs_;
  std::string method_;
};

/// "status: reason: message" of a failure, in one line.
[[nodiscard]] std::string line_of(const model::Failure& failure);

}  // namespace evo::evaluators::benchmark
