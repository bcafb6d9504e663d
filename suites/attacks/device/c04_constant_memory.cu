// C-04: writes constant memory, which lives as long as the module
__constant__ float table;
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float* kept = const_cast<float*>(&table);
  if (i < n) c[i * c_stride] = a[i] + b[i];
  if (i == n - 1) *static_cast<volatile float*>(kept) = a[0];
}
