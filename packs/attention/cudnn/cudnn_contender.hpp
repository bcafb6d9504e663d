// cuDNN's attention as a contender: in this process, on the device and through the timing code of evo's own
// kernels.
#pragma once

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "packs/attention/cudnn/plan.hpp"

namespace evo::packs::attention::cudnn {

class CudnnContender final : public Contender {
 public:
  /// `device` is used by one thread at a time, holds the context that `session` was opened in, and outlives
  /// the contender.
  CudnnContender(std::string name, cuda::CudaDevice& device, std::shared_ptr<Session> session);
  ~CudnnContender() override;

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Attempt<Outputs> compute(const model::Case& bound,
                                         const oracle::InputBuffers& inputs) override;
  [[nodiscard]] Attempt<std::vector<double>> time(const TimingRequest& request) override;
  void release() override;
  [[nodiscard]] std::string method() const override { return method_; }

 private:
  struct Prepared;
  [[nodiscard]] Attempt<void> grow(std::size_t sets);
  [[nodiscard]] devices::Outcome<void> launch(void* stream, std::size_t set);

  std::string name_;
  cuda::CudaDevice& device_;
  std::shared_ptr<Session> session_;
  std::unique_ptr<Prepared> prepared_;  ///< the case that compute() was last called with
  std::string method_;
};

}  // namespace evo::packs::attention::cudnn
