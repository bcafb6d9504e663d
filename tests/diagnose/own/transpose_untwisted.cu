namespace matrix {

struct Pos { int r, c; };

__device__ __forceinline__ bool inside(Pos p, int rows, int cols) { return p.r < rows && p.c < cols; }

__global__ void transpose(const int* __restrict__ src, int* __restrict__ dst, int R, int C) {
  __shared__ int t[TILE * (TILE + PAD)];
  constexpr int ld = TILE + PAD;
  const Pos here{(int)(blockIdx.y * TILE + threadIdx.y), (int)(blockIdx.x * TILE + threadIdx.x)};
  const int cell = threadIdx.y * ld + threadIdx.x;
  t[cell] = inside(here, R, C) ? src[(size_t)here.r * C + here.c] : 0;
  __syncthreads();
  const Pos there{(int)(blockIdx.x * TILE + threadIdx.y), (int)(blockIdx.y * TILE + threadIdx.x)};
  if (!inside(there, C, R)) return;
  dst[(size_t)there.r * R + there.c] = t[threadIdx.y * ld + threadIdx.x];
}

}  // namespace matrix
