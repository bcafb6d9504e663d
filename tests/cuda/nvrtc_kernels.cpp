#include "tests/cuda/nvrtc_kernels.hpp"

#include <stdexcept>

#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"

namespace evo::test {

std::string gpu_arch(std::string& why_not) {
  const auto list = evaluators::cuda::list_cuda_devices();
  why_not = list.reason;
  return list.devices.empty() ? std::string() : list.devices.front().info.arch;
}

model::Artifact compile_kernel(const std::string& source, const std::string& entry, const std::string& arch) {
  const auto nvrtc = evaluators::compile::Nvrtc::load();
  const auto output = nvrtc.compile(source, "suite.cu", {},
                                    {"--gpu-architecture=" + arch, "--std=c++17", "--generate-line-info"});
  if (output.cubin.empty()) throw std::runtime_error(output.error + "\n" + output.log);
  model::Artifact artifact;
  artifact.entry = entry;
  artifact.arch = arch;
  artifact.ptx = output.ptx;
  artifact.cubin = output.cubin;
  return artifact;
}

}  // namespace evo::test
