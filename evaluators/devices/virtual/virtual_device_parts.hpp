// Parts of VirtualDevice that its .cpp files share.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "evaluators/devices/virtual/exact/machine.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/devices/virtual/warp/machine.hpp"

namespace evo::evaluators::devices {

namespace vd = virtual_device;

/// One kernel of a loaded artifact.
struct VirtualDevice::Module {
  std::shared_ptr<vd::Program> program;        ///< its own, so that its constants can be filled
  std::unique_ptr<vd::warp::Machine> machine;  ///< of the program
  /// For the exact machine, once a launch has asked it.
  std::shared_ptr<const vd::exact::Code> exact_code;
  bool only_exact = false;   ///< has what only the exact machine checks
  bool writes_data = false;  ///< a launch has stored to the module's own variables
  model::ResourceUsage resources;
  std::unique_ptr<vd::Buffer>
      workspace;                     ///< of a kernel that waits for its whole grid; its launch is cooperative
  std::unique_ptr<vd::Buffer> data;  ///< the module's own .global variables, null if it has none
  std::vector<model::KeptVariable> kept;  ///< of them, those that a launch has to leave as it found them
};

/// The module's variables in front of a launch, to see whether it leaves them so.
class FoundVariables {
 public:
  /// All must outlive this; `data` may be null. Where nothing is to be kept, this costs nothing.
  FoundVariables(const vd::Program& program, const vd::Buffer* data,
                 const std::vector<model::KeptVariable>& kept);
  /// illegal / "mutable_global" with each variable that is not as it was.
  [[nodiscard]] Outcome<void> check() const;

 private:
  const vd::Program& program_;
  const vd::Buffer* data_;
  const std::vector<model::KeptVariable>& kept_;
  std::vector<std::byte> found_;
};

/// A launch with everything it points to.
struct VirtualDevice::Prepared {
  Module* module = nullptr;
  std::vector<vd::Buffer*> buffers;  ///< all that the launch can reach
  std::unique_ptr<vd::GlobalMap> memory;
  std::vector<std::byte> parameters;
  std::vector<vd::ParameterRange> ranges;
  vd::Launch launch;
  std::vector<std::uint64_t> sample;    ///< the blocks of launch.sample
  std::vector<vd::Texture> textures{};  ///< launch.textures
  std::vector<vd::TensorMap> tensor_maps{};
};

/// Throws model::Exception(failed): the caller has broken the port's contract.
[[noreturn]] void misuse(const std::string& message);

/// launch_error with this reason.
[[nodiscard]] tl::unexpected<model::Failure> virtual_refusal(std::string reason, std::string message);

}  // namespace evo::evaluators::devices
