// U-07: counts on lanes in lockstep: volatile shared memory and fences, but nobody waits.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  __shared__ volatile float cells[2 * THREADS];
  __shared__ unsigned unused[4];
  if (t < 4) unused[t] = 0;
  cells[t] = i < n ? a[i] + b[i] : 0.0f;
  __threadfence_block();
  const float neighbour = cells[t ^ 1];
  __threadfence_block();
  cells[THREADS + (t ^ 1)] = neighbour;
  __threadfence_block();
  if (i < n) c[i] = cells[THREADS + t] + (unused[t % 4] != 0 ? 1.0f : 0.0f);
}
