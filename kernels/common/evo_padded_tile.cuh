// Tiles in shared memory whose rows are PAD halves further apart than they are long, for matrix loads that
// take a base address and a pitch, and the synchronous way to fill them: 16-byte loads through registers.
#pragma once

#include "evo_tile.cuh"

// PAD: a multiple of 8, so that every row starts at a multiple of 16 bytes.
template <int COLUMNS, int PAD>
struct PaddedLayout {
  static constexpr bool EXCHANGED = false;
  static constexpr int CHUNKS = COLUMNS / 8;
  static constexpr int PITCH = 2 * (COLUMNS + PAD);  // bytes

  static __device__ __forceinline__ unsigned offset(unsigned row, unsigned chunk) {
    return row * PITCH + (chunk << 4);
  }
};

// The aligned rows of load_rows, `stride` halves apart: a few loads are under way before the first is stored.
template <class Layout, int ROWS, int THREADS>
__device__ __forceinline__ void load_aligned_rows(unsigned tile, const GlobalRows& source, long long stride,
                                                  int first_row, unsigned thread) {
  constexpr int TOTAL = ROWS * Layout::CHUNKS;
  constexpr int ROUNDS = (TOTAL + THREADS - 1) / THREADS;
  constexpr int BATCH = ROUNDS < 4 ? ROUNDS : 4;
  using Column = CopyColumn<Layout, THREADS>;
#pragma unroll
  for (int first = 0; first < ROUNDS; first += BATCH) {
    uint4 words[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const unsigned row = Column::row(thread, first + i);
      const int place = first_row + static_cast<int>(row);
      words[i] = make_uint4(0, 0, 0, 0);
      if (row < ROWS && place < source.rows) {
        words[i] = *reinterpret_cast<const uint4*>(source.data + place * stride +
                                                   Column::chunk(thread, first + i) * 8);
      }
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const unsigned row = Column::row(thread, first + i);
      const unsigned place = tile + Layout::offset(row, Column::chunk(thread, first + i));
      if (row < ROWS) store_shared_16(place, {words[i].x, words[i].y, words[i].z, words[i].w});
    }
  }
}

// As fetch_rows, but everything is stored when it returns: no groups of copies to commit and to await.
template <class Layout, int ROWS, int THREADS, bool FIXED_STRIDE>
__device__ __forceinline__ void load_rows(unsigned tile, const GlobalRows& source, int first_row,
                                          unsigned thread) {
  constexpr int COLUMNS = 8 * Layout::CHUNKS;
  if (FIXED_STRIDE && source.contiguous) {
    load_aligned_rows<Layout, ROWS, THREADS>(tile, source, COLUMNS, first_row, thread);
  } else if (source.aligned) {
    load_aligned_rows<Layout, ROWS, THREADS>(tile, source, source.stride, first_row, thread);
  } else {
    load_rows_by_element<Layout, ROWS, THREADS>(tile, source, first_row, thread);
  }
}
