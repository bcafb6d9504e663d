// Kernels and references of the tests.
#pragma once

#include <fstream>
#include <string>

#include "tests/cli/campaign.hpp"

namespace evo::intake::testing {

inline std::string write(const std::string& file, const std::string& text) {
  std::ofstream(file) << text;
  return file;
}

inline constexpr const char* add_kernel =
    R"(extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  const int first = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS;
  for (int i = first; i < first + ITEMS && i < n; ++i) c[i] = a[i] + b[i];
}
)";
inline constexpr const char* add_reference =
    R"(__global__ void reference(const EVO_REAL* a, const EVO_REAL* b, EVO_REAL* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
)";
/// In float, in another order, under another name.
inline constexpr const char* saxpy_reference =
    R"(__global__ void naive(float* z, float alpha, const float* x, const float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + y[i];
}
)";
inline constexpr const char* saxpy_kernel = R"(#ifndef BLOCK
#define BLOCK 128
#endif
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, float alpha, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + y[i];
}
)";
inline constexpr const char* sgemm_kernel =
    R"(extern "C" __global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  float sum = 0;
  for (int s = 0; s < k; s += TILE) {
    a[threadIdx.y][threadIdx.x] = y < m && s + threadIdx.x < k ? A[y * k + s + threadIdx.x] : 0;
    b[threadIdx.y][threadIdx.x] = x < n && s + threadIdx.y < k ? B[(s + threadIdx.y) * n + x] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (y < m && x < n) C[y * n + x] = sum;
}
)";
inline constexpr const char* sgemm_reference =
    R"(__global__ void reference(const EVO_REAL* A, const EVO_REAL* B, EVO_REAL* C, int m, int n, int k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= m) return;
  EVO_REAL sum = 0;
  for (int i = 0; i < k; ++i) sum += A[y * k + i] * B[i * n + x];
  C[y * n + x] = sum;
}
)";
inline constexpr const char* transpose_kernel = R"(#define TILE 16
extern "C" __global__ void transpose(int* target, const int* source, int rows, int columns) {
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < columns && y < rows) target[x * rows + y] = source[y * columns + x];
}
)";
inline constexpr const char* transpose_reference =
    R"(__global__ void reference(int* target, const int* source, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) target[i] = source[i % rows * columns + i / rows];
}
)";

}  // namespace evo::intake::testing
