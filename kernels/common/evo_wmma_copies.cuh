// Template wmma: copies of tiles into shared memory, asynchronous ones or through registers (COPY).
#pragma once

#include "evo_wmma_traits.cuh"

// Rows first_row .. first_row + ROWS - 1, by the whole block.
template <int ROWS>
__device__ __forceinline__ void copy_tile(const unsigned char* tile, const GlobalRows& source, int first_row,
                                          unsigned thread) {
  if constexpr (ASYNC) {
    fetch_rows<Layout, ROWS, THREADS, STATIC_STRIDE, COPY == COPY_cp_async_ca>(shared_address(tile), source,
                                                                               first_row, thread);
  } else {
    load_rows<Layout, ROWS, THREADS, STATIC_STRIDE>(shared_address(tile), source, first_row, thread);
  }
}
// What was copied since the last one is a group, which await_copies() counts. Nothing where copies are not
// asynchronous.
__device__ __forceinline__ void close_copies() {
  if (ASYNC) commit_copies();
}
template <int PENDING>
__device__ __forceinline__ void await_copies() {
  if (ASYNC) wait_copies<PENDING>();
}
