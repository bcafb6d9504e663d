// C-06: takes what the last block left in shared memory for its own memory
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float kept[THREADS];
  const float before = kept[threadIdx.x];
  kept[threadIdx.x] = i < n ? a[i] : 0.0f;
  if (i < n) c[i * c_stride] = before == a[i] ? before : a[i] + b[i];
}
