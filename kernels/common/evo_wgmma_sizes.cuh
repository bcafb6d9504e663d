// Template hopper: what its genes make of the block's threads, of tiles, panels and rings in shared memory
// and of their barriers, and the two products. The template defines its genes before it includes this.
#pragma once

#include "evo_wgmma.cuh"

constexpr int BLOCK_M = 64 * WARPGROUPS_M;
constexpr int CONSUMERS = WARPGROUPS_M * SPLIT_KV;  // warpgroups
constexpr int CONSUMER_THREADS = 128 * CONSUMERS;
#if PRODUCER == PRODUCER_warpgroup
constexpr int THREADS = CONSUMER_THREADS + 128;
// The registers that the block starts with go to its warpgroups anew; counts are multiples of 8.
constexpr int LAUNCH_REGISTERS = 65536 / THREADS / 8 * 8 < 256 ? 65536 / THREADS / 8 * 8 : 256;
constexpr int CONSUMER_REGISTERS_WANTED =
    (LAUNCH_REGISTERS * (CONSUMERS + 1) - PRODUCER_REGISTERS) / CONSUMERS / 8 * 8;
constexpr int CONSUMER_REGISTERS = CONSUMER_REGISTERS_WANTED < 240 ? CONSUMER_REGISTERS_WANTED : 240;
#elif PRODUCER == PRODUCER_warp
constexpr int THREADS = CONSUMER_THREADS + 32;
#else
constexpr int THREADS = CONSUMER_THREADS;
#endif
constexpr bool SELF = PRODUCER == PRODUCER_self;
// Products with Q then start from 0 and minus infinity; for the first tile these are written while its copies
// are under way.
constexpr bool MASK_FIRST = MASK_PLACE == MASK_PLACE_accumulators;
constexpr int WARPS = THREADS / 32;
// Warpgroups pass by tiles of which their rows see no key. Not where one of them copies: it would wait for
// the others to have read a tile before it gives them the turn in which they do.
constexpr bool SKIPS = SPLIT_KV == 1 && (WARPGROUPS_M > 1 || CLUSTER > 1) && !SELF;
// Out of the way of the instructions that run, but no call among wgmmas under way.
#if PRODUCER == PRODUCER_self
#define SLOW_PATH __forceinline__
#else
#define SLOW_PATH __noinline__
#endif
#if COPY == COPY_cp_async
constexpr bool BULK = false;
static_assert(SELF && WARPGROUPS_M == 1 && CLUSTER == 1, "each part's warpgroup copies its own tiles");
#else
constexpr bool BULK = true;
#endif
constexpr int COPY_THREADS = BULK ? 32 : 128;  // that fetch a tile of a part
constexpr int Q_THREADS = BULK ? 32 : CONSUMER_THREADS;

constexpr int COLUMNS =
    HEAD_DIM < 64 ? HEAD_DIM : 64;  // of a swizzled panel: a row of HEAD_DIM has PANELS of them
constexpr int PANELS = HEAD_DIM / COLUMNS;
constexpr int ROW_BYTES = 2 * COLUMNS;
constexpr int K_CHUNK = BLOCK_N / QK_CHUNKS;  // keys whose products and copies are one step
constexpr int V_CHUNK = BLOCK_N / PV_CHUNKS;
constexpr int Q_PANEL_BYTES = 64 * ROW_BYTES;
constexpr int KV_PANEL_BYTES = BLOCK_N * ROW_BYTES;
constexpr int Q_BYTES = PANELS * Q_PANEL_BYTES;  // of the 64 queries of a warpgroup
constexpr int TILE_BYTES = PANELS * KV_PANEL_BYTES;
constexpr int RING_BYTES = 2 * STAGES * TILE_BYTES;  // of a part: its tiles of K, then its tiles of V
// Of a part: full K (a stage's chunks beside each other), full V, empty K, empty V.
constexpr int FULL_V = STAGES * QK_CHUNKS;
constexpr int EMPTY = FULL_V + STAGES;
constexpr int RING_BARRIERS = EMPTY + 2 * STAGES;
// Where O's rows are put together, of a block: between the rings and the barriers.
constexpr int OUTPUT_BYTES = O_STORE == O_STORE_rows ? 2 * BLOCK_M * HEAD_DIM : 0;
static_assert(SPLIT_KV == 1 || O_STORE != O_STORE_rows, "merged rows are stored by quads");
constexpr int Q_BARRIERS = (QUERY_BLOCKS > 1 ? 2 : 1) * WARPGROUPS_M;  // full, and empty if Q is used again
static_assert(SPLIT_KV == 1 || 2048 * (HEAD_DIM / 8 + 1) <= RING_BYTES, "a part's O has to fit its ring");

static_assert(QK_CHUNKS == 1 || (!OVERLAP && BULK), "a tile's products and softmax in turn");
static_assert(PV_CHUNKS == 1 || !OVERLAP);
// Where P is not there yet when Q is read, ptxas 13.0.88 gives both the same registers, and the second tile
// meets a Q of powers.
static_assert(Q_SOURCE == Q_SOURCE_shared || OVERLAP, "Q and P would have the same registers");
static_assert(QUERY_BLOCKS == 1 || (!SELF && SPLIT_KV == 1 && CLUSTER == 1),
              "one producer goes on to the next queries, for warpgroups that share their keys");
static_assert(!EARLY_LOADS || (BULK && CLUSTER == 1), "by the copy engine, for the own block");

// The instruction's text needs a chunk's keys as one number.
#if QK_CHUNKS == 1
#define QK_COLUMNS BLOCK_N
#elif BLOCK_N == QK_CHUNKS * 16
#define QK_COLUMNS 16
#elif BLOCK_N == QK_CHUNKS * 32
#define QK_COLUMNS 32
#elif BLOCK_N == QK_CHUNKS * 48
#define QK_COLUMNS 48
#elif BLOCK_N == QK_CHUNKS * 64
#define QK_COLUMNS 64
#elif BLOCK_N == QK_CHUNKS * 80
#define QK_COLUMNS 80
#elif BLOCK_N == QK_CHUNKS * 96
#define QK_COLUMNS 96
#elif BLOCK_N == QK_CHUNKS * 112
#define QK_COLUMNS 112
#elif BLOCK_N == QK_CHUNKS * 128
#define QK_COLUMNS 128
#endif
#if Q_SOURCE == Q_SOURCE_registers
EVO_WGMMA_RS(multiply_q_k, QK_COLUMNS, 0)
constexpr int Q_STEPS = HEAD_DIM / 16;  // whose fragments of Q a thread holds
#else
EVO_WGMMA_SS(multiply_q_k, QK_COLUMNS, 0)
constexpr int Q_STEPS = 1;  // not used
#endif
EVO_WGMMA_RS(multiply_p_v, HEAD_DIM, 1)
