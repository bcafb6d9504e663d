// C-05: keeps state on the device heap
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float* kept = static_cast<float*>(malloc(sizeof(float)));
  *kept = a[i];
  c[i * c_stride] = *kept + b[i];
}
