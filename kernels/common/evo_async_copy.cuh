// Asynchronous copies of 16 bytes from global to shared memory (sm_80 and newer). Shared addresses are
// 32-bit, as __cvta_generic_to_shared() gives them.
#pragma once

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// THROUGH_L1: keeps the line in the L1 cache too (.ca), for data that several warps of an SM fetch.
template <bool THROUGH_L1>
__device__ __forceinline__ void copy_16_async(unsigned target, const void* source) {
  if constexpr (THROUGH_L1) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
  } else {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
  }
}

// The first `bytes` bytes from `source`, the rest of the 16 zero; with 0 bytes the source is not read.
template <bool THROUGH_L1>
__device__ __forceinline__ void copy_16_async_or_zero(unsigned target, const void* source, unsigned bytes) {
  if constexpr (THROUGH_L1) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                 : "memory");
  }
}

// Closes the group of the copies issued since the last one; an empty group is legal, and complete at once.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most PENDING of this thread's groups are under way. Other threads see the data after a
// barrier.
template <int PENDING>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

__device__ __forceinline__ void store_shared_16(unsigned target, const unsigned (&words)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(target), "r"(words[0]), "r"(words[1]),
               "r"(words[2]), "r"(words[3])
               : "memory");
}
