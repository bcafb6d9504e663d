// Throughputs of an SM and latencies of its units, by compute capability.
#pragma once

namespace evo::evaluators::virtual_device {

/// Warp instructions a cycle and SM.
struct PipeRates {
  double issue = 4;
  double fp32 = 4;
  double fp64 = 1;
  double fp16 = 4;
  double integer = 2;
  double conversion = 2;
  double special = 0.5;
  double tensor = 0.5;    ///< m16n8k8 with 16-bit operands, the unit of LaunchCounts::tensor
  double load_store = 1;  ///< wavefronts: 128 bytes of shared memory or L1
  double atomic = 0.5;
  double l2_bytes_per_cycle = 64;  ///< between an SM and L2
};

[[nodiscard]] PipeRates pipe_rates(int compute_major, int compute_minor);

/// Cycles from issue until a dependent instruction can go, divided by how many such instructions of one warp
/// are taken to be in flight at a time. The latter is a guess: the counts do not tell dependences.
struct StallCycles {
  double arithmetic = 4.5 / 2;
  double fp64 = 8;
  double special = 20.0 / 2;
  double conversion = 8.0 / 2;
  double tensor = 33.0 / 2;  ///< of that unit: an m16n8k16 takes 33
  double shared = 26.0 / 4;
  double shuffle = 24.0 / 2;
  double local = 35.0 / 4;
  double l2 = 270.0 / 4;
  double dram_extra = 350.0 / 4;  ///< on top of l2
  double atomic = 700.0 / 2;
  double barrier = 30;
};

}  // namespace evo::evaluators::virtual_device
