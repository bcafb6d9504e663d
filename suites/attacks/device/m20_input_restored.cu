// Keeps a value in its input for a moment and puts back what was there.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  volatile float* mine = const_cast<float*>(a) + i;
  const float old = *mine;
  *mine = old + b[i];
  c[i * c_stride] = *mine;
  *mine = old;
}
