// Kernels and references of the tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/campaign.hpp"

namespace evo::intake::testing {

inline std::string write(const std::string& file, const std::string& text) {
  std::ofstream(file) << text;
  return file;
}

/// `words` of a command line where each --axis that says nothing of its own range goes up to twice its
/// greatest value, 64 at least: proofs at sizes that evo would choose, up to millions, are what most of a
/// test would take.
inline std::vector<std::string> with_small_axes(std::vector<std::string> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string& axis = words[i];
    const std::size_t equal = axis.find('=');
    if (words[i - 1] != "--axis" || equal == std::string::npos) continue;
    bool bounded = false;
    for (const char* key : {" max=", " alone=", " allowed="}) bounded |= axis.find(key) != std::string::npos;
    if (bounded) continue;
    std::int64_t greatest = 32, step = 1;
    std::istringstream values(axis.substr(equal + 1, axis.find(' ') - equal - 1));
    for (std::string value; std::getline(values, value, ',');) {
      if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos) return words;
      greatest = std::max<std::int64_t>(greatest, std::stoll(value));
    }
    if (const std::size_t at = axis.find("multiple_of="); at != std::string::npos)
      step = std::max<std::int64_t>(std::stoll(axis.substr(at + 12)), 1);
    axis += " max=" + std::to_string((2 * greatest + step - 1) / step * step);
  }
  return words;
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
