// Barriers whose strength is a gene. The values of a `sync` gene are none, warp, block, in this order, so its
// macro is 0, 1 or 2. A macro and no function: findings about a barrier then name the kernel's line.
#pragma once

#define EVO_SYNC(strength)        \
  do {                            \
    if ((strength) == 2) {        \
      __syncthreads();            \
    } else if ((strength) == 1) { \
      __syncwarp();               \
    }                             \
  } while (0)
