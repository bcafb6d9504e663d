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

/// Of the tensor cores' rate on 9.0, which wgmma has: what mma.sync reaches (pipe_rates.cpp).
constexpr double mma_share_of_wgmma = 0.62;

[[nodiscard]] PipeRates pipe_rates(int compute_major, int compute_minor);

/// What an instruction of PTX costs in instructions of these units, and what a unit reaches of its rate.
/// Fitted (latency_model.hpp).
struct Fitted {
  /// Machine instructions of one on integers: addresses have 64 bits, which takes two and more.
  double per_integer = 1.8;
  double load_store = 0.86;  ///< of the wavefronts a cycle
  /// Pipes and waits overlap: SM time is the norm of both with this exponent. 1 is their sum, infinity the
  /// larger one.
  double overlap = 2;
  /// From one kernel's end to the next one's start in a graph, in microseconds.
  double launch = 2;
};

/// Cycles that a warp stands still for an instruction, what is in flight at the same time taken into account:
/// so they are less than the latencies of the instructions. Fitted (latency_model.hpp), but for those of
/// fp64, local, dram_extra and atomic, which are latencies of published microbenchmarks over a guess of how
/// many are in flight. None but bank_conflict, which comes on top, may be below `arithmetic`: more would then
/// be faster.
struct StallCycles {
  double arithmetic = 2.25;
  double fp64 = 8;
  double control = 12;
  double conversion = 2.25;
  double special = 6;
  double tensor = 2.4;  ///< of an m16n8k8
  double shared = 3;
  double bank_conflict = 1;  ///< a wavefront beyond an access' first
  double shuffle = 12;
  double local = 35.0 / 4;
  double l2 = 165;
  double dram_extra = 350.0 / 4;  ///< on top of l2
  double async_wait = 220;
  double atomic = 700.0 / 2;
  double barrier = 118;
};

}  // namespace evo::evaluators::virtual_device
