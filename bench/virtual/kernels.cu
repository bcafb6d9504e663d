// The kernels that the virtual device is timed with. kernels.ptx is made of this file by
//   nvcc -std=c++17 -arch=sm_80 -ptx kernels.cu -o kernels.ptx
#include <cuda_fp16.h>
#include <mma.h>

/// Sum of n floats: one float atomic a block, after shuffles and a round through shared memory.
extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

__device__ float block_reduce(float value, bool maximum, float* scratch) {
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, value, step);
    value = maximum ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = scratch[0];
  for (int warp = 1; warp < blockDim.x / 32; ++warp) value = maximum ? fmaxf(value, scratch[warp]) : value + scratch[warp];
  return value;
}

/// Softmax of each row; a block a row.
extern "C" __global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float scratch[32];
  const float* row = in + blockIdx.x * columns;
  float largest = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, row[c]);
  largest = block_reduce(largest, true, scratch);
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += exp2f((row[c] - largest) * 1.44269504f);
  sum = block_reduce(sum, false, scratch);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    out[blockIdx.x * columns + c] = exp2f((row[c] - largest) * 1.44269504f) / sum;
  }
}

/// C = A B, row-major, n a multiple of 64: tiles of 64 x 64 x 16, 256 threads with 4 x 4 results each.
extern "C" __global__ void sgemm(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][68];
  __shared__ float bs[16][64];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += 256) {
      as[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
      bs[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      const float4 x = *reinterpret_cast<const float4*>(&as[kk][ty * 4]);
      const float4 y = *reinterpret_cast<const float4*>(&bs[kk][tx * 4]);
      const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += xs[i] * ys[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) c[(row + ty * 4 + i) * n + column + tx * 4 + j] = sum[i][j];
  }
}

/// 32 x 32 tiles by 32 x 8 threads.
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(v + j) * n + u] = tile[threadIdx.x][threadIdx.y + j];
}

/// Attention of one head, head dimension 64: a thread a query row, K and V tiles of 32 rows in shared memory.
extern "C" __global__ void attention_row(const half* q, const half* k, const half* v, half* o, int length, float scale) {
  __shared__ float ks[32][64];
  __shared__ float vs[32][64];
  const size_t head = static_cast<size_t>(blockIdx.y) * length * 64;
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float query[64], sum[64];
  for (int d = 0; d < 64; ++d) {
    query[d] = __half2float(q[head + static_cast<size_t>(row) * 64 + d]) * scale * 1.44269504f;
    sum[d] = 0;
  }
  float largest = -INFINITY, total = 0;
  for (int start = 0; start < length; start += 32) {
    for (int i = threadIdx.x; i < 32 * 64; i += blockDim.x) {
      ks[i / 64][i % 64] = __half2float(k[head + start * 64 + i]);
      vs[i / 64][i % 64] = __half2float(v[head + start * 64 + i]);
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      float s = 0;
#pragma unroll
      for (int d = 0; d < 64; ++d) s += query[d] * ks[j][d];
      const float next = fmaxf(largest, s);
      const float old = exp2f(largest - next), weight = exp2f(s - next);
      total = total * old + weight;
#pragma unroll
      for (int d = 0; d < 64; ++d) sum[d] = sum[d] * old + weight * vs[j][d];
      largest = next;
    }
    __syncthreads();
  }
  for (int d = 0; d < 64; ++d) o[head + static_cast<size_t>(row) * 64 + d] = __float2half(sum[d] / total);
}

/// The same by tiles: 64 query rows a block, 128 threads, S in shared memory, two threads a row in the softmax.
extern "C" __global__ void attention_tile(const half* q, const half* k, const half* v, half* o, int length,
                                          float scale) {
  __shared__ half qs[64][72], ks[32][72], vs[32][72];
  __shared__ float ss[64][33];
  const size_t head = static_cast<size_t>(blockIdx.y) * length * 64;
  const int first = blockIdx.x * 64;
  const int thread = threadIdx.x, row = thread / 2, part = thread % 2;
  for (int i = thread * 8; i < 64 * 64; i += 128 * 8) {
    *reinterpret_cast<uint4*>(&qs[i / 64][i % 64]) = *reinterpret_cast<const uint4*>(&q[head + first * 64 + i]);
  }
  float sum[32];
  for (int d = 0; d < 32; ++d) sum[d] = 0;
  float largest = -INFINITY, total = 0;
  for (int start = 0; start < length; start += 32) {
    for (int i = thread * 8; i < 32 * 64; i += 128 * 8) {
      *reinterpret_cast<uint4*>(&ks[i / 64][i % 64]) = *reinterpret_cast<const uint4*>(&k[head + start * 64 + i]);
      *reinterpret_cast<uint4*>(&vs[i / 64][i % 64]) = *reinterpret_cast<const uint4*>(&v[head + start * 64 + i]);
    }
    __syncthreads();
    float s[16];
    for (int j = 0; j < 16; ++j) s[j] = 0;
    for (int d = 0; d < 64; d += 2) {
      const float2 x = __half22float2(*reinterpret_cast<const half2*>(&qs[row][d]));
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        const float2 y = __half22float2(*reinterpret_cast<const half2*>(&ks[part * 16 + j][d]));
        s[j] += x.x * y.x + x.y * y.y;
      }
    }
    for (int j = 0; j < 16; ++j) ss[row][part * 16 + j] = s[j] * scale * 1.44269504f;
    __syncthreads();
    float next = largest;
    for (int j = 0; j < 32; ++j) next = fmaxf(next, ss[row][j]);
    const float old = exp2f(largest - next);
    largest = next;
    total *= old;
    for (int d = 0; d < 32; ++d) sum[d] *= old;
    for (int j = 0; j < 32; ++j) {
      const float weight = exp2f(ss[row][j] - next);
      total += weight;
#pragma unroll
      for (int d = 0; d < 32; d += 2) {
        const float2 y = __half22float2(*reinterpret_cast<const half2*>(&vs[j][part * 32 + d]));
        sum[d] += weight * y.x;
        sum[d + 1] += weight * y.y;
      }
    }
    __syncthreads();
  }
  for (int d = 0; d < 32; ++d) o[head + (first + row) * 64 + part * 32 + d] = __float2half(sum[d] / total);
}

/// C = A B for halves (row-major) with f32 sums, n a multiple of 64: tiles of 64 x 64 x 32, 4 warps of 16 x 64, ldmatrix
/// and mma.sync.m16n8k16 from padded rows.
extern "C" __global__ void mma_gemm(const half* a, const half* b, half* c, int n) {
  __shared__ __align__(16) half as[64][40];
  __shared__ __align__(16) half bs[32][72];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sums[8][4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128) {
      *reinterpret_cast<uint4*>(&as[i / 4][i % 4 * 8]) =
          *reinterpret_cast<const uint4*>(&a[(row + i / 4) * n + k + i % 4 * 8]);
      *reinterpret_cast<uint4*>(&bs[i / 8][i % 8 * 8]) =
          *reinterpret_cast<const uint4*>(&b[(k + i / 8) * n + column + i % 8 * 8]);
    }
    __syncthreads();
    for (int step = 0; step < 32; step += 16) {
      unsigned fa[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                   : "r"((unsigned)__cvta_generic_to_shared(&as[warp * 16 + lane % 16][step + lane / 16 * 8])));
      for (int j = 0; j < 8; j += 2) {
        unsigned fb[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                     : "r"((unsigned)__cvta_generic_to_shared(&bs[step + lane % 16][j * 8 + lane / 16 * 8])));
        for (int h = 0; h < 2; ++h) {
          float* s = sums[j + h];
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
              "{%0, %1, %2, %3};"
              : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
              : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * h]), "r"(fb[2 * h + 1]));
        }
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j) {
    for (int h = 0; h < 2; ++h) {
      *reinterpret_cast<half2*>(&c[(row + warp * 16 + lane / 4 + h * 8) * n + column + j * 8 + lane % 4 * 2]) =
          __floats2half2_rn(sums[j][2 * h], sums[j][2 * h + 1]);
    }
  }
}

/// The same with wmma, without shared memory for the result.
extern "C" __global__ void wmma_gemm(const half* a, const half* b, half* c, int n) {
  using namespace nvcuda;
  __shared__ __align__(128) half as[64][40];
  __shared__ __align__(128) half bs[32][72];
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4];
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128) {
      *reinterpret_cast<uint4*>(&as[i / 4][i % 4 * 8]) =
          *reinterpret_cast<const uint4*>(&a[(row + i / 4) * n + k + i % 4 * 8]);
      *reinterpret_cast<uint4*>(&bs[i / 8][i % 8 * 8]) =
          *reinterpret_cast<const uint4*>(&b[(k + i / 8) * n + column + i % 8 * 8]);
    }
    __syncthreads();
    for (int step = 0; step < 32; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::load_matrix_sync(fa, &as[warp * 16][step], 40);
      for (int j = 0; j < 4; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fb, &bs[step][j * 16], 72);
        wmma::mma_sync(sums[j], fa, fb, sums[j]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> rounded;
    for (int i = 0; i < rounded.num_elements; ++i) rounded.x[i] = __float2half(sums[j].x[i]);
    wmma::store_matrix_sync(c + (row + warp * 16) * n + column + j * 16, rounded, n, wmma::mem_row_major);
  }
}

// Kernels that work in place: each thread reads and writes what is its own.

extern "C" __global__ void axpy(const float* x, float* y, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += a * x[i];
}

/// Potential of 64 atoms (x, y, z, charge) at each point of a grid, added to what is there.
extern "C" __global__ void coulomb(const float4* atoms, float* energy, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.5f * (i % width), y = 0.5f * (i / width);
  float sum = 0;
  for (int k = 0; k < 64; ++k) {
    const float4 atom = atoms[k];
    const float dx = x - atom.x, dy = y - atom.y;
    sum += atom.w * rsqrtf(dx * dx + dy * dy + atom.z * atom.z + 1.0f);
  }
  energy[i] += sum;
}

extern "C" __global__ void adamw(const float* gradient, float* weight, float* m, float* v, float rate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float g = gradient[i];
  const float first = 0.9f * m[i] + 0.1f * g;
  const float second = 0.999f * v[i] + 0.001f * g * g;
  m[i] = first;
  v[i] = second;
  weight[i] -= rate * (first * 10.0f / (sqrtf(fabsf(second) * 1000.0f) + 1e-8f) + 0.01f * weight[i]);
}

/// c += a * b, 16 x 16 tiles.
extern "C" __global__ void gemm_add(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][17], right[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += left[threadIdx.y][j] * right[j][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] += sum;
}

/// Prefix sums of each block's 256 words, in place.
extern "C" __global__ void scan(int* data) {
  __shared__ int sums[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = data[i];
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += other;
  }
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  for (int k = 0; k < warp; ++k) value += sums[k];
  data[i] = value;
}

/// Rows less their means: all lanes of a warp store its sum.
extern "C" __global__ void center(const float* in, float* out, int columns) {
  __shared__ float sums[8];
  const int warp = threadIdx.x / 32;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[blockIdx.x * columns + i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  sums[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += sums[k];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] - sum / columns;
}

// Conversions: 32 of each element, to float and back.

template <class T>
__device__ void convert(const T* in, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T value = in[i];
#pragma unroll
  for (int k = 0; k < 32; ++k) value = static_cast<T>(static_cast<float>(value) * 0.75f);
  out[i] = value;
}
extern "C" __global__ void convert_s32(const int* in, int* out) { convert(in, out); }
extern "C" __global__ void convert_u32(const unsigned* in, unsigned* out) { convert(in, out); }
extern "C" __global__ void convert_s16(const short* in, short* out) { convert(in, out); }
extern "C" __global__ void convert_u16(const unsigned short* in, unsigned short* out) { convert(in, out); }
extern "C" __global__ void convert_s8(const signed char* in, signed char* out) { convert(in, out); }
extern "C" __global__ void convert_u8(const unsigned char* in, unsigned char* out) { convert(in, out); }
