// Template hopper: what its genes make of the block's threads, of tiles and rings in shared memory, of their mbarriers,
// and of the two products. The template defines its genes before it includes this.
#pragma once

#include "evo_wgmma.cuh"

// Threads. Consumer warpgroups multiply: WARPGROUPS_M of them share their keys, SPLIT_KV their queries.
constexpr int BLOCK_M = 64 * WARPGROUPS_M;
constexpr int CONSUMERS = WARPGROUPS_M * SPLIT_KV;
constexpr int CONSUMER_WARPS = 4 * CONSUMERS;
constexpr int CONSUMER_THREADS = 128 * CONSUMERS;
constexpr bool CONSUMERS_COPY = PRODUCER == PRODUCER_self;
constexpr bool PRODUCER_WARPGROUP = PRODUCER == PRODUCER_warpgroup;
constexpr int THREADS = CONSUMER_THREADS + (PRODUCER_WARPGROUP ? 128 : CONSUMERS_COPY ? 0 : 32);
constexpr int WARPS = THREADS / 32;

// A producing warpgroup leaves registers to the consumers: those that the block starts with are distributed anew
// (setmaxnreg), in multiples of 8 a thread.
constexpr int LAUNCH_REGISTERS = 65536 / THREADS / 8 * 8 < 256 ? 65536 / THREADS / 8 * 8 : 256;
constexpr int REGISTERS_LEFT = (LAUNCH_REGISTERS * (CONSUMERS + 1) - PRODUCER_REGISTERS) / CONSUMERS / 8 * 8;
constexpr int CONSUMER_REGISTERS = REGISTERS_LEFT < 240 ? REGISTERS_LEFT : 240;

// Copies.
constexpr bool USE_TMA = COPY == COPY_tma;
constexpr int COPY_THREADS = USE_TMA ? 32 : 128;  // of a part's tile
constexpr int Q_THREADS = USE_TMA ? 32 : CONSUMER_THREADS;
// The copy of rows that are not aligned: out of the way of the instructions that run, but no call among wgmmas that
// are under way.
#if PRODUCER == PRODUCER_self
#define SLOW_PATH __forceinline__
#else
#define SLOW_PATH __noinline__
#endif

// The mask is written before the products with Q: they then accumulate onto 0 and minus infinity. For the first tile
// that happens while its copies are under way.
constexpr bool MASK_ACCUMULATORS = MASK_PLACE == MASK_PLACE_accumulators;
// Warpgroups pass over tiles of which none of their rows sees a key. Not where one of them copies: it would wait for
// the others to have read a tile before it gives them the turn in which they do.
constexpr bool SKIP_MASKED_TILES = SPLIT_KV == 1 && (WARPGROUPS_M > 1 || CLUSTER > 1) && !CONSUMERS_COPY;

// Tiles in shared memory: panels of up to 64 columns, whose rows are swizzled over their width.
constexpr int PANEL_COLUMNS = HEAD_DIM < 64 ? HEAD_DIM : 64;
constexpr int PANELS = HEAD_DIM / PANEL_COLUMNS;
constexpr int ROW_BYTES = 2 * PANEL_COLUMNS;
constexpr int QK_KEYS = BLOCK_N / QK_CHUNKS;  // keys that are copied, and multiplied with Q, at a time
constexpr int PV_KEYS = BLOCK_N / PV_CHUNKS;  // keys whose P is multiplied with V at a time
constexpr int Q_PANEL_BYTES = 64 * ROW_BYTES;
constexpr int KV_PANEL_BYTES = BLOCK_N * ROW_BYTES;
constexpr int Q_BYTES = PANELS * Q_PANEL_BYTES;  // of a warpgroup's 64 queries
constexpr int TILE_BYTES = PANELS * KV_PANEL_BYTES;

// A part's ring: STAGES tiles of K, then STAGES of V. Its mbarriers: full K (a stage's chunks side by side), full V,
// empty K, empty V.
constexpr int RING_BYTES = 2 * STAGES * TILE_BYTES;
constexpr int FULL_V = STAGES * QK_CHUNKS;
constexpr int EMPTY = FULL_V + STAGES;
constexpr int RING_BARRIERS = EMPTY + 2 * STAGES;
constexpr int Q_BARRIERS =
    (QUERY_BLOCKS > 1 ? 2 : 1) * WARPGROUPS_M;  // full, and empty where Q is loaded again
constexpr int O_BYTES =
    O_STORE == O_STORE_rows ? 2 * BLOCK_M * HEAD_DIM : 0;  // where O's rows are put together

// Named barriers of the block; 0 is that of __syncthreads.
constexpr int MERGE_BARRIER = 1;      // all consumers: a part's O has been published
constexpr int SCHEDULER_BARRIER = 2;  // + warpgroup: its turn
constexpr int PART_BARRIER = 8;       // + part: its four warps have read its ring

static_assert(USE_TMA || (CONSUMERS_COPY && WARPGROUPS_M == 1 && CLUSTER == 1),
              "a part copies its own tiles");
static_assert(SPLIT_KV == 1 || O_STORE != O_STORE_rows, "merged rows are stored by quads");
static_assert(SPLIT_KV == 1 || 2048 * (HEAD_DIM / 8 + 1) <= RING_BYTES, "a part's O has to fit its ring");
static_assert(QK_CHUNKS == 1 || (!OVERLAP && USE_TMA), "chunks overlap with the softmax of their own tile");
static_assert(PV_CHUNKS == 1 || !OVERLAP, "chunks overlap with the softmax of their own tile");
// Where P is not there yet when Q is read, ptxas 13.0.88 gives both the same registers, and the second tile meets a Q
// that P has overwritten.
static_assert(Q_SOURCE == Q_SOURCE_shared || OVERLAP, "Q and P would have the same registers");
static_assert(QUERY_BLOCKS == 1 || (!CONSUMERS_COPY && SPLIT_KV == 1 && CLUSTER == 1),
              "one producer goes on to the next queries, for warpgroups that share their keys");
static_assert(!EARLY_LOADS || (USE_TMA && CLUSTER == 1), "one thread starts TMA early, for its own block");

// The products. An instruction's text needs its N, the keys of a chunk, as one token.
#if QK_CHUNKS == 1
#define QK_N BLOCK_N
#elif BLOCK_N == QK_CHUNKS * 16
#define QK_N 16
#elif BLOCK_N == QK_CHUNKS * 32
#define QK_N 32
#elif BLOCK_N == QK_CHUNKS * 48
#define QK_N 48
#elif BLOCK_N == QK_CHUNKS * 64
#define QK_N 64
#elif BLOCK_N == QK_CHUNKS * 80
#define QK_N 80
#elif BLOCK_N == QK_CHUNKS * 96
#define QK_N 96
#elif BLOCK_N == QK_CHUNKS * 112
#define QK_N 112
#elif BLOCK_N == QK_CHUNKS * 128
#define QK_N 128
#endif
#if Q_SOURCE == Q_SOURCE_registers
EVO_WGMMA_RS(gemm_qk, QK_N, 0)
constexpr int Q_FRAGMENTS = HEAD_DIM / 16;  // that a thread holds
#else
EVO_WGMMA_SS(gemm_qk, QK_N, 0)
constexpr int Q_FRAGMENTS = 1;  // not used
#endif
EVO_WGMMA_RS(gemm_pv, HEAD_DIM, 1)
