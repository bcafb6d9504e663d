#include "intake/torch_names.hpp"

#include <algorithm>
#include <vector>

#include "intake/macros.hpp"

namespace evo::intake {
namespace {

bool of_torch(const std::string& header) {
  return header.starts_with("ATen/") || header.starts_with("c10/") || header.starts_with("torch/") ||
         header.starts_with("THC/");
}

bool mentions_torch(const std::string& source) {
  static const std::vector<std::string> words{"at",
                                              "c10",
                                              "CUDA_KERNEL_LOOP",
                                              "gpuAtomicAdd",
                                              "CUDA_KERNEL_LOOP_TYPE",
                                              "CUDA_KERNEL_ASSERT",
                                              "THCCeilDiv",
                                              "THCRoundUp",
                                              "gpuAtomicAddNoReturn",
                                              "PackedTensorAccessor",
                                              "PackedTensorAccessor32",
                                              "PackedTensorAccessor64"};
  const std::vector<std::string> names = names_of(source);
  return std::ranges::any_of(names, [](const std::string& name) {
    return name.starts_with("C10_") || std::find(words.begin(), words.end(), name) != words.end();
  });
}

}  // namespace

std::string with_torch_names(const std::string& source, const std::string& user) {
  const std::vector<std::string> included = includes_of(source);
  const auto first = std::find_if(included.begin(), included.end(), of_torch);
  if (first == included.end() || (!mentions_torch(source) && !mentions_torch(user))) return source;
  for (const auto& [open, close] : {std::pair{'<', '>'}, std::pair{'"', '"'}}) {
    const std::string whole = open + *first + close;
    const std::size_t at = source.find(whole);
    if (at == std::string::npos) continue;
    return source.substr(0, at) + '"' + torch_names + '"' + source.substr(at + whole.size());
  }
  return source;
}

std::string torch_header() {
  return R"(// In the place of PyTorch's headers: what kernels take from them.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_RESTRICT __restrict__
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                                        \
  for (type i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); \
       i += static_cast<int64_t>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_KERNEL_ASSERT(condition) (void)(condition)
template <class T> __host__ __device__ T THCCeilDiv(T a, T b) { return (a + b - 1) / b; }
template <class T> __host__ __device__ T THCRoundUp(T a, T b) { return THCCeilDiv(a, b) * b; }
namespace c10 {
using Half = __half;
using BFloat16 = __nv_bfloat16;
}
namespace at {
using Half = __half;
using BFloat16 = __nv_bfloat16;
template <class T> struct OpMathType { using type = T; };
template <> struct OpMathType<__half> { using type = float; };
template <> struct OpMathType<__nv_bfloat16> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T, bool = true> using acc_type = typename OpMathType<T>::type;
}
namespace at {
template <class T> struct DefaultPtrTraits { using PtrType = T*; };
template <class T> struct RestrictPtrTraits { using PtrType = T*; };
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
struct TensorAccessor {
  T* data_;
  const I* sizes_;
  const I* strides_;
  __device__ TensorAccessor<T, N - 1, P, I> operator[](I i) const {
    return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
  }
  __device__ I size(I i) const { return sizes_[i]; }
  __device__ I stride(I i) const { return strides_[i]; }
  __device__ T* data() const { return data_; }
};
template <class T, template <class> class P, class I> struct TensorAccessor<T, 1, P, I> {
  T* data_;
  const I* sizes_;
  const I* strides_;
  __device__ T& operator[](I i) const { return data_[strides_[0] * i]; }
  __device__ I size(I i) const { return sizes_[i]; }
  __device__ I stride(I i) const { return strides_[i]; }
  __device__ T* data() const { return data_; }
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
struct GenericPackedTensorAccessor {
  T* data_;
  I sizes_[N];
  I strides_[N];
  __device__ decltype(auto) operator[](I i) const {
    if constexpr (N == 1) return static_cast<T&>(data_[strides_[0] * i]);
    else return TensorAccessor<T, N - 1, P, I>{data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
  }
  __device__ I size(I i) const { return sizes_[i]; }
  __device__ I stride(I i) const { return strides_[i]; }
  __device__ T* data() const { return data_; }
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int32_t>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, int64_t>;
}
namespace at {
namespace cuda {
namespace detail {
template <class T, class I> struct TensorInfo {
  T* data;
  I sizes[25];
  I strides[25];
  int dims;
};
template <class T, class I, int Dims> struct IndexToOffset {
  static __host__ __device__ I get(I linear, const TensorInfo<T, I>& info) {
    I offset = 0;
    for (int i = (Dims < 0 ? info.dims : Dims) - 1; i > 0; --i) {
      offset += linear % info.sizes[i] * info.strides[i];
      linear /= info.sizes[i];
    }
    return offset + linear * info.strides[0];
  }
};
}
}
}
namespace torch {
using at::DefaultPtrTraits;
using at::GenericPackedTensorAccessor;
using at::PackedTensorAccessor;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
using at::TensorAccessor;
}
template <class T> __device__ inline T gpuAtomicAdd(T* at, T value) { return atomicAdd(at, value); }
template <class T> __device__ inline void gpuAtomicAddNoReturn(T* at, T value) { atomicAdd(at, value); }
)";
}

}  // namespace evo::intake
