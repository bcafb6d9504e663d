// A worker as a GPU's is, over the virtual device: jobs come as bytes, and it knows of a problem what they
// bring.
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/worker/serve.hpp"
#include "packs/builtin.hpp"
#include "tests/support/targets.hpp"

int main() {
  using evo::evaluators::devices::VirtualDevice;
  const evo::model::TargetProfile target = evo::tests::shipped_target("l4");
  return evo::evaluators::worker::serve(
      VirtualDevice(target).info(),
      [&target](const std::function<void()>&) { return std::make_unique<VirtualDevice>(target); },
      evo::packs::catalogue_of(evo::packs::builtin()));
}
