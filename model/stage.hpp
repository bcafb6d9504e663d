// An intermediate result of a problem that a kernel can show under `evo diagnose`
// (kernels/common/evo_probe.cuh).
#pragma once

#include <string>

#include "model/expression.hpp"

namespace evo::model {

/// A matrix of rows x columns for each slice (attention: each batch and head). Only `evo diagnose` reads
/// stages; no gate does.
struct Stage {
  std::string name;     ///< the first word of EVO_PROBE: S, P, ...
  std::string formula;  ///< an fp64 formula of evaluators/oracle/stages.hpp
  std::string description;
  Expression rows, columns;  ///< elements, over axes and genes
  Expression slices;         ///< how many such matrices a launch makes; 1 where the file names none
  Expression tile;  ///< keys (rows, ...) that the kernel takes at a time, where the formula needs it; 0
};

}  // namespace evo::model
