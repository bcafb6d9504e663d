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

#include "evo_wgmma_barriers.cuh"
#include "evo_wgmma_consumer.cuh"
#include "evo_wgmma_mainloop.cuh"
#include "evo_wgmma_output.cuh"
#include "evo_wgmma_softmax.cuh"
#include "evo_wgmma_traits.cuh"

// The first copies of a part that copies for itself. `late`: whom the very first ones are left to, unless EARLY_LOADS
// has them under way.
__device__ __forceinline__ void fill_ring(const Consumer& consumer, const Producer& producer,
                                          const Producer& late, bool first_loads_issued) {
  const int part = consumer.part;
  if (!first_loads_issued && consumer.tile_count > 0) late.load(K, part, 0);
  for (int i = 1; i < min(STAGES, consumer.tile_count); ++i) producer.load(K, part, i);
  for (int i = 0; i < min(STAGES, consumer.tile_count); ++i) producer.load(V, part, i);
}

// O of a work tile to global memory: `rows` is the head's first row.
struct Output {
  __half* rows;
  long long row_stride;
  bool aligned;

  __device__ __forceinline__ void store(const Consumer& consumer, Softmax& softmax,
                                        const Fragments& fragments, const SharedStorage& storage) const {
    const int part = consumer.part;
    if constexpr (SPLIT_KV > 1) {
      named_barrier_sync(PART_BARRIER + part, 128);
      publish_partial_o(part, storage.rings, fragments.o, softmax);
      named_barrier_sync(MERGE_BARRIER, CONSUMER_THREADS);
      merge_partial_o(part, storage.rings, fragments.o, rows, row_stride, consumer.row, consumer.seq,
                      aligned);
    } else {
      store_o(fragments.o, softmax, storage.o_rows + O_BYTES / CONSUMER_WARPS * consumer.warp, rows,
              row_stride, consumer.row, consumer.seq, aligned);
    }
  }
};

// A consumer's work tiles, one after the other.
__device__ __forceinline__ void consume(Consumer& consumer, const SharedStorage& storage,
                                        const Output& output) {
  float s[BLOCK_N / 2];
  float o[HEAD_DIM / 2];
  unsigned p[BLOCK_N / 4];
  unsigned q[Q_FRAGMENTS][4];
  const Fragments fragments{s, o, p, q};
#pragma unroll 1
  for (;;) {
    Softmax softmax;
    mainloop(consumer, softmax, fragments);
    output.store(consumer, softmax, fragments, storage);
    if (QUERY_BLOCKS == 1) break;
    const WorkTile next = get_work_tile(consumer.seq, consumer.causal, consumer.unit + 1);
    if (next.tiles == 0) break;
    consumer.tiles_before += consumer.tile_count;
    consumer.start_work_tile(next, consumer.unit + 1);
  }
  consumer.warp_scheduler_barrier_drain();
}

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
  const SharedStorage storage(shared);

  // With EARLY_LOADS one thread prepares and starts the copies of Q and of the first turn's K before all else. Their
  // barriers come first: a launch's first look at its parameters takes hundreds of cycles, and the other warps have it
  // over with meanwhile.
  const int thread = static_cast<int>(threadIdx.x);
  const bool loads_early = EARLY_LOADS && thread == (CONSUMERS_COPY ? 0 : CONSUMER_THREADS);
  if (loads_early) storage.init_first_barriers();
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
    const Producer early{k_map,
                         v_map,
                         k,
                         v,
                         row_stride,
                         storage.rings,
                         storage.rings_address,
                         storage.barriers,
                         seq,
                         0,
                         true,
                         true,
                         true,
                         0,
                         get_work_tile(seq, causal, 0),
                         0};
    early.load_q(q_map, q, shared, storage.q_full, 0);
    early.load_all_parts(K, 0);
  }

  const int warp = __shfl_sync(0xffffffffu, thread / 32, 0);
  const int lane = thread % 32;
  const WorkTile work = get_work_tile(seq, causal, 0);
  const unsigned rank = CLUSTER > 1 ? block_rank_in_cluster() : 0;
  const long long head_offset = work.batch * batch_stride + work.head * head_stride;
  const Producer producer{k_map,
                          v_map,
                          k + head_offset,
                          v + head_offset,
                          row_stride,
                          storage.rings,
                          storage.rings_address,
                          storage.barriers,
                          seq,
                          thread % COPY_THREADS,
                          q_aligned,
                          k_aligned,
                          v_aligned,
                          rank,
                          work,
                          0};

  if (lane == 0 && EARLY_LOADS) storage.init_other_barriers(warp);
  if (lane == 0 && !EARLY_LOADS) {
    if (USE_TMA && warp == (CONSUMERS_COPY ? 0 : CONSUMER_WARPS)) {
      tma_prefetch_descriptor(q_map);
      tma_prefetch_descriptor(k_map);
      tma_prefetch_descriptor(v_map);
    }
    storage.init_all_barriers(warp);
  }
  if (QUERY_BLOCKS > 1 && warp < WARPGROUPS_M && lane == 0) storage.init_q_empty(warp);
  // Nobody waits on a barrier before it is initialised. Blocks of a cluster deliver to each other only after
  // the wait below; who consumes what they delivered needs no wait of its own.
  if (CLUSTER > 1) cluster_arrive();
  __syncthreads();
  if (CLUSTER > 1 && (CONSUMERS_COPY || warp >= CONSUMER_WARPS)) cluster_wait();

  if (warp < CONSUMER_WARPS) {
    if constexpr (PRODUCER_WARPGROUP) warpgroup_reg_alloc<CONSUMER_REGISTERS>();
    const int group = warp / 4;
    Consumer::warp_scheduler_barrier_init(group);
    // With EARLY_LOADS the first copies are under way, unless rows of Q or of K are not aligned: then they come here,
    // element by element.
    Producer late = producer;
    if (EARLY_LOADS) late.q_aligned = late.k_aligned = false;
    if (!USE_TMA || (CONSUMERS_COPY && warp == 0 && !first_loads_issued))
      late.load_q(q_map, q + head_offset, shared, storage.q_full, 0);
    Consumer consumer(producer, storage, causal, scale, group, warp, lane);
    const bool o_aligned = (o_batch_stride | o_head_stride | o_row_stride) % 8 == 0 && at_16_bytes(o);
    __half* const o_head = o + work.batch * o_batch_stride + work.head * o_head_stride;
    if (consumer.issues_copies) fill_ring(consumer, producer, late, first_loads_issued);
    consume(consumer, storage, {o_head, o_row_stride, o_aligned});
  } else {
    if constexpr (PRODUCER_WARPGROUP) warpgroup_reg_dealloc<PRODUCER_REGISTERS>();
    if (warp == CONSUMER_WARPS) {
      Producer unit_producer = producer;
#pragma unroll 1
      for (int unit = 0; unit < QUERY_BLOCKS && unit_producer.work.tiles > 0;) {
        unit_producer.load_work_tile(q_map, q + head_offset, shared, storage.q_full, unit,
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
