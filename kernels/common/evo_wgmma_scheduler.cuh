// Template hopper: which queries and which tiles of keys a block works on. The template defines its genes before
// it includes this.
#pragma once

#include "evo_wgmma_traits.cuh"

// What a block works on at a time: BLOCK_M queries of a head, and the tiles of keys that they see.
struct WorkTile {
  int first_query, head, batch, tiles;
};

// The block's `turn`-th work tile; without any tiles of keys where there are no more.
//
// The grid is (query blocks, heads, batches). A block takes up to QUERY_BLOCKS work tiles of its head in turn (a
// cluster: CLUSTER * BLOCK_M queries at a time). GROUP_HEADS heads are walked together, the query block as the slower
// index, so that their K and V stay in L2. With QUERY_ORDER heavy_first the late queries come first: they see most
// keys if causal, and a block that starts last should have little to do.
__device__ __forceinline__ WorkTile get_work_tile(int seq, int causal, int turn) {
  const int blocks = static_cast<int>(gridDim.x) / CLUSTER;  // of a head
  const int heads = static_cast<int>(gridDim.y * gridDim.z);
  int block = static_cast<int>(blockIdx.x) / CLUSTER;
  WorkTile work;
  work.head = static_cast<int>(blockIdx.y);
  work.batch = static_cast<int>(blockIdx.z);
  if (GROUP_HEADS > 1) {
    int head = work.head + static_cast<int>(gridDim.y) * work.batch;
    const int index = block + blocks * head;
    const int first_head = index / (GROUP_HEADS * blocks) * GROUP_HEADS;  // of the group
    const int group_heads = min(GROUP_HEADS, heads - first_head);
    const int in_group = index - first_head * blocks;
    block = in_group / group_heads;
    head = first_head + in_group % group_heads;
    work.batch = head / static_cast<int>(gridDim.y);
    work.head = head % static_cast<int>(gridDim.y);
  }
  int m_block = block, m_blocks = blocks;
  if (QUERY_BLOCKS > 1) {
    // Forth and back over the queries, so that all blocks have about as many keys if causal.
    m_block = turn * blocks + (turn % 2 == 0 ? block : blocks - 1 - block);
    m_blocks = (seq + CLUSTER * BLOCK_M - 1) / (CLUSTER * BLOCK_M);
  }
  const bool exists = QUERY_BLOCKS == 1 || (turn < QUERY_BLOCKS && m_block < m_blocks);
  if (QUERY_ORDER == QUERY_ORDER_heavy_first) m_block = m_blocks - 1 - m_block;
  work.first_query = (m_block * CLUSTER + static_cast<int>(blockIdx.x) % CLUSTER) * BLOCK_M;
  const int end_query =
      (m_block + 1) * CLUSTER * BLOCK_M;  // the blocks of a cluster share their tiles of keys
  const int keys = causal != 0 ? min(seq, end_query) : seq;
  work.tiles = exists ? (keys + BLOCK_N - 1) / BLOCK_N : 0;
  return work;
}

// The n-th tile of keys that a block takes, counted from the start of the sequence.
__device__ __forceinline__ int key_tile(int n, int tiles) {
  return KEY_ORDER == KEY_ORDER_backward ? tiles - 1 - n : n;
}
