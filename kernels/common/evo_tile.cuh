// Tiles of rows of COLUMNS halves in shared memory, in chunks of 16 bytes, laid out so that the eight rows of
// a matrix that ldmatrix fetches lie in eight different groups of four banks: either by exchanging a row's
// chunks (SWIZZLED), or by 16 bytes of padding, which makes the count of chunks of a row odd.
#pragma once

#include "evo_async_copy.cuh"

template <int COLUMNS, bool SWIZZLED>
struct TileLayout {
  static constexpr bool EXCHANGED = SWIZZLED;
  static constexpr int CHUNKS = COLUMNS / 8;
  static constexpr int PITCH = 2 * COLUMNS + (SWIZZLED ? 0 : 16);  // bytes

  // What a row's chunk numbers are xor-ed with; it has a period of 8 rows.
  static __device__ __forceinline__ unsigned phase(unsigned row) {
    if constexpr (!SWIZZLED) return 0;
    return COLUMNS % 64 == 0 ? row & 7
                             : (row >> 1) & 3;  // rows of an odd number of 64 bytes start in two bank groups
  }
  static __device__ __forceinline__ unsigned offset(unsigned row, unsigned chunk) {
    return row * PITCH + ((chunk ^ phase(row)) << 4);
  }
};

// A lane's share of an ldmatrix address: it names row `row` and chunk `chunk` (0 or 1) of a 16 x 16 block.
template <class Layout>
struct LaneAddress {
  unsigned row_offset;
  unsigned chunk_offset;

  __device__ __forceinline__ LaneAddress(unsigned row, unsigned chunk)
      : row_offset(row * Layout::PITCH), chunk_offset((chunk ^ Layout::phase(row)) << 4) {}

  // The block at a row that is a multiple of 8, and at a chunk, an even one where `chunk` was 1.
  __device__ __forceinline__ unsigned at(unsigned tile, unsigned first_row, unsigned first_chunk) const {
    const unsigned row = tile + row_offset + first_row * Layout::PITCH;
    return Layout::EXCHANGED ? row + ((first_chunk << 4) ^ chunk_offset)
                             : row + chunk_offset + (first_chunk << 4);
  }
};

// A matrix of halves in global memory: rows of COLUMNS, `stride` halves apart, of which `rows` exist.
struct GlobalRows {
  const unsigned short* data;
  long long stride;
  int rows;
  bool aligned;     // each row starts at a multiple of 16 bytes
  bool contiguous;  // aligned, and stride == COLUMNS
};

// The chunks that a thread copies: row() and chunk() of its first one, and whether the others lie straight
// below it, ROW_STEP rows apart (as tiles are stored, too, where the phase of the layout repeats by then).
template <class Layout, int THREADS>
struct CopyColumn {
  static constexpr int CHUNKS = Layout::CHUNKS;
  static constexpr bool STRAIGHT =
      THREADS % (8 * CHUNKS) == 0 || (!Layout::EXCHANGED && THREADS % CHUNKS == 0);
  static constexpr int ROW_STEP = STRAIGHT ? THREADS / CHUNKS : 0;

  static __device__ __forceinline__ unsigned row(unsigned thread, unsigned round) {
    return THREADS % CHUNKS == 0 ? thread / CHUNKS + round * (THREADS / CHUNKS)
                                 : (round * THREADS + thread) / CHUNKS;
  }
  static __device__ __forceinline__ unsigned chunk(unsigned thread, unsigned round) {
    return THREADS % CHUNKS == 0 ? thread % CHUNKS : (round * THREADS + thread) % CHUNKS;
  }
};

// Rows that start anywhere, and those that do not exist, which become zeros; nothing asynchronous.
template <class Layout, int ROWS, int THREADS>
__device__ __forceinline__ void load_rows_by_element(unsigned tile, const GlobalRows& source, int first_row,
                                                     unsigned thread) {
#pragma unroll 1
  for (unsigned index = thread; index < ROWS * Layout::CHUNKS; index += THREADS) {
    const unsigned row = index / Layout::CHUNKS, chunk = index % Layout::CHUNKS;
    const int place = first_row + static_cast<int>(row);
    unsigned words[4] = {0, 0, 0, 0};
    if (place < source.rows) {
      const unsigned short* from = source.data + place * source.stride + chunk * 8;
#pragma unroll
      for (int i = 0; i < 4; ++i) words[i] = from[2 * i] | static_cast<unsigned>(from[2 * i + 1]) << 16;
    }
    store_shared_16(tile + Layout::offset(row, chunk), words);
  }
}

// Rows first_row .. first_row + ROWS - 1 into a tile, by threads 0 .. THREADS - 1 (this one is `thread`);
// rows that do not exist become zeros. Asynchronous where the rows are aligned; to be committed and awaited
// in any case. FIXED_STRIDE: whole tiles of contiguous rows get code of their own, without arithmetic on
// strides.
template <class Layout, int ROWS, int THREADS, bool FIXED_STRIDE, bool THROUGH_L1>
__device__ __forceinline__ void fetch_rows(unsigned tile, const GlobalRows& source, int first_row,
                                           unsigned thread) {
  constexpr int CHUNKS = Layout::CHUNKS;
  constexpr int COLUMNS = 8 * CHUNKS;
  constexpr int TOTAL = ROWS * CHUNKS;
  constexpr int ROUNDS = (TOTAL + THREADS - 1) / THREADS;
  const bool whole = first_row + ROWS <= source.rows;
  using Column = CopyColumn<Layout, THREADS>;
  // Expected: so that the other paths stand out of the way.
  if (__builtin_expect(whole && (FIXED_STRIDE ? source.contiguous : source.aligned), 1)) {
    const long long stride = FIXED_STRIDE ? COLUMNS : source.stride;
    const unsigned short* head = source.data + first_row * stride;
    if constexpr (Column::STRAIGHT) {
      // One address on either side, and constant steps from there where the stride is one.
      const unsigned short* from = head + Column::row(thread, 0) * stride + Column::chunk(thread, 0) * 8;
      const unsigned to = tile + Layout::offset(Column::row(thread, 0), Column::chunk(thread, 0));
#pragma unroll
      for (int round = 0; round < ROUNDS; ++round) {
        if (TOTAL % THREADS != 0 && Column::row(thread, round) >= ROWS) break;
        copy_16_async<THROUGH_L1>(to + round * Column::ROW_STEP * Layout::PITCH,
                                  from + round * Column::ROW_STEP * stride);
      }
    } else {
#pragma unroll
      for (int round = 0; round < ROUNDS; ++round) {
        const unsigned row = Column::row(thread, round), chunk = Column::chunk(thread, round);
        if (TOTAL % THREADS != 0 && row >= ROWS) break;
        copy_16_async<THROUGH_L1>(tile + Layout::offset(row, chunk), head + row * stride + chunk * 8);
      }
    }
  } else if (source.aligned) {
#pragma unroll
    for (int round = 0; round < ROUNDS; ++round) {
      const unsigned row = Column::row(thread, round), chunk = Column::chunk(thread, round);
      if (TOTAL % THREADS != 0 && row >= ROWS) break;
      const int place = first_row + static_cast<int>(row);
      const bool exists = place < source.rows;
      const unsigned short* from = source.data + (exists ? place * source.stride + chunk * 8 : 0);
      copy_16_async_or_zero<THROUGH_L1>(tile + Layout::offset(row, chunk), from, exists ? 16 : 0);
    }
  } else {
    load_rows_by_element<Layout, ROWS, THREADS>(tile, source, first_row, thread);
  }
}
