// S-08: instantiates templates without end
template <int N, int M> struct bomb {
  static constexpr int value = bomb<N - 1, 2 * M>::value + bomb<N - 1, 2 * M + 1>::value;
};
template <int M> struct bomb<0, M> {
  static constexpr int value = M;
};
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + bomb<24, 1>::value;
}
