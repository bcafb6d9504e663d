// z = alpha x + y. WIDTH floats are read and written at once; UNROLL is the distance between a thread's accesses.
template <int width> struct Pack;
template <> struct Pack<1> { using type = float; };
template <> struct Pack<2> { using type = float2; };
template <> struct Pack<4> { using type = float4; };
using Vector = Pack<WIDTH>::type;

extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  // A vector access needs an address that is a multiple of its size. Arrays may begin anywhere.
  const bool aligned = ((size_t)x | (size_t)y | (size_t)z) % sizeof(Vector) == 0;
#pragma unroll
  for (int step = 0; step < UNROLL; ++step) {
    const int i = ((blockIdx.x * UNROLL + step) * THREADS + threadIdx.x) * WIDTH;
    if (WIDTH > 1 && aligned && i + WIDTH <= n) {
      const Vector a = *(const Vector*)(x + i), b = *(const Vector*)(y + i);
      Vector sum;
      for (int k = 0; k < WIDTH; ++k) ((float*)&sum)[k] = alpha * ((const float*)&a)[k] + ((const float*)&b)[k];
      *(Vector*)(z + i) = sum;
    } else {
      for (int k = i; k < i + WIDTH && k < n; ++k) z[k] = alpha * x[k] + y[k];
    }
  }
}
