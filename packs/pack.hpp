// What one family of problems brings: all of evo that knows it. Handed in as a list by whoever puts an
// evaluation together (packs/builtin.hpp); nothing registers itself. Rules, suspect lines, stages' properties
// and sweeps are no code: they are files beside the problem.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/benchmark/contender.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/oracle/catalogue.hpp"

namespace evo::packs {

/// A library that was looked for as a contender.
struct Library {
  std::string name;    ///< "cuDNN 91900 (graph API)"
  std::string reason;  ///< why it takes no part; empty: it does
};

struct Contenders {
  std::vector<Library> libraries;
  std::vector<std::unique_ptr<evaluators::benchmark::Contender>> contenders;
};

struct Pack {
  std::string_view name;
  std::span<const evaluators::oracle::Oracle> oracles;
  std::span<const evaluators::oracle::InputKind> input_kinds;
  std::span<const evaluators::oracle::StageFormula> stage_formulas;
  /// Other libraries' kernels for problems of these oracles, on a device that is used by one thread at a time
  /// and outlives them. nullptr: none.
  Contenders (*contenders)(evaluators::cuda::CudaDevice& device) = nullptr;
};

}  // namespace evo::packs
