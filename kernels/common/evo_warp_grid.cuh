// A block's warps as a grid of ROW_GROUPS groups of rows by COLUMNS warps, over ROWS rows in strips of 16:
// each group has the next few strips, and its warps take the tiles of 16 columns in turn.
#pragma once

template <int ROWS, int ROW_GROUPS, int COLUMNS, bool ROWS_FIRST>
struct WarpGrid {
  static constexpr int STRIPS = (ROWS / 16 + ROW_GROUPS - 1) / ROW_GROUPS;  // of a group
  static constexpr int GROUP_THREADS = 32 * COLUMNS;

  int group, column;
  int first_strip;   // of the group, among the block's
  int group_thread;  // among the group's

  __device__ __forceinline__ explicit WarpGrid(int thread)
      : group(ROWS_FIRST ? thread / 32 % ROW_GROUPS : thread / 32 / COLUMNS),
        column(ROWS_FIRST ? thread / 32 / ROW_GROUPS : thread / 32 % COLUMNS),
        first_strip(group * STRIPS),
        group_thread(column * 32 + thread % 32) {}

  // Whether the group's m-th strip exists.
  __device__ __forceinline__ bool has_strip(int m) const {
    return STRIPS * ROW_GROUPS * 16 == ROWS || first_strip + m < ROWS / 16;
  }
  // First column of the warp's n-th tile, and whether it exists in a matrix of WIDTH columns.
  __device__ __forceinline__ int tile_column(int n) const { return (column + n * COLUMNS) * 16; }
  template <int WIDTH>
  __device__ __forceinline__ bool has_tile(int n) const {
    return WIDTH / 16 % COLUMNS == 0 || tile_column(n) < WIDTH;
  }
  // Tiles that the busiest warp has.
  template <int WIDTH>
  static constexpr int TILES = (WIDTH / 16 + COLUMNS - 1) / COLUMNS;
};
