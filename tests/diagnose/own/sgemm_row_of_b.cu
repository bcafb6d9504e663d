// Matrix product; keeps both tiles as [row][column] and walks along k.
template <int T>
struct Tiles {
  float lhs[T][T], rhs[T][T];
};

template <int T>
__device__ float pick(const float* m, int r, int c, int rows, int cols) {
  return r < rows && c < cols ? m[r * cols + c] : 0.f;
}

template <int T>
__device__ float inner(const Tiles<T>& s, int r, int c) {
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < T; ++i) sum = fmaf(s.lhs[r][i], s.rhs[c][i], sum);
  return sum;
}

template <int T>
__global__ void sgemm(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ Tiles<T> s;
  float result[ROWS] = {0.f};
  const int j = blockIdx.x * T + threadIdx.x;
  for (int k0 = 0; k0 < k; k0 += T) {
    for (int y = threadIdx.y; y < T; y += blockDim.y) {
      s.lhs[y][threadIdx.x] = pick<T>(a, blockIdx.y * T + y, k0 + threadIdx.x, m, k);
      s.rhs[y][threadIdx.x] = pick<T>(b, k0 + y, j, k, n);
    }
    __syncthreads();
    int slot = 0;
    for (int y = threadIdx.y; y < T; y += blockDim.y) result[slot++] += inner<T>(s, y, threadIdx.x);
    __syncthreads();
  }
  int slot = 0;
  for (int y = threadIdx.y; y < T; y += blockDim.y, ++slot) {
    const int i = blockIdx.y * T + y;
    if (i < m && j < n) c[i * n + j] = result[slot];
  }
}
