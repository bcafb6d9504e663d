// Forward attention for sm_90a: K and V come in through bulk tensor copies, warpgroups multiply with wgmma
// and keep S, P and O in registers.
//
// A block owns BLOCK_M = 64 * WARPGROUPS_M queries of a head. Tile i of BLOCK_N keys belongs to part i %
// SPLIT_KV; each part has warpgroups, a softmax and a ring of STAGES tiles of K and of V of its own, and the
// parts' results are merged through shared memory at the end. Where a part has one tile, its softmax is a
// single pass. Without OVERLAP a tile's products are made in chunks of its keys (QK_CHUNKS, PV_CHUNKS): the
// first chunks' maxima are sought beside the last chunks' products with Q, and the last chunks' powers are
// taken beside the first chunks' products with V.
//
// A ring's slot has two mbarriers, K's one for each chunk: `full` (the copy engine delivers the bytes that
// the producer announced) and `empty` (each warp that reads the slot arrives once it has, if the slot is used
// again).
//
// COPY says what copies; PRODUCER says who starts the copies: a warp beside the consumers (with warpgroup: in
// a warpgroup that hands most of its registers to them), or each part itself, with its first warp (tma) or
// with all (cp_async).
//
// Copies through a tensor map, and cp.async, need rows, heads and batches at distances of 16 bytes'
// multiples. For other views the producing threads copy element by element into the same places, with the
// same barriers.
#include <cuda_fp16.h>

#include "evo_tile_loads.cuh"
#include "evo_wgmma_output.cuh"
#include "evo_wgmma_sizes.cuh"
#include "evo_wgmma_softmax.cuh"

constexpr float LOG2_E = 1.4426950408889634f;

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
#if CLUSTER > 1
    __cluster_dims__(CLUSTER, 1, 1)
#endif
        attention_forward_hopper(const __half* __restrict__ q, const __half* __restrict__ k,
                                 const __half* __restrict__ v, __half* __restrict__ o, long long batch_stride,
                                 long long head_stride, long long row_stride, long long o_batch_stride,
                                 long long o_head_stride, long long o_row_stride, int seq, int causal,
                                 float scale, const __grid_constant__ TensorMap q_map,
                                 const __grid_constant__ TensorMap k_map,
                                 const __grid_constant__ TensorMap v_map) {
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned char* const rings = shared + Q_BYTES;
  const unsigned q_address = shared_address(shared);
  const unsigned rings_address = q_address + Q_BYTES;
  const unsigned q_full = rings_address + SPLIT_KV * RING_BYTES;
  const unsigned barriers = q_full + 8;

  // Barrier i of a ring.
  const auto init = [&](int part, int i) {
    barrier_init(barriers + 8 * (part * RING_BARRIERS + i), i >= EMPTY ? 4 * WARPGROUPS_M * CLUSTER
                                                            : BULK     ? 1
                                                                       : COPY_THREADS);
  };
  // With EARLY_LOADS one thread does before all else what the first copies need, and starts those of Q and of
  // the first turn's K. Their barriers come first: a launch's first look at its parameters takes hundreds of
  // cycles, and the other warps have it over with meanwhile.
  const int thread = static_cast<int>(threadIdx.x);
  const bool starts = EARLY_LOADS && thread == (SELF ? 0 : CONSUMER_THREADS);
  if (starts) {
    barrier_init(q_full, 1);
#pragma unroll
    for (int part = 0; part < SPLIT_KV; ++part) {
#pragma unroll
      for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) init(part, chunk);
    }
    barrier_init_fence();
  }
  const bool aligned = ((batch_stride | head_stride | row_stride) % 8 == 0) &&
                       ((reinterpret_cast<unsigned long long>(q) | reinterpret_cast<unsigned long long>(k) |
                         reinterpret_cast<unsigned long long>(v)) %
                            16 ==
                        0);
  const bool started = EARLY_LOADS && aligned;  // the first copies are
  if (starts && aligned) {
    const Producer first{k_map,
                         v_map,
                         k,
                         v,
                         row_stride,
                         rings,
                         rings_address,
                         barriers,
                         seq,
                         0,
                         true,
                         0,
                         find_work(seq, causal)};
    first.load_q(q_map, q, shared, q_full);
    first.load_turn(0, 0);
  }

  const int warp = __shfl_sync(0xffffffffu, thread / 32, 0);
  const int lane = thread % 32;
  const Work work = find_work(seq, causal);
  const unsigned rank = CLUSTER > 1 ? cluster_rank() : 0;
  const long long head_offset = work.batch * batch_stride + work.head * head_stride;

  const Producer producer{k_map,
                          v_map,
                          k + head_offset,
                          v + head_offset,
                          row_stride,
                          rings,
                          rings_address,
                          barriers,
                          seq,
                          static_cast<int>(threadIdx.x) % COPY_THREADS,
                          aligned,
                          rank,
                          work};
  // An initialisation takes tens of cycles, one after the other in a warp: so every warp does its share, but
  // for the first of a part that copies for itself.
  if (lane == 0) {
    if (EARLY_LOADS) {
      constexpr int PART_WARPS = 4 * CONSUMERS / SPLIT_KV;
      if (warp < 4 * CONSUMERS && (!SELF || warp % PART_WARPS != 0)) {
        for (int i = QK_CHUNKS + warp % PART_WARPS - SELF; i < RING_BARRIERS; i += PART_WARPS - SELF)
          init(warp / PART_WARPS, i);
        barrier_init_fence();
      }
    } else {
      if (BULK && warp == (SELF ? 0 : 4 * CONSUMERS)) {
        tma_prefetch_map(q_map);
        tma_prefetch_map(k_map);
        tma_prefetch_map(v_map);
      }
      if (warp == 0) barrier_init(q_full, BULK ? 1 : Q_THREADS);
#pragma unroll 1
      for (int i = warp; i < SPLIT_KV * RING_BARRIERS; i += WARPS) init(i / RING_BARRIERS, i % RING_BARRIERS);
      barrier_init_fence();
    }
  }
  // Nobody waits on a barrier before it is initialised. Blocks of a cluster deliver to each other only after
  // the wait below; who consumes what they delivered needs no wait of its own.
  if (CLUSTER > 1) cluster_arrive();
  __syncthreads();
  if (CLUSTER > 1 && (SELF || warp >= 4 * CONSUMERS)) cluster_wait();
  if (warp < 4 * CONSUMERS) {
#if PRODUCER == PRODUCER_warpgroup
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
#endif
    if (!BULK || (SELF && warp == 0 && !started)) producer.load_q(q_map, q + head_offset, shared, q_full);
    const int group = warp / 4;  // warpgroup
    const int part = SPLIT_KV > 1 ? group : 0;
    const int rows = SPLIT_KV > 1 ? 0 : 64 * group;  // before this warpgroup's, in the block
    const int g = lane / 4;
    const int t = lane % 4;
    const int first_row = work.first_query + rows;
    const int row = first_row + 16 * (warp % 4) + g;  // and row + 8
    const float factor = scale * LOG2_E;
    const int count = (work.tiles - part + SPLIT_KV - 1) / SPLIT_KV;  // tiles of this part
    const unsigned full = barriers + 8 * part * RING_BARRIERS;
    const unsigned k_tiles = rings_address + part * RING_BYTES;

    // K stands as n rows of k (its rows are 8-row groups apart), V as k rows of n.
    const unsigned long long q_operand =
        wgmma_descriptor<ROW_BYTES>(16) + wgmma_address(q_address + rows * ROW_BYTES);
    const unsigned long long k_operand = wgmma_descriptor<ROW_BYTES>(16) + wgmma_address(k_tiles);
    const unsigned long long v_operand =
        wgmma_descriptor<ROW_BYTES>(KV_PANEL_BYTES) + wgmma_address(k_tiles + STAGES * TILE_BYTES);

    float s[BLOCK_N / 2];
    float output[HEAD_DIM / 2];
    unsigned p[BLOCK_N / 4];
    Softmax softmax;

    const auto wait_full = [&](int barrier, int i) {
      barrier_wait(full + 8 * barrier, i / STAGES & 1);
      if (!BULK) proxy_fence();
    };
    const auto wait_k = [&](int i, int chunk) { wait_full(i % STAGES * QK_CHUNKS + chunk, i); };
    const auto wait_v = [&](int i) { wait_full(FULL_V + i % STAGES, i); };
    const bool fetches = SELF && (!BULK || warp == 4 * part);
    const auto fetch_first = [&] {
      for (int which = 0; which < 2 && fetches; ++which) {
        for (int i = started && which == 0; i < min(STAGES, count); ++i) producer.load(which, part, i);
      }
    };
    const auto fetch_next = [&](int which, int i) {
      if (fetches) producer.load(which, part, i + STAGES);
    };
    // Only slots that are used again are released.
    const auto release = [&](int which, int i) {
      if (i + STAGES >= count) return;
      const unsigned empty = full + 8 * (EMPTY + which * STAGES + i % STAGES);
      if (CLUSTER > 1) {
        if (lane < CLUSTER) barrier_arrive_remote(empty, lane);
      } else if (lane == 0) {
        barrier_arrive(empty);
      }
      fetch_next(which, i);
    };
    // Warpgroups take turns: at issuing their products if OVERLAP, else at the softmax, so that one's softmax
    // runs beside another's products. Barrier 2 + w is warpgroup w's turn, which its predecessor gives it.
    const int turns = (SPLIT_KV > 1 ? work.tiles : count * CONSUMERS) - OVERLAP * CONSUMERS;
    [[maybe_unused]] const auto take_turn = [&](int i) {
      if (PINGPONG && (i - OVERLAP) * CONSUMERS + group > 0) named_sync(2 + group, 256);
    };
    const auto pass_turn = [&](int i) {
      if (PINGPONG && (i - OVERLAP) * CONSUMERS + group + 1 < turns)
        named_arrive(2 + (group + 1) % CONSUMERS, 256);
    };
    const auto first_key_of = [&](int i) { return tile_at(i * SPLIT_KV + part, work.tiles) * BLOCK_N; };
    const auto is_masked = [&](int first_key) {
      return first_key + BLOCK_N > seq || (causal != 0 && first_key + BLOCK_N > first_row + 1);
    };
    const auto start_scores = [&](int i) {
      const int first_key = first_key_of(i);
      if (MASK_FIRST && __builtin_expect(is_masked(first_key), 0)) {
#pragma unroll
        for (int j = 0; j < BLOCK_N / 2; ++j) s[j] = 0.0f;
        mask(s, first_key, row, seq, causal, t, 0, BLOCK_N);
      }
    };
    // Each chunk is a group of its own, which starts once its keys are there.
    const auto issue_q_k = [&](int i) {
      const unsigned long long tile = k_operand + i % STAGES * (TILE_BYTES / 16);
      const bool is_started = MASK_FIRST && is_masked(first_key_of(i));
      wgmma_hold(s);
#pragma unroll
      for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) {
        wait_k(i, chunk);
        wgmma_fence();
        auto& columns = *reinterpret_cast<float(*)[K_CHUNK / 2]>(s + chunk * K_CHUNK / 2);
#pragma unroll
        for (int step = 0; step < HEAD_DIM / 16; ++step) {
          const int panel = step * 16 / COLUMNS;
          const int within = step * 32 % ROW_BYTES + chunk * K_CHUNK * ROW_BYTES;
          multiply_q_k(columns, q_operand + (panel * Q_PANEL_BYTES + step * 32 % ROW_BYTES) / 16,
                       tile + (panel * KV_PANEL_BYTES + within) / 16, is_started || step > 0);
        }
        wgmma_commit();
      }
    };
    // P of the keys begin .. end - 1 of a tile by their V.
    const auto issue_p_v = [&](int i, int begin, int end) {
      const unsigned long long tile = v_operand + i % STAGES * (TILE_BYTES / 16);
      wgmma_hold(output);
      wgmma_hold(p, begin / 4, end / 4);
      wgmma_fence();
#pragma unroll
      for (int step = begin / 16; step < end / 16; ++step)
        multiply_p_v(output, p + 4 * step, tile + step * 16 * ROW_BYTES / 16, 1);
      wgmma_commit();
    };

    fetch_first();
#pragma unroll
    for (int i = 0; i < HEAD_DIM / 2; ++i) output[i] = 0.0f;
    if (count > 0) {
#if OVERLAP
      start_scores(0);
      barrier_wait(q_full, 0);
      const auto turn_into_p = [&](int i) {
        const int first_key = first_key_of(i);
        if (!MASK_FIRST && __builtin_expect(is_masked(first_key), 0))
          mask(s, first_key, row, seq, causal, t, 0, BLOCK_N);
        softmax.step(s, factor);
      };
      issue_q_k(0);
      wgmma_wait<0>();
      wgmma_hold(s);
      release(0, 0);
      turn_into_p(0);
      pack_probabilities(s, p, 0, BLOCK_N);
      for (int i = 1; i < count; ++i) {
        start_scores(i);
        wait_k(i, 0);
        take_turn(i);
        issue_q_k(i);
        wait_v(i - 1);
        issue_p_v(i - 1, 0, BLOCK_N);
        pass_turn(i);
        wgmma_wait<1>();
        wgmma_hold(s);
        release(0, i);
        turn_into_p(i);
        wgmma_wait<0>();
        wgmma_hold(output);
        wgmma_hold(p);
        release(1, i - 1);
        softmax.rescale(output);
        pack_probabilities(s, p, 0, BLOCK_N);
      }
      wait_v(count - 1);
      issue_p_v(count - 1, 0, BLOCK_N);
      wgmma_wait<0>();
      wgmma_hold(output);
      release(1, count - 1);
#else
      if (!MASK_FIRST) barrier_wait(q_full, 0);
      for (int i = 0; i < count; ++i) {
        const int first_key = first_key_of(i);
        const bool masked = !MASK_FIRST && is_masked(first_key);
        start_scores(i);
        if (MASK_FIRST && i == 0) barrier_wait(q_full, 0);
        issue_q_k(i);
#if PINGPONG
        // Within its turn a warpgroup waits for nobody, and it awaits its turn with nothing that others wait
        // for.
        wgmma_wait<0>();
        release(0, i);
        wait_v(i);
        take_turn(i);
#endif
#pragma unroll
        for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) {
          const int begin = chunk * K_CHUNK;
          wgmma_wait_for(QK_CHUNKS - 1 - chunk);
          wgmma_hold(s);
          if (__builtin_expect(masked, 0)) mask(s, first_key, row, seq, causal, t, begin, begin + K_CHUNK);
          softmax.look(s, begin, begin + K_CHUNK);
        }
        if (!PINGPONG) release(0, i);
        softmax.raise(factor);
        if (i > 0) softmax.rescale(output);
        if (!PINGPONG) wait_v(i);
#pragma unroll
        for (int chunk = 0; chunk < PV_CHUNKS; ++chunk) {
          const int begin = chunk * V_CHUNK, end = begin + V_CHUNK;
          softmax.powers(s, factor, begin, end);
          pack_probabilities(s, p, begin, end);
          issue_p_v(i, begin, end);
        }
        pass_turn(i);
        wgmma_wait<0>();
        wgmma_hold(output);
        wgmma_hold(p);
        release(1, i);
      }
#endif
    }

    const bool o_aligned = (o_batch_stride | o_head_stride | o_row_stride) % 8 == 0 &&
                           reinterpret_cast<unsigned long long>(o) % 16 == 0;
    __half* const o_head = o + work.batch * o_batch_stride + work.head * o_head_stride;
#if SPLIT_KV > 1
    named_sync(8 + part, 128);  // a ring is written once its part's four warps have read it
    leave_part(part, rings, output, softmax);
    named_sync(1, CONSUMER_THREADS);
    finish_part(part, rings, output, o_head, o_row_stride, row, seq, o_aligned);
#else
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float inverse = reciprocal(quad_sum(softmax.sum[r]));
      unsigned words[HEAD_DIM / 8];
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; ++n)
        words[n] = pack_halves(output[4 * n + 2 * r] * inverse, output[4 * n + 2 * r + 1] * inverse);
      store_row<HEAD_DIM / 8>(o_head + (row + 8 * r) * o_row_stride, words, t, row + 8 * r < seq, o_aligned);
    }
#endif
  } else {
#if PRODUCER == PRODUCER_warpgroup
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
#endif
    if (warp == 4 * CONSUMERS) {
      if (!started) producer.load_q(q_map, q + head_offset, shared, q_full);
      producer.run(started);
    }
  }
  // A block of a cluster may leave: what others deliver to it, it has waited for, and their arrivals on its
  // barriers are those that its producer has waited for.
  if (CLUSTER > 1 && !SELF && warp < 4 * CONSUMERS) cluster_wait();
}
