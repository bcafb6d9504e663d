// Forward attention on the tensor cores through nvcuda::wmma, with S and P in shared memory: what can be
// written without knowing how a fragment's elements lie in the registers of a warp.
//
// A block owns BLOCK_M queries and walks over tiles of BLOCK_N keys: S = Q K^T into shared memory, an online
// softmax that leaves P there, O += P V. Its NUM_WARPS warps form a grid: WARPS_M groups of rows, each of
// COL_WARPS warps, which share S's columns, then the rows of the softmax, then O's columns. So rows stay
// within a group of warps, with COL_WARPS == 1 within a warp.
//
// O is in fragments or in shared memory. In fragments its rows are rescaled by factors that come, as
// ROW_FACTORS says,
//   shuffle  from the lanes that keep them, and
//   array    from shared memory, to elements whose rows a map tells that is found out at run time (SumMap);
//   tile     from shared memory, as a tile that repeats them in every column: no map is needed.
// In shared memory the threads of the softmax rescale O's rows where they stand.
//
// K of a tile is read after SYNC_PROLOGUE or SYNC_K_READY, V after SYNC_P_READY. With two stages the next
// tile is fetched once K_READY has proven that the last one is read; with one stage after SYNC_TILE_FREE. A V
// that shares K's place is fetched after SYNC_K_FREE.
#include "evo_online_softmax.cuh"
#include "evo_probe.cuh"
#include "evo_sync.cuh"
#include "evo_wmma_copies.cuh"
#include "evo_wmma_gemm.cuh"
#include "evo_wmma_output.cuh"
#include "evo_wmma_rows.cuh"
#include "evo_wmma_traits.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    attention_forward_wmma(const __half* __restrict__ q, const __half* __restrict__ k,
                           const __half* __restrict__ v, __half* __restrict__ o, long long batch_stride,
                           long long head_stride, long long row_stride, long long o_batch_stride,
                           long long o_head_stride, long long o_row_stride, int seq, int causal,
                           float scale EVO_PROBE_PARAMETER) {
  extern __shared__ __align__(128) unsigned char shared[];
  unsigned char* const q_bytes = shared + FACTOR_BYTES;
  unsigned char* const k_bytes = q_bytes + Q_BYTES;
  unsigned char* const v_bytes = k_bytes + (V_APART ? STAGES * TILE_BYTES : 0);
  unsigned char* const s_bytes = v_bytes + STAGES * TILE_BYTES;
  const __half* const q_tile = reinterpret_cast<const __half*>(q_bytes);
  Score* const s_tile = reinterpret_cast<Score*>(s_bytes);
  __half* const p_tile = reinterpret_cast<__half*>(s_bytes + (IN_PLACE ? 0 : S_BYTES));
  float* const o_tile = reinterpret_cast<float*>(SHARED_OUTPUT ? s_bytes + SP_BYTES : q_bytes);

  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const Grid place(thread);
  const int named = 1 + place.group;  // the hardware barrier of the group
  const int row_block = static_cast<int>(ROWS_FIRST ? blockIdx.x : blockIdx.y);
  const int row_blocks = static_cast<int>(ROWS_FIRST ? gridDim.x : gridDim.y);
  const int head = static_cast<int>(ROWS_FIRST ? blockIdx.y : blockIdx.x);
  [[maybe_unused]] const int heads = static_cast<int>(ROWS_FIRST ? gridDim.y : gridDim.x);  // for hooks
  const int batch = static_cast<int>(blockIdx.z);
  EVO_PROBE_SLICE(batch * heads + head);
  const bool late_first = CAUSAL_ORDER == CAUSAL_ORDER_heavy_first && causal;
  const int first_query = (late_first ? row_blocks - 1 - row_block : row_block) * BLOCK_M;
  // No query of this block sees a key past its last row.
  const int end_key = causal ? min(seq, first_query + BLOCK_M) : seq;
  const int tiles = (end_key + BLOCK_N - 1) / BLOCK_N;

  const auto rows_of = [&](const __half* data) {
    const auto* first =
        reinterpret_cast<const unsigned short*>(data) + batch * batch_stride + head * head_stride;
    const auto bits =
        reinterpret_cast<unsigned long long>(first) | static_cast<unsigned long long>(row_stride * 2);
    return GlobalRows{first, row_stride, seq, bits % 16 == 0, bits % 16 == 0 && row_stride == HEAD_DIM};
  };
  const GlobalRows k_rows = rows_of(k), v_rows = rows_of(v);
  const auto copy = [&](unsigned char* place_of, const GlobalRows& rows, int i) {
    if (i < tiles) copy_tile<BLOCK_N>(place_of + i % STAGES * TILE_BYTES, rows, i * BLOCK_N, thread);
  };
  const auto fetch_k = [&](int i) { copy(k_bytes, k_rows, i); };
  const auto fetch_v = [&](int i) {
    copy(v_bytes, v_rows, i);
    close_copies();
  };
  // K, and V where it has its own place.
  const auto fetch = [&](int i) {
    fetch_k(i);
    if (SPLIT_COMMITS || !V_APART) close_copies();
    if (V_APART) fetch_v(i);
  };

  copy_tile<BLOCK_M>(q_bytes, rows_of(q), first_query, thread);
  fetch(0);
  SumMap map;
  if constexpr (NEEDS_MAP) {
    SumMap::write_table<THREADS>(reinterpret_cast<float*>(s_bytes), thread);
    EVO_SYNC_GROUP(SYNC_MAP, named, GROUP_THREADS);
    map.read_table(reinterpret_cast<const float*>(s_bytes));
    if (PAIR_STORES && !map.paired()) __trap();
  }

  Factors factors{reinterpret_cast<float*>(shared), {}};
  float row_max[PASSES], row_sum[PASSES];
#pragma unroll
  for (int pass = 0; pass < PASSES; ++pass) row_max[pass] = minus_infinity(), row_sum[pass] = 0.0f;
  const int row_lane = place.group_thread % THREADS_PER_ROW;
  // The block's row of a pass, and whether it exists.
  const auto row_of = [&](int pass) {
    return place.first_strip * 16 + pass * PASS_ROWS + place.group_thread / THREADS_PER_ROW;
  };
  const auto has_row = [&](int pass) {
    const bool in_group = PASSES * PASS_ROWS == GROUP_ROWS ||
                          pass * PASS_ROWS + place.group_thread / THREADS_PER_ROW < GROUP_ROWS;
    return in_group && (STRIPS * WARPS_M * 16 == BLOCK_M || row_of(pass) < BLOCK_M);
  };
  OutputTiles out;
#pragma unroll
  for (auto& strip : out) {
#pragma unroll
    for (SumTile& tile : strip) wmma::fill_fragment(tile, 0.0f);
  }

  await_copies<PENDING_K>();
  EVO_SYNC_GROUP(SYNC_PROLOGUE, named, GROUP_THREADS);
  QFragments q_fragments;
  if constexpr (Q_IN_REGISTERS) load_q_fragments(q_fragments, q_tile, place);

  // What a score in shared memory is to be multiplied with. Halves are scaled before they are stored: their
  // range is small.
  const float unit = HALF_SCORES ? 1.0f : scale;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int first_key = i * BLOCK_N;
    const __half* const k_tile = reinterpret_cast<const __half*>(k_bytes + i % STAGES * TILE_BYTES);
    const __half* const v_tile = reinterpret_cast<const __half*>(v_bytes + i % STAGES * TILE_BYTES);
    if (STAGES == 2) fetch(i + 1);

      // S = Q K^T
#pragma unroll TILE_UNROLL
    for (int n = 0; n < KEY_TILES; ++n) {
      if (!place.has_tile<BLOCK_N>(n)) break;
      const int key = place.tile_column(n);
      SumTile s[STRIPS];
      gemm_qk(s, q_fragments, q_tile, k_tile, key, place);
#pragma unroll
      for (int m = 0; m < STRIPS; ++m) {
        if (!place.has_strip(m)) break;
        // Halves are scaled before they are stored: their range is small.
        Score* const target = s_tile + (place.first_strip + m) * 16 * S_PITCH + key;
        if constexpr (HALF_SCORES) {
          float scales[SumMap::ELEMENTS];
          for (float& factor : scales) factor = scale;
          store_halves<PAIR_STORES>(reinterpret_cast<__half*>(target), S_PITCH, 16, s[m], map, scales, true);
        } else {
          wmma::store_matrix_sync(reinterpret_cast<float*>(target), s[m], S_PITCH, wmma::mem_row_major);
        }
      }
    }
    EVO_SYNC_GROUP(SYNC_S_READY, named, GROUP_THREADS);
    if constexpr (!V_APART) {
      EVO_SYNC_GROUP(SYNC_K_FREE, named, GROUP_THREADS);
      fetch_v(i);
    }

    // Online softmax. Key 0 is visible to every row, so the maximum is finite from the first tile on.
    const bool masked = MASK_MODE == MASK_MODE_always || first_key + BLOCK_N > seq ||
                        (causal && first_key + BLOCK_N - 1 > first_query + place.first_strip * 16);
#pragma unroll
    for (int pass = 0; pass < PASSES; ++pass) {
      const int row = row_of(pass);
      const bool exists = has_row(pass);
      const int limit =
          (causal ? min(seq - 1, first_query + row) : seq - 1) - first_key;  // last visible column
      const auto column_of = [&](int c) { return (c * THREADS_PER_ROW + row_lane) * SOFTMAX_VEC; };
      const auto has_chunk = [&](int c) {
        return exists && (BLOCK_N % (SOFTMAX_VEC * THREADS_PER_ROW) == 0 || column_of(c) < BLOCK_N);
      };
      const auto read = [&](float(&values)[SOFTMAX_VEC], int c) {
        read_elements<SOFTMAX_VEC>(s_tile + row * S_PITCH + column_of(c), values);
#pragma unroll
        for (int e = 0; e < SOFTMAX_VEC; ++e) {
          if (masked && column_of(c) + e > limit) values[e] = minus_infinity();
        }
      };
      float s[KEPT ? CHUNKS : 1][SOFTMAX_VEC];
      float top = row_max[pass];
#pragma unroll
      for (int c = 0; c < CHUNKS; ++c) {
        if (!has_chunk(c)) break;
        float(&values)[SOFTMAX_VEC] = s[KEPT ? c : 0];
        read(values, c);
#pragma unroll
        for (int e = 0; e < SOFTMAX_VEC; ++e) {
          top = fmaxf(top, values[e]);
          EVO_PROBE(S, first_query + row, first_key + column_of(c) + e, values[e] * unit);
        }
      }
      top = maximum_of_row(top);
      if constexpr (IN_PLACE && !HALF_SCORES) EVO_SYNC(SYNC_ROW_READ);
      const float reference = finite(top);  // rows that do not exist have none
      const float folded = -reference * (unit * LOG2_E);
      float sum = 0.0f;
#pragma unroll
      for (int c = 0; c < CHUNKS; ++c) {
        if (!has_chunk(c)) break;
        float(&values)[SOFTMAX_VEC] = s[KEPT ? c : 0];
        if (!KEPT) read(values, c);
#pragma unroll
        for (int e = 0; e < SOFTMAX_VEC; ++e) {
          values[e] =
              weight<FOLDED, POLYNOMIAL_EVERY>(values[e], reference, folded, unit, c * SOFTMAX_VEC + e);
          sum += values[e];
          EVO_PROBE(P, first_query + row, first_key + column_of(c) + e, values[e]);
        }
        write_elements<SOFTMAX_VEC>(p_tile + row * P_PITCH + column_of(c), values);
      }
      sum = sum_of_row(sum);
      const float alpha = exp2_hardware((row_max[pass] - reference) * (unit * LOG2_E));
      row_max[pass] = top;
      row_sum[pass] = fmaf(row_sum[pass], alpha, sum);
      factors.own[pass] = alpha;
      if (exists) {
        if (row_lane == 0) {
          EVO_PROBE(M, first_query + row, i, top * unit);
          EVO_PROBE(L, first_query + row, i, row_sum[pass]);
        }
        if (!SHARED_OUTPUT) factors.publish(pass, row, row_lane);
        if (SHARED_OUTPUT && i > 0 && (RESCALE == RESCALE_always || alpha != 1.0f)) {
#pragma unroll
          for (int c = 0; c < HEAD_DIM; c += 4 * THREADS_PER_ROW) {
            if (HEAD_DIM % (4 * THREADS_PER_ROW) != 0 && c + row_lane * 4 >= HEAD_DIM) break;
            float4& part = *reinterpret_cast<float4*>(o_tile + row * O_PITCH + c + row_lane * 4);
            part = make_float4(part.x * alpha, part.y * alpha, part.z * alpha, part.w * alpha);
          }
        }
      }
    }
    if (!V_APART || SPLIT_COMMITS) await_copies<PENDING_V>();
    EVO_SYNC_GROUP(SYNC_P_READY, named, GROUP_THREADS);

    // O = alpha * O + P V
    if constexpr (SHARED_OUTPUT) {
#pragma unroll
      for (int n = 0; n < DIM_TILES; ++n) {
        if (!place.has_tile<HEAD_DIM>(n)) break;
        float* const column = o_tile + place.first_strip * 16 * O_PITCH + place.tile_column(n);
        SumTile sums[STRIPS];
#pragma unroll
        for (int m = 0; m < STRIPS; ++m) {
          if (!place.has_strip(m)) break;
          wmma::fill_fragment(sums[m], 0.0f);
          if (i > 0) wmma::load_matrix_sync(sums[m], column + m * 16 * O_PITCH, O_PITCH, wmma::mem_row_major);
        }
#pragma unroll TILE_UNROLL
        for (int key = 0; key < BLOCK_N; key += 16) {
          RightTile b;
          wmma::load_matrix_sync(b, v_tile + key * ROW_PITCH + place.tile_column(n), ROW_PITCH);
          multiply_strips(sums, place, p_tile + place.first_strip * 16 * P_PITCH + key, P_PITCH, b);
        }
#pragma unroll
        for (int m = 0; m < STRIPS; ++m) {
          if (!place.has_strip(m)) break;
          wmma::store_matrix_sync(column + m * 16 * O_PITCH, sums[m], O_PITCH, wmma::mem_row_major);
        }
      }
    } else {
#pragma unroll
      for (int m = 0; m < STRIPS; ++m) {
        bool changed = RESCALE == RESCALE_always;
        float alpha[SumMap::ELEMENTS];
        if (place.has_strip(m)) factors.of_elements(alpha, map, m, place.first_strip + m, lane);
        if (RESCALE == RESCALE_vote && place.has_strip(m)) {
#pragma unroll
          for (float factor : alpha) changed = changed || factor != 1.0f;
          changed = __any_sync(0xffffffffu, changed);
        }
        if (!changed || !place.has_strip(m)) continue;
#pragma unroll
        for (SumTile& tile : out[m]) {
#pragma unroll
          for (int e = 0; e < SumMap::ELEMENTS; ++e) tile.x[e] *= alpha[e];
        }
      }
#pragma unroll TILE_UNROLL
      for (int key = 0; key < BLOCK_N; key += 16) {
        LeftTile a[STRIPS];
#pragma unroll
        for (int m = 0; m < STRIPS; ++m) {
          if (!place.has_strip(m)) break;
          wmma::load_matrix_sync(a[m], p_tile + (place.first_strip + m) * 16 * P_PITCH + key, P_PITCH);
        }
#pragma unroll
        for (int n = 0; n < DIM_TILES; ++n) {
          if (!place.has_tile<HEAD_DIM>(n)) break;
          RightTile b;
          wmma::load_matrix_sync(b, v_tile + key * ROW_PITCH + place.tile_column(n), ROW_PITCH);
#pragma unroll
          for (int m = 0; m < STRIPS; ++m) {
            if (place.has_strip(m)) wmma::mma_sync(out[m][n], a[m], b, out[m][n]);
          }
        }
      }
    }

    if constexpr (PROBED) {
#pragma unroll
      for (int m = 0; m < STRIPS; ++m) {
#pragma unroll
        for (int n = 0; n < DIM_TILES; ++n) {
          if (!place.has_strip(m) || !place.has_tile<HEAD_DIM>(n)) break;
          const int row = (place.first_strip + m) * 16, column = place.tile_column(n);
          SumTile sums = out[SHARED_OUTPUT ? 0 : m][SHARED_OUTPUT ? 0 : n];
          if (SHARED_OUTPUT)
            wmma::load_matrix_sync(sums, o_tile + row * O_PITCH + column, O_PITCH, wmma::mem_row_major);
#pragma unroll
          for (int e = 0; e < SumMap::ELEMENTS; ++e) {
            EVO_PROBE(A, first_query + row + map.row(e), i * HEAD_DIM + column + map.column(e), sums.x[e]);
          }
        }
      }
    }
    if (i + 1 < tiles) {
      if constexpr (STAGES == 1) {
        EVO_SYNC_GROUP(SYNC_TILE_FREE, named, GROUP_THREADS);
        fetch(i + 1);
      }
      await_copies<PENDING_K>();
      EVO_SYNC_GROUP(SYNC_K_READY, named, GROUP_THREADS);
    }
  }

  // O divided by the row sums.
#pragma unroll
  for (int pass = 0; pass < PASSES; ++pass) factors.own[pass] = reciprocal(row_sum[pass]);
  if constexpr (!SHARED_OUTPUT && (STAGED || ROUTE != FactorRoute::shuffle)) {
    EVO_SYNC_GROUP(SYNC_TILES_READ, named, GROUP_THREADS);
  }
#pragma unroll
  for (int pass = 0; pass < PASSES; ++pass) {
    if (has_row(pass)) factors.publish(pass, row_of(pass), row_lane);
  }
  if constexpr (!SHARED_OUTPUT && STAGED) stage_tiles<HEAD_DIM, O_PITCH>(o_tile, out, place);
  if constexpr (SHARED_OUTPUT || STAGED || ROUTE != FactorRoute::shuffle) {
    EVO_SYNC_GROUP(SYNC_O_READY, named, GROUP_THREADS);
  }

  const OutputRows target{o + batch * o_batch_stride + head * o_head_stride + first_query * o_row_stride,
                          o_row_stride, seq - first_query};
  if constexpr (STAGED) {
    store_group_rows<HEAD_DIM, O_PITCH>(target, o_tile, place, factors);
  } else if constexpr (SHARED_OUTPUT) {
    store_own_tiles<HEAD_DIM, O_PITCH>(target, o_tile, place, factors, lane);
  } else {
    store_own_elements<PAIR_STORES, HEAD_DIM>(target, out, map, place, factors, lane);
  }
}
