// mbarriers and bulk tensor copies (TMA) of sm_90. PTX ISA, "mbarrier" and "cp.async.bulk.tensor". Addresses
// are those of the shared window (__cvta_generic_to_shared).
#pragma once

#include "evo_sync.cuh"

// What cuTensorMapEncodeTiled fills in on the host: a __grid_constant__ parameter of the kernel.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void mbarrier_init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes initialised mbarriers visible to the copy engine and to the other blocks of the cluster.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives on the barrier at the same place in block `rank` of the cluster.
__device__ __forceinline__ void mbarrier_arrive_cluster(unsigned barrier, unsigned rank) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

// Arrives, and announces `bytes` that copies will deliver before the phase ends.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Waits for the end of the phase of this parity; a fresh barrier is in phase 0, and the phase before it
// (parity 1) counts as ended.
__device__ __forceinline__ void mbarrier_wait(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (done == 0);
  EVO_DELAY();
}
// The same where blocks of a cluster arrive.
__device__ __forceinline__ void mbarrier_wait_cluster(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (done == 0);
  EVO_DELAY();
}

__device__ __forceinline__ void tma_prefetch_descriptor(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// A box of a four-dimensional map, from the element (x, y, z, w) on; what lies outside of the tensor arrives
// as zeros.
__device__ __forceinline__ void tma_load(unsigned target, const TensorMap& map, unsigned barrier, int x,
                                         int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
      "%5, %6}], "
      "[%2];" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}
// The same into the blocks of the cluster in `blocks` (a bit a rank), each at its own `target` and `barrier`.
__device__ __forceinline__ void tma_load_multicast(unsigned target, const TensorMap& map, unsigned barrier,
                                                   int x, int y, int z, int w, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, "
      "{%3, %4, %5, %6}], [%2], %7;" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w), "h"(blocks)
      : "memory");
}

// 16 bytes from global to shared memory, or zeros where `inside` is false.
__device__ __forceinline__ void cp_async_16(unsigned target, const void* source, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source),
               "r"(inside ? 16 : 0)
               : "memory");
}
// One of the arrivals that the barrier was initialised for, once this thread's copies so far have landed.
__device__ __forceinline__ void cp_async_mbarrier_arrive(unsigned barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

// Ordinary stores to shared memory before it are seen by copies and tensor cores after a barrier that follows
// it.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Registers a thread, of all warps of a warpgroup: REGISTERS is a multiple of 8.
template <int REGISTERS>
__device__ __forceinline__ void warpgroup_reg_alloc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
template <int REGISTERS>
__device__ __forceinline__ void warpgroup_reg_dealloc() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

__device__ __forceinline__ unsigned block_rank_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Named barriers of a block: 0 is __syncthreads.
__device__ __forceinline__ void named_barrier_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void named_barrier_arrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
