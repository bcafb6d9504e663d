// U-11: a place that is counted up from no value
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  int place;
  for (int k = 0; k < c_stride; ++k) place += i;
  c[place] = a[i] + b[i];
}
