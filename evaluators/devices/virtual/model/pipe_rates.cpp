#include "evaluators/devices/virtual/model/pipe_rates.hpp"

namespace evo::evaluators::virtual_device {

// Sources. Arithmetic: CUDA C++ Programming Guide, table "Throughput of Native Arithmetic Instructions",
// results a cycle and SM, divided by 32. Tensor: dense FP16 rates of the architecture whitepapers (FMA a
// cycle and SM: 1024 on 8.0, 512 on 8.9, which is 121 TFLOP/s on an L4; 2048 on 9.0, of which mma.sync
// reaches 62 % according to Luo et al., arXiv 2402.13499, and wgmma is taken to reach all), an m16n8k8 being
// 1024. Shared memory and L1: 128 bytes a cycle; L2 port: 64 bytes a cycle (whitepapers). None of these rates
// was checked by us. 12.0 has the rates of 8.9 there; 10.0 is taken for 9.0, what mma.sync reaches on it is
// not published.
PipeRates pipe_rates(int compute_major, int compute_minor) {
  PipeRates rates;
  if (compute_major == 8 && compute_minor == 0) {
    rates.fp32 = 2;
    rates.tensor = 1;
  } else if (compute_major == 8 || compute_major == 12) {
    rates.fp16 = 2;
    rates.fp64 = 1.0 / 16;
    rates.tensor = 0.5;
  } else {
    rates.fp64 = 2;
    rates.tensor = mma_share_of_wgmma * 2;
  }
  return rates;
}

}  // namespace evo::evaluators::virtual_device
