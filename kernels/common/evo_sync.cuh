// Barriers whose strength is a gene. Macros and no functions: findings about a barrier then name the kernel's
// line.
#pragma once

// The values of the gene are none, warp, block, in this order, so that its macro is 0, 1 or 2.
#define EVO_SYNC(strength)        \
  do {                            \
    if ((strength) == 2) {        \
      __syncthreads();            \
    } else if ((strength) == 1) { \
      __syncwarp();               \
    }                             \
  } while (0)

// The values of the gene are none, warp, named, block. `named` is hardware barrier `id` (1 to 15) among
// `threads` threads, whole warps all of which come here; where the group is one warp, a warp barrier does.
#define EVO_SYNC_GROUP(strength, id, threads)                                                \
  do {                                                                                       \
    if ((strength) == 3) {                                                                   \
      __syncthreads();                                                                       \
    } else if ((strength) == 2 && (threads) > 32) {                                          \
      asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(static_cast<int>(threads)) : "memory"); \
    } else if ((strength) >= 1) {                                                            \
      __syncwarp();                                                                          \
    }                                                                                        \
  } while (0)
