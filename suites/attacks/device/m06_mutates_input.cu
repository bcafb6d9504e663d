// M-06: changes an input so that the check sees other data
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  c[i * c_stride] = a[i] + b[i];
  const_cast<float*>(a)[i] = 0.0f;
}
