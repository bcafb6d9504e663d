// Barriers whose strength is a gene. Macros and no functions: findings about a barrier then name the kernel's
// line.
#pragma once

// Behind every site, whatever its strength: nothing, or, in the build that a champion must stand besides its own
// (EVO_DELAYS), a sleep of about a microsecond for one warp in four, drawn anew each time. Warps that no barrier holds
// together then drift apart.
#ifdef EVO_DELAYS
__device__ __forceinline__ void evo_delay(unsigned site) {
  const unsigned warp = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
  unsigned draw = static_cast<unsigned>(clock64()) ^ site * 0x9e3779b9U ^ warp * 0x85ebca6bU ^ blockIdx.x;
  draw ^= draw >> 16;
  draw *= 0x7feb352dU;
  draw ^= draw >> 15;
  draw *= 0x846ca68bU;
  draw ^= draw >> 16;
  if ((draw & 3U) == 0) __nanosleep((draw >> 8) & 1023U);
}
#define EVO_DELAY() evo_delay(__LINE__)
#else
#define EVO_DELAY() static_cast<void>(0)
#endif

// The values of the gene are none, warp, block, in this order, so that its macro is 0, 1 or 2.
#define EVO_SYNC(strength)        \
  do {                            \
    if ((strength) == 2) {        \
      __syncthreads();            \
    } else if ((strength) == 1) { \
      __syncwarp();               \
    }                             \
    EVO_DELAY();                  \
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
    EVO_DELAY();                                                                             \
  } while (0)
