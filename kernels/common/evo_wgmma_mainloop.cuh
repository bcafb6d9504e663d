// Template hopper: the mainloops, which take a work tile of a warpgroup over its tiles of keys: S = Q K^T, softmax,
// O += P V. The template defines its genes before it includes this.
#pragma once

#include "evo_wgmma_consumer.cuh"
#include "evo_wgmma_softmax.cuh"

// What a thread keeps in registers: accumulators of S and O, and A fragments of P and, with Q_SOURCE registers, of Q.
struct Fragments {
  float (&s)[BLOCK_N / 2];
  float (&o)[HEAD_DIM / 2];
  unsigned (&p)[BLOCK_N / 4];
  unsigned (&q)[Q_FRAGMENTS][4];
};

// OVERLAP: masks tile i, whose S is complete, and takes it into the maxima of the rows.
__device__ __forceinline__ void update_row_max(const Consumer& consumer, Softmax& softmax,
                                               const Fragments& fragments, int i) {
  if (!MASK_ACCUMULATORS && __builtin_expect(consumer.needs_mask(i), 0))
    consumer.mask(fragments.s, i, 0, BLOCK_N);
  softmax.update_tile_max(fragments.s, 0, BLOCK_N);
  softmax.update_row_max(consumer.softmax_scale_log2);
}

// OVERLAP: S of the first tile, and its P. Nothing is there yet that could run beside it.
__device__ __forceinline__ void first_tile(const Consumer& consumer, Softmax& softmax,
                                           const Fragments& fragments, int i) {
  consumer.init_accumulators(fragments.s, i);
  consumer.wait_q(fragments.q);
  consumer.wait_k(i, 0);
  if (i > 0) consumer.warp_scheduler_barrier_sync();
  consumer.issue_qk(fragments.s, fragments.q, i);
  if (i > 0) consumer.warp_scheduler_barrier_arrive();
  warpgroup_wait<0>();
  warpgroup_fence_operand(fragments.s);
  consumer.release_k(i);
  update_row_max(consumer, softmax, fragments, i);
  softmax.exp2_scores(fragments.s, consumer.softmax_scale_log2, 0, BLOCK_N);
  convert_p(fragments.s, fragments.p, 0, BLOCK_N);
}

// OVERLAP: S of tile i beside P V of the tile before, whose P the tile's own then replaces.
__device__ __forceinline__ void next_tile(const Consumer& consumer, Softmax& softmax,
                                          const Fragments& fragments, int i) {
  consumer.init_accumulators(fragments.s, i);
  consumer.wait_k(i, 0);
  if (V_WAIT == V_WAIT_before) consumer.wait_v(i - 1);
  consumer.warp_scheduler_barrier_sync();
  consumer.issue_qk(fragments.s, fragments.q, i);
  if (V_WAIT == V_WAIT_after) consumer.wait_v(i - 1);
  consumer.issue_pv(fragments.o, fragments.p, i - 1, 0, BLOCK_N);
  consumer.warp_scheduler_barrier_arrive();
  warpgroup_wait<1>();
  warpgroup_fence_operand(fragments.s);
  consumer.release_k(i);
  update_row_max(consumer, softmax, fragments, i);
  // The compiler moves the wait below up, ahead of everything that needs no O: ahead of the exponentials, too, which
  // are to run beside P V. Those under a condition, though it always holds, stay where they are.
  constexpr int PINNED = POWERS_PINNED * BLOCK_N / 4 / 8 * 8;
  if (PINNED == 0 || consumer.seq > 0)
    softmax.exp2_scores(fragments.s, consumer.softmax_scale_log2, 0, PINNED > 0 ? PINNED : BLOCK_N);
  warpgroup_wait<0>();
  warpgroup_fence_operand(fragments.o);
  warpgroup_fence_operand(fragments.p);
  consumer.release(V, i - 1);
  softmax.rescale_o(fragments.o);
  if (PINNED > 0) softmax.exp2_scores(fragments.s, consumer.softmax_scale_log2, PINNED, BLOCK_N);
  convert_p(fragments.s, fragments.p, 0, BLOCK_N);
}

// OVERLAP: P V of the last tile, i.
__device__ __forceinline__ void last_pv(const Consumer& consumer, const Fragments& fragments, int i) {
  consumer.wait_v(i);
  consumer.issue_pv(fragments.o, fragments.p, i, 0, BLOCK_N);
  warpgroup_wait<0>();
  warpgroup_fence_operand(fragments.o);
  consumer.release(V, i);
}

// OVERLAP: Q K^T of a tile and P V of the last one are under way beside the softmax.
__device__ __forceinline__ void mainloop_overlapped(const Consumer& consumer, Softmax& softmax,
                                                    const Fragments& fragments) {
  int i = consumer.tile_begin;
  first_tile(consumer, softmax, fragments, i);
  for (++i; i < consumer.tile_end; ++i) next_tile(consumer, softmax, fragments, i);
  last_pv(consumer, fragments, i - 1);
}

// Without OVERLAP: all of tile i, in chunks of its keys.
__device__ __forceinline__ void chunked_tile(const Consumer& consumer, Softmax& softmax,
                                             const Fragments& fragments, int i) {
  const bool masked = !MASK_ACCUMULATORS && consumer.needs_mask(i);
  consumer.init_accumulators(fragments.s, i);
  if (MASK_ACCUMULATORS && i == consumer.tile_begin) consumer.wait_q(fragments.q);
  consumer.issue_qk(fragments.s, fragments.q, i);
  if (PINGPONG) {
    // Within its turn a warpgroup waits for nobody, and it awaits its turn with nothing that others wait for.
    warpgroup_wait<0>();
    consumer.release_k(i);
    consumer.wait_v(i);
    consumer.warp_scheduler_barrier_sync();
  }
#pragma unroll
  for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) {
    const int begin = chunk * QK_KEYS, end = begin + QK_KEYS;
    warpgroup_wait_for(QK_CHUNKS - 1 - chunk);
    warpgroup_fence_operand(fragments.s);
    if (__builtin_expect(masked, 0)) consumer.mask(fragments.s, i, begin, end);
    softmax.update_tile_max(fragments.s, begin, end);
  }
  if (!PINGPONG) consumer.release_k(i);
  softmax.update_row_max(consumer.softmax_scale_log2);
  if (i > consumer.tile_begin) softmax.rescale_o(fragments.o);
  if (!PINGPONG) consumer.wait_v(i);
#pragma unroll
  for (int chunk = 0; chunk < PV_CHUNKS; ++chunk) {
    const int begin = chunk * PV_KEYS, end = begin + PV_KEYS;
    softmax.exp2_scores(fragments.s, consumer.softmax_scale_log2, begin, end);
    convert_p(fragments.s, fragments.p, begin, end);
    consumer.issue_pv(fragments.o, fragments.p, i, begin, end);
  }
  consumer.warp_scheduler_barrier_arrive();
  warpgroup_wait<0>();
  warpgroup_fence_operand(fragments.o);
  warpgroup_fence_operand(fragments.p);
  consumer.release(V, i);
}

// Without OVERLAP: a tile's softmax runs beside its own products.
__device__ __forceinline__ void mainloop_chunked(const Consumer& consumer, Softmax& softmax,
                                                 const Fragments& fragments) {
  if (!MASK_ACCUMULATORS) consumer.wait_q(fragments.q);
  for (int i = consumer.tile_begin; i < consumer.tile_end; ++i) chunked_tile(consumer, softmax, fragments, i);
}

// O of the work tile, not yet divided by the row sums. Tiles outside of tile_begin .. tile_end - 1 pass by.
__device__ __forceinline__ void mainloop(const Consumer& consumer, Softmax& softmax,
                                         const Fragments& fragments) {
#pragma unroll
  for (float& value : fragments.o) value = 0.0f;
  for (int i = 0; i < consumer.tile_begin; ++i) consumer.skip(i);
  if (consumer.tile_begin < consumer.tile_end) {
    if constexpr (OVERLAP) {
      mainloop_overlapped(consumer, softmax, fragments);
    } else {
      mainloop_chunked(consumer, softmax, fragments);
    }
  }
  for (int i = consumer.tile_end; i < consumer.tile_count; ++i) consumer.skip(i);
}
