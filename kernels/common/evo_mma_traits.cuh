// Template mma: what its genes make of threads, tiles and shared memory. The template defines its genes before it
// includes this.
#pragma once

#include "evo_online_softmax.cuh"
#include "evo_tile.cuh"

constexpr int WARPS_M = NUM_WARPS / KV_WARPS;
constexpr int THREADS = NUM_WARPS * 32;
constexpr int M_TILES = BLOCK_M / (16 * WARPS_M);  // 16-row tiles of a warp
constexpr int WARP_ROWS = 16 * M_TILES;
constexpr int SLICE = BLOCK_N / KV_WARPS;  // keys of a tile that a warp computes
constexpr int STEP_N = SLICE / KEY_STEPS;  // keys of a softmax step
constexpr int N_TILES = STEP_N / 8;
constexpr int D_TILES = HEAD_DIM / 8;
constexpr int PART = D_TILES / KV_WARPS;  // column tiles of O that a warp writes

constexpr bool SPLIT_COMMITS = KV_COMMITS == KV_COMMITS_split;
constexpr bool TOP = PREFETCH == PREFETCH_top;
constexpr bool INTERLEAVED = PREFETCH == PREFETCH_interleaved;
constexpr bool AHEAD = OVERLAP == OVERLAP_next_scores && KEY_STEPS > 1;
constexpr bool GROUP_COPIES = COPY_WARPS == COPY_WARPS_group;
constexpr bool CACHED_COPIES = COPY_CACHE == COPY_CACHE_ca;
constexpr bool BACKWARD = KV_ORDER == KV_ORDER_backward;
constexpr bool ROWS_FIRST = GRID_ORDER == GRID_ORDER_rows_first;
constexpr bool PAIRED = CAUSAL_ORDER == CAUSAL_ORDER_paired;
constexpr int ROW_PARTS = PAIRED ? 2 : 1;
constexpr int PART_ROWS = BLOCK_M / ROW_PARTS;

// Groups of copies that may be under way when a tile is needed: those issued after its own.
constexpr int PENDING_K = !SPLIT_COMMITS ? (TOP ? STAGES - 2 : STAGES - 1)
                          : INTERLEAVED  ? 2 * (STAGES - 1)
                                         : 2 * (TOP ? STAGES - 2 : STAGES - 1) + 1;
constexpr int PENDING_V = 2 * (STAGES - 1);

using Layout = TileLayout<HEAD_DIM, SMEM_LAYOUT == SMEM_LAYOUT_swizzle>;
constexpr int Q_BYTES = Q_SOURCE == Q_SOURCE_direct ? 0 : BLOCK_M * Layout::PITCH;
constexpr int STAGE_BYTES = BLOCK_N * Layout::PITCH;
constexpr int TILE_BYTES = Q_BYTES + 2 * STAGES * STAGE_BYTES;
constexpr int MERGE_OFFSET = MERGE_SPACE == MERGE_SPACE_own ? TILE_BYTES : 0;

// Hardware barriers of groups of warps: 1 .. KV_WARPS of those with the same keys, then of those with the same rows.
constexpr int KEY_GROUP_THREADS = WARPS_M * 32;
constexpr int ROW_GROUP_THREADS = KV_WARPS * 32;

using Scores = float[M_TILES][N_TILES][4];
using QFragments = unsigned[M_TILES][HEAD_DIM / 16][4];
using Softmax = OnlineSoftmax<M_TILES, D_TILES, static_cast<Rescale>(RESCALE), ROW_SUM == ROW_SUM_mma,
                              EXP_VARIANT == EXP_VARIANT_exp2, POLYNOMIAL_EVERY>;
