#pragma once
// The part without kernels is in the same file here.
#include "cuda_runtime.h"
