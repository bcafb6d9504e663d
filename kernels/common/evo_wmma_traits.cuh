// Template wmma: what its genes make of threads, tiles and shared memory. The template defines its genes before it
// includes this.
#pragma once

#include "evo_padded_tile.cuh"
#include "evo_row_factors.cuh"
#include "evo_warp_grid.cuh"
#include "evo_wmma.cuh"

constexpr int THREADS = NUM_WARPS * 32;
constexpr int WARPS_M = NUM_WARPS / COL_WARPS;
using Grid = WarpGrid<BLOCK_M, WARPS_M, COL_WARPS, WARP_ORDER == WARP_ORDER_rows_first>;
constexpr int STRIPS = Grid::STRIPS, GROUP_ROWS = 16 * STRIPS, GROUP_THREADS = Grid::GROUP_THREADS;
constexpr int KEY_TILES = Grid::TILES<BLOCK_N>, DIM_TILES = Grid::TILES<HEAD_DIM>;  // of a warp in S and O
constexpr int TILE_UNROLL = UNROLL;  // pragmas take constants, not macros

constexpr bool HALF_SCORES = S_DTYPE == S_DTYPE_half;
constexpr bool IN_PLACE = P_PLACE == P_PLACE_in_place;
constexpr bool SHARED_OUTPUT = OUTPUT_PLACE == OUTPUT_PLACE_shared;
constexpr bool Q_IN_REGISTERS = Q_SOURCE == Q_SOURCE_fragments;
constexpr FactorRoute ROUTE = static_cast<FactorRoute>(ROW_FACTORS);
constexpr bool STAGED = EPILOGUE == EPILOGUE_staged;
constexpr bool V_APART = KV_BUFFER == KV_BUFFER_apart;
constexpr bool SPLIT_COMMITS = V_APART && KV_COMMITS == KV_COMMITS_split;
constexpr bool FOLDED = EXP_VARIANT == EXP_VARIANT_exp2;
constexpr bool ASYNC = COPY != COPY_ldg;
constexpr bool ROWS_FIRST = GRID_ORDER == GRID_ORDER_rows_first;
#ifdef EVO_PROBE_ENABLED
constexpr bool PROBED = true;
#else
constexpr bool PROBED = false;
#endif
constexpr bool NEEDS_MAP =
    HALF_SCORES || (!SHARED_OUTPUT && (ROUTE != FactorRoute::tile || !STAGED)) || PROBED;

template <bool HALF>
struct ScoreType {
  using Type = float;
};
template <>
struct ScoreType<true> {
  using Type = __half;
};
using Score = ScoreType<HALF_SCORES>::Type;
using Layout = PaddedLayout<HEAD_DIM, SMEM_PAD>;
constexpr int ROW_PITCH = HEAD_DIM + SMEM_PAD;  // of Q, K and V
constexpr int S_PITCH = BLOCK_N + S_PAD;
constexpr int P_PITCH = IN_PLACE ? S_PITCH * static_cast<int>(sizeof(Score)) / 2 : BLOCK_N + P_PAD;
constexpr int O_PITCH = HEAD_DIM + 4;

// Threads of the softmax: THREADS_PER_ROW to a row, PASSES rows one after the other.
constexpr int PASS_ROWS = GROUP_THREADS / THREADS_PER_ROW;
constexpr int PASSES = (GROUP_ROWS + PASS_ROWS - 1) / PASS_ROWS;
constexpr int CHUNKS =
    (BLOCK_N / SOFTMAX_VEC + THREADS_PER_ROW - 1) / THREADS_PER_ROW;  // of a thread in a row
constexpr bool KEPT = SCORE_READS == SCORE_READS_once;
using Factors = RowFactors<ROUTE, THREADS_PER_ROW, PASS_ROWS, PASSES>;

// Bytes of shared memory, in its order. The map's table lies in the place of S and P, O of a staged epilogue
// from Q on.
constexpr int FACTOR_BYTES = BLOCK_M * Factors::PITCH * 4;
constexpr int Q_BYTES = BLOCK_M * ROW_PITCH * 2;
constexpr int TILE_BYTES = BLOCK_N * ROW_PITCH * 2;
constexpr int S_BYTES = BLOCK_M * S_PITCH * static_cast<int>(sizeof(Score));
constexpr int P_BYTES = IN_PLACE ? 0 : BLOCK_M * P_PITCH * 2;
constexpr int SP_BYTES = S_BYTES + P_BYTES > SumMap::TABLE_BYTES ? S_BYTES + P_BYTES : SumMap::TABLE_BYTES;

// Groups of copies that may be under way when K is needed, and when V is, where it is awaited apart.
constexpr int PENDING_K = SPLIT_COMMITS ? 1 : 0, PENDING_V = STAGES == 2 ? 2 : 0;

// What a warp keeps in registers of Q and of O.
using QFragments = LeftTile[Q_IN_REGISTERS ? STRIPS : 1][Q_IN_REGISTERS ? HEAD_DIM / 16 : 1];
using OutputTiles = SumTile[SHARED_OUTPUT ? 1 : STRIPS][SHARED_OUTPUT ? 1 : DIM_TILES];
