// Keeps what is above 500; each hit takes the next place.
extern "C" __global__ void compaction(const int* x, int* kept, int* count, int n) {
  const int first = (blockIdx.x * THREADS + threadIdx.x) * PER_THREAD;
  for (int i = first; i < first + PER_THREAD && i < n; ++i)
    if (x[i] > 500) kept[atomicAdd(count, 1)] = x[i];
}
