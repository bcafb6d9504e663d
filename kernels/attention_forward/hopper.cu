// Forward attention for sm_90a in the manner of FlashAttention-3: TMA fills rings of K and V, warpgroups multiply with
// wgmma and keep S, P and O in registers.
//
// Work tiles. A block works on BLOCK_M = 64 * WARPGROUPS_M queries of a head at a time, on up to QUERY_BLOCKS such work
// tiles in turn. Its producer goes on to the next one's first copies while the consumers end the last one.
//
// Parts. Tile i of BLOCK_N keys belongs to part i % SPLIT_KV. Each part has warpgroups, a softmax, and a ring of STAGES
// tiles of K and of V; the parts' results are merged through shared memory at the end. A part that has one tile
// computes a plain softmax in a single pass.
//
// Mainloops. With OVERLAP the softmax of a tile runs beside its neighbours' products: Q K^T of the next tile and P V of
// the last one are under way (FlashAttention-3's overlap within a warpgroup). Without it a tile's products are made in
// chunks of its keys (QK_CHUNKS, PV_CHUNKS): the maxima of the first chunks are found beside the last chunks' Q K^T,
// and P of the last chunks is computed beside the first chunks' P V.
//
// Mbarriers. Each stage of a ring has a `full` barrier, K one for each chunk, on which the copies arrive, and an
// `empty` one, on which each warp arrives that has read the stage. Q has the same for each warpgroup: it is loaded anew
// once the warpgroup has met its last key, or once it is in registers (Q_SOURCE).
//
// Copies. PRODUCER says who starts them: a warp beside the consumers (warpgroup: in a warpgroup that leaves most of its
// registers to them), or each part itself, with its first warp (COPY tma) or with all (cp_async). Tensor maps and
// cp.async need arrays that begin at a multiple of 16 bytes, with rows, heads and batches at distances of such
// multiples. An array for which that is not so is copied element by element to the same places, with the same barriers.
#include <cuda_fp16.h>

#include "evo_wgmma_consumer.cuh"
#include "evo_wgmma_output.cuh"
#include "evo_wgmma_softmax.cuh"
#include "evo_wgmma_traits.cuh"

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
  // Q of each warpgroup, the parts' rings, O's rows, barriers of Q, barriers of the rings.
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned char* const rings = shared + WARPGROUPS_M * Q_BYTES;
  const unsigned q_address = shared_address(shared);
  const unsigned rings_address = q_address + WARPGROUPS_M * Q_BYTES;
  const unsigned q_full = rings_address + SPLIT_KV * RING_BYTES + O_BYTES;
  const unsigned barriers = q_full + 8 * Q_BARRIERS;

  // Barrier i of a part's ring: all warps that read a stage release it; one thread fills it with TMA, else each that
  // copies.
  const auto init_ring_barrier = [&](int part, int i) {
    mbarrier_init(barriers + 8 * (part * RING_BARRIERS + i), i >= EMPTY ? 4 * WARPGROUPS_M * CLUSTER
                                                             : USE_TMA  ? 1
                                                                        : COPY_THREADS);
  };
  // With EARLY_LOADS one thread prepares and starts the copies of Q and of the first turn's K before all else. Their
  // barriers come first: a launch's first look at its parameters takes hundreds of cycles, and the other warps have it
  // over with meanwhile.
  const int thread = static_cast<int>(threadIdx.x);
  const bool loads_early = EARLY_LOADS && thread == (CONSUMERS_COPY ? 0 : CONSUMER_THREADS);
  if (loads_early) {
#pragma unroll
    for (int group = 0; group < WARPGROUPS_M; ++group) mbarrier_init(q_full + 8 * group, 1);
#pragma unroll
    for (int part = 0; part < SPLIT_KV; ++part) {
#pragma unroll
      for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) init_ring_barrier(part, chunk);
    }
    fence_mbarrier_init();
  }
  // What tensor maps demand: strides of multiples of 16 bytes below 2^40 bytes (the bits that such a stride may have, in
  // elements), and of each array an address of its own at such a multiple.
  constexpr long long tma_strides = (1ll << 39) - 8;
  const bool strides_fit = ((batch_stride | head_stride | row_stride) & ~tma_strides) == 0;
  const auto at_16_bytes = [](const __half* array) {
    return reinterpret_cast<unsigned long long>(array) % 16 == 0;
  };
  const bool q_aligned = strides_fit & at_16_bytes(q), k_aligned = strides_fit & at_16_bytes(k);
  const bool v_aligned = strides_fit & at_16_bytes(v);
  const bool first_loads_issued = EARLY_LOADS && q_aligned && k_aligned;
  if (loads_early && first_loads_issued) {
    const Producer early{k_map, v_map,         k,        v,   row_stride,
                         rings, rings_address, barriers, seq, 0,
                         true,  true,          true,     0,   get_work_tile(seq, causal, 0),
                         0};
    early.load_q(q_map, q, shared, q_full, 0);
    early.load_all_parts(K, 0);
  }

  const int warp = __shfl_sync(0xffffffffu, thread / 32, 0);
  const int lane = thread % 32;
  const WorkTile work = get_work_tile(seq, causal, 0);
  const unsigned rank = CLUSTER > 1 ? block_rank_in_cluster() : 0;
  const long long head_offset = work.batch * batch_stride + work.head * head_stride;

  const Producer producer{
      k_map,    v_map, k + head_offset,       v + head_offset, row_stride, rings,     rings_address,
      barriers, seq,   thread % COPY_THREADS, q_aligned,       k_aligned,  v_aligned, rank,
      work,     0};
  // An initialisation takes tens of cycles, one after the other within a warp: so every warp does its share, but for
  // the first of a part that copies for itself.
  if (lane == 0) {
    if (EARLY_LOADS) {
      constexpr int PART_WARPS = CONSUMER_WARPS / SPLIT_KV;
      if (warp < CONSUMER_WARPS && (!CONSUMERS_COPY || warp % PART_WARPS != 0)) {
        for (int i = QK_CHUNKS + warp % PART_WARPS - CONSUMERS_COPY; i < RING_BARRIERS;
             i += PART_WARPS - CONSUMERS_COPY)
          init_ring_barrier(warp / PART_WARPS, i);
        fence_mbarrier_init();
      }
    } else {
      if (USE_TMA && warp == (CONSUMERS_COPY ? 0 : CONSUMER_WARPS)) {
        tma_prefetch_descriptor(q_map);
        tma_prefetch_descriptor(k_map);
        tma_prefetch_descriptor(v_map);
      }
      if (warp < WARPGROUPS_M) mbarrier_init(q_full + 8 * warp, USE_TMA ? 1 : Q_THREADS);
#pragma unroll 1
      for (int i = warp; i < SPLIT_KV * RING_BARRIERS; i += WARPS)
        init_ring_barrier(i / RING_BARRIERS, i % RING_BARRIERS);
      fence_mbarrier_init();
    }
  }
  if (QUERY_BLOCKS > 1 && warp < WARPGROUPS_M && lane == 0) {
    mbarrier_init(q_full + 8 * (WARPGROUPS_M + warp), 4);
    fence_mbarrier_init();
  }
  // Nobody waits on a barrier before it is initialised. Blocks of a cluster deliver to each other only after
  // the wait below; who consumes what they delivered needs no wait of its own.
  if (CLUSTER > 1) cluster_arrive();
  __syncthreads();
  if (CLUSTER > 1 && (CONSUMERS_COPY || warp >= CONSUMER_WARPS)) cluster_wait();
  if (warp < CONSUMER_WARPS) {
    if constexpr (PRODUCER_WARPGROUP) warpgroup_reg_alloc<CONSUMER_REGISTERS>();
    const int group = warp / 4;
    Consumer::warp_scheduler_barrier_init(group);
    // With EARLY_LOADS the first copies are under way, unless rows of Q or of K are not aligned: then they come
    // here, element by element.
    Producer late = producer;
    if (EARLY_LOADS) late.q_aligned = late.k_aligned = false;
    if (!USE_TMA || (CONSUMERS_COPY && warp == 0 && !first_loads_issued))
      late.load_q(q_map, q + head_offset, shared, q_full, 0);
    const int part = SPLIT_KV > 1 ? group : 0;
    const int row_group = SPLIT_KV > 1 ? 0 : group;
    const unsigned k_tiles = rings_address + part * RING_BYTES;
    // K stands as n rows of k (its rows are 8-row groups apart), V as k rows of n.
    Consumer consumer{producer};
    consumer.group = group;
    consumer.part = part;
    consumer.row_offset = 64 * row_group;
    consumer.warp = warp;
    consumer.lane = lane;
    consumer.seq = seq;
    consumer.causal = causal;
    consumer.softmax_scale_log2 = scale * LOG2_E;
    consumer.issues_copies = CONSUMERS_COPY && (!USE_TMA || warp == 4 * part);
    consumer.full = barriers + 8 * part * RING_BARRIERS;
    consumer.q_full = q_full + 8 * row_group;
    consumer.q_tile = q_address + row_group * Q_BYTES;
    consumer.q_desc = make_smem_descriptor<ROW_BYTES>(16) + smem_descriptor_address(consumer.q_tile);
    consumer.k_desc = make_smem_descriptor<ROW_BYTES>(16) + smem_descriptor_address(k_tiles);
    consumer.v_desc = make_smem_descriptor<ROW_BYTES>(KV_PANEL_BYTES) +
                      smem_descriptor_address(k_tiles + STAGES * TILE_BYTES);
    consumer.tiles_before = 0;
    consumer.start_work_tile(work, 0);
    const bool o_aligned = (o_batch_stride | o_head_stride | o_row_stride) % 8 == 0 && at_16_bytes(o);
    __half* const o_head = o + work.batch * o_batch_stride + work.head * o_head_stride;

    float s[BLOCK_N / 2];
    float o_acc[HEAD_DIM / 2];
    unsigned p[BLOCK_N / 4];
    unsigned q_regs[Q_FRAGMENTS][4];
    if (consumer.issues_copies) {
      if (!first_loads_issued && consumer.tile_count > 0) late.load(K, part, 0);
      for (int i = 1; i < min(STAGES, consumer.tile_count); ++i) producer.load(K, part, i);
      for (int i = 0; i < min(STAGES, consumer.tile_count); ++i) producer.load(V, part, i);
    }
#pragma unroll 1
    for (;;) {
      Softmax softmax;
#pragma unroll
      for (int i = 0; i < HEAD_DIM / 2; ++i) o_acc[i] = 0.0f;
      for (int i = 0; i < consumer.tile_begin; ++i) consumer.skip(i);
      if (consumer.tile_begin < consumer.tile_end) {
        if constexpr (OVERLAP) {
          // Q K^T of a tile and P V of the last one are under way beside the softmax.
          const auto update_row_max = [&](int i) {
            if (!MASK_ACCUMULATORS && __builtin_expect(consumer.needs_mask(i), 0))
              apply_mask(s, consumer.key_tile_of(i) * BLOCK_N, consumer.row, seq, causal, lane % 4, 0,
                         BLOCK_N);
            softmax.update_tile_max(s, 0, BLOCK_N);
            softmax.update_row_max(consumer.softmax_scale_log2);
          };
          int i = consumer.tile_begin;
          consumer.init_accumulators(s, i);
          consumer.wait_q(q_regs);
          consumer.wait_k(i, 0);
          if (i > 0) consumer.warp_scheduler_barrier_sync();
          consumer.issue_qk(s, q_regs, i);
          if (i > 0) consumer.warp_scheduler_barrier_arrive();
          warpgroup_wait<0>();
          warpgroup_fence_operand(s);
          consumer.release_k(i);
          update_row_max(i);
          softmax.exp2_scores(s, consumer.softmax_scale_log2, 0, BLOCK_N);
          convert_p(s, p, 0, BLOCK_N);
          for (++i; i < consumer.tile_end; ++i) {
            consumer.init_accumulators(s, i);
            consumer.wait_k(i, 0);
            if (V_WAIT == V_WAIT_before) consumer.wait_v(i - 1);
            consumer.warp_scheduler_barrier_sync();
            consumer.issue_qk(s, q_regs, i);
            if (V_WAIT == V_WAIT_after) consumer.wait_v(i - 1);
            consumer.issue_pv(o_acc, p, i - 1, 0, BLOCK_N);
            consumer.warp_scheduler_barrier_arrive();
            warpgroup_wait<1>();
            warpgroup_fence_operand(s);
            consumer.release_k(i);
            update_row_max(i);
            // The compiler moves the wait below up, ahead of everything that needs no O: ahead of the exponentials, too,
            // which are to run beside P V. Those under a condition, though it always holds, stay where they are.
            constexpr int PINNED = POWERS_PINNED * BLOCK_N / 4 / 8 * 8;
            if (PINNED == 0 || seq > 0)
              softmax.exp2_scores(s, consumer.softmax_scale_log2, 0, PINNED > 0 ? PINNED : BLOCK_N);
            warpgroup_wait<0>();
            warpgroup_fence_operand(o_acc);
            warpgroup_fence_operand(p);
            consumer.release(V, i - 1);
            softmax.rescale_o(o_acc);
            if (PINNED > 0) softmax.exp2_scores(s, consumer.softmax_scale_log2, PINNED, BLOCK_N);
            convert_p(s, p, 0, BLOCK_N);
          }
          consumer.wait_v(i - 1);
          consumer.issue_pv(o_acc, p, i - 1, 0, BLOCK_N);
          warpgroup_wait<0>();
          warpgroup_fence_operand(o_acc);
          consumer.release(V, i - 1);
        } else {
          // A tile's softmax runs beside its own products, in chunks of its keys.
          if (!MASK_ACCUMULATORS) consumer.wait_q(q_regs);
          for (int i = consumer.tile_begin; i < consumer.tile_end; ++i) {
            const bool masked = !MASK_ACCUMULATORS && consumer.needs_mask(i);
            consumer.init_accumulators(s, i);
            if (MASK_ACCUMULATORS && i == consumer.tile_begin) consumer.wait_q(q_regs);
            consumer.issue_qk(s, q_regs, i);
            if (PINGPONG) {
              // Within its turn a warpgroup waits for nobody, and it awaits its turn with nothing that others wait
              // for.
              warpgroup_wait<0>();
              consumer.release_k(i);
              consumer.wait_v(i);
              consumer.warp_scheduler_barrier_sync();
            }
#pragma unroll
            for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) {
              const int begin = chunk * QK_KEYS, end = begin + QK_KEYS;
              warpgroup_wait_for(QK_CHUNKS - 1 - chunk);
              warpgroup_fence_operand(s);
              if (__builtin_expect(masked, 0))
                apply_mask(s, consumer.key_tile_of(i) * BLOCK_N, consumer.row, seq, causal, lane % 4, begin,
                           end);
              softmax.update_tile_max(s, begin, end);
            }
            if (!PINGPONG) consumer.release_k(i);
            softmax.update_row_max(consumer.softmax_scale_log2);
            if (i > consumer.tile_begin) softmax.rescale_o(o_acc);
            if (!PINGPONG) consumer.wait_v(i);
#pragma unroll
            for (int chunk = 0; chunk < PV_CHUNKS; ++chunk) {
              const int begin = chunk * PV_KEYS, end = begin + PV_KEYS;
              softmax.exp2_scores(s, consumer.softmax_scale_log2, begin, end);
              convert_p(s, p, begin, end);
              consumer.issue_pv(o_acc, p, i, begin, end);
            }
            consumer.warp_scheduler_barrier_arrive();
            warpgroup_wait<0>();
            warpgroup_fence_operand(o_acc);
            warpgroup_fence_operand(p);
            consumer.release(V, i);
          }
        }
      }
      for (int i = consumer.tile_end; i < consumer.tile_count; ++i) consumer.skip(i);
      if constexpr (SPLIT_KV > 1) {
        named_barrier_sync(PART_BARRIER + part, 128);
        publish_partial_o(part, rings, o_acc, softmax);
        named_barrier_sync(MERGE_BARRIER, CONSUMER_THREADS);
        merge_partial_o(part, rings, o_acc, o_head, o_row_stride, consumer.row, seq, o_aligned);
      } else {
        store_o(o_acc, softmax, rings + SPLIT_KV * RING_BYTES + O_BYTES / CONSUMER_WARPS * warp, o_head,
                o_row_stride, consumer.row, seq, o_aligned);
      }
      if (QUERY_BLOCKS == 1) break;
      const WorkTile next = get_work_tile(seq, causal, consumer.unit + 1);
      if (next.tiles == 0) break;
      consumer.tiles_before += consumer.tile_count;
      consumer.start_work_tile(next, consumer.unit + 1);
    }
    consumer.warp_scheduler_barrier_drain();
  } else {
    if constexpr (PRODUCER_WARPGROUP) warpgroup_reg_dealloc<PRODUCER_REGISTERS>();
    if (warp == CONSUMER_WARPS) {
      Producer unit_producer = producer;
#pragma unroll 1
      for (int unit = 0; unit < QUERY_BLOCKS && unit_producer.work.tiles > 0;) {
        unit_producer.load_work_tile(q_map, q + head_offset, shared, q_full, unit,
                                     first_loads_issued && unit == 0);
        unit_producer.tiles_before += (unit_producer.work.tiles + SPLIT_KV - 1) / SPLIT_KV;
        unit_producer.work = get_work_tile(seq, causal, ++unit);
      }
    }
  }
  // A block of a cluster may leave: it has waited for what others deliver to it, and its producer for their arrivals on
  // its barriers.
  if (CLUSTER > 1 && !CONSUMERS_COPY && warp < CONSUMER_WARPS) cluster_wait();
}
