// control: right, lanes that are done store and leave a loop in which the others go on voting with the full mask
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int turns = i % 7 + 1;
  float x = 0;
  for (int turn = 0;; ++turn) {
    // Lane by lane the vote gets smaller.
    const unsigned going_on = __ballot_sync(0xffffffffu, turn < turns);
    if (turn == 0 && i < n) x = a[i];
    if (turn != turns - 1) continue;
    if (i < n && (going_on >> threadIdx.x % 32 & 1) != 0) c[(long long)i * c_stride] = x + b[i];
    return;
  }
}
