// An intermediate result of a problem that a kernel can show under `evo diagnose`
// (kernels/common/evo_probe.cuh).
#pragma once

#include <string>

#include "model/expression.hpp"

namespace evo::model {

/// A matrix of rows x columns for each slice (of a batched problem, one of the batch). Only `evo diagnose`
/// reads stages; no gate does.
struct Stage {
  std::string name;     ///< the first word of EVO_PROBE: S, P, ...
  std::string formula;  ///< an fp64 formula of the catalogue (evaluators/oracle/stages.hpp)
  std::string description;
  Expression rows, columns;      ///< elements, over axes and genes
  Expression slices;             ///< how many such matrices a launch makes; 1 where the file names none
  Expression tile;               ///< columns that the kernel takes at a time, where the formula needs it; 0
  bool kept_single = false;      ///< `kept_in: f32`: values that FP16 holds, or its error, are worth a note
  bool running_maximum = false;  ///< `running: max`: one value wherever it is wrong is worth a note
  /// The stage whose values this one sums up over tiles. All sums of one stage are rescaled by the same
  /// factor: with all of them wrong and the stage itself correct, it is the factor. Empty: none.
  std::string sums{};
};

}  // namespace evo::model
