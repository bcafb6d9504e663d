// U-11: an index in shared memory that only some threads store, kept by all in a variable of their own
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  __shared__ int places[THREADS];
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  int place;
  for (int k = 0; k < c_stride; ++k) {
    if (k == 0 && i + 1 < n) place = 0;
    place += i;
  }
  places[t] = place;
  __syncthreads();
  if (i < n) c[places[t]] = a[i] + b[i];
}
