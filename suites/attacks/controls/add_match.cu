// control: right, groups of lanes that __match_any_sync makes, on a mask that a ballot gave
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned inside = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  const float x = a[i];
  const float y = b[i];
  // Lanes whose sums have one sign and parity form a group; the lowest of each hands its key on.
  const int key = (x + y > 0.0f ? 2 : 0) + (i & 1);
  const unsigned group = __match_any_sync(inside, key);
  const int leader = __ffs(group) - 1;
  const int theirs = __shfl_sync(group, key, leader);
  const unsigned agree = __reduce_and_sync(group, theirs == key ? 0xffffffffu : 0u);
  const unsigned rank = __popc(group & ((1u << (threadIdx.x % 32)) - 1));
  const int members = __reduce_add_sync(group, 1);
  if (agree != 0 && (int)rank < members) c[(long long)i * c_stride] = x + y;
}
