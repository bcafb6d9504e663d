#include "evaluators/compile/virtual_headers.hpp"

#include "evaluators/compile/standard_headers.hpp"
#include "model/mixed_math.hpp"

namespace evo::evaluators::compile {
namespace {

// Constants and not calls, so that they work in constant expressions and cost no instruction.
constexpr const char* prelude = R"(#pragma once
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000u)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fffffffu)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ull)
#endif
// nvcc has these without an #include, from <math.h> and <sys/types.h>.
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
// nvcc takes it with C++17, too.
#define register
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
)";

// The same types as libcu++ has under NVRTC, so that <cuda/std/cstdint> can stand next to it.
constexpr const char* stdint_header = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t;
typedef uint8_t uint_least8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t;
typedef int8_t int_fast8_t;
typedef int16_t int_fast16_t;
typedef int32_t int_fast32_t;
typedef int64_t int_fast64_t;
typedef uint8_t uint_fast8_t;
typedef uint16_t uint_fast16_t;
typedef uint32_t uint_fast32_t;
typedef uint64_t uint_fast64_t;
typedef int64_t intptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintptr_t;
typedef uint64_t uintmax_t;
#ifndef INT8_MIN
#define INT8_MIN (-128)
#define INT16_MIN (-32767 - 1)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT8_MAX (127)
#define INT16_MAX (32767)
#define INT32_MAX (2147483647)
#define INT64_MAX (9223372036854775807LL)
#define UINT8_MAX (255)
#define UINT16_MAX (65535)
#define UINT32_MAX (4294967295U)
#define UINT64_MAX (18446744073709551615ULL)
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define SIZE_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#endif
#ifndef INT64_C
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) c##LL
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c##U
#define UINT64_C(c) c##ULL
#endif
)";

constexpr const char* stddef_header = R"(#pragma once
typedef long ptrdiff_t;
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
// NVRTC has no __builtin_offsetof; this is what EDG computes at compile time.
#define offsetof(type, member) __INTADDR__(&(((type*)0)->member))
#endif
)";

constexpr const char* float_header = R"(#pragma once
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_TRUE_MIN 1.401298464e-45f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_TRUE_MIN 4.9406564584124654e-324
#define DECIMAL_DIG 17
#define FLT_DECIMAL_DIG 9
#define DBL_DECIMAL_DIG 17
#define FLT_EVAL_METHOD 0
#endif
)";

constexpr const char* limits_header = R"(#pragma once
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32767 - 1)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1LL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
)";

constexpr const char* math_header = R"(#pragma once
#include "evo_prelude.h"
)";

// NVRTC knows printf, assert, the mathematical functions and the built-in variables without any header.
constexpr const char* nothing = "#pragma once\n";

// The toolkit's version as its host headers have it, of the compiler that is there.
constexpr const char* versions =
    "#pragma once\n"
    "#ifndef CUDA_VERSION\n"
    "#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)\n"
    "#endif\n"
    "#ifndef CUDART_VERSION\n"
    "#define CUDART_VERSION CUDA_VERSION\n"
    "#endif\n";

// Of a library of the host, what kernels take from its headers: the types of halves.
constexpr const char* halves = "#pragma once\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";

std::string in_namespace_std(const char* c_header, const char* names) {
  std::string text = "#pragma once\n#include <";
  text.append(c_header).append(">\nnamespace std {\n").append(names).append("}\n");
  return text;
}

std::map<std::string, std::string> make() {
  constexpr const char* stdint_names = R"(using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
using ::intmax_t;
using ::uintmax_t;
using ::int_least8_t;
using ::int_least16_t;
using ::int_least32_t;
using ::int_least64_t;
using ::uint_least8_t;
using ::uint_least16_t;
using ::uint_least32_t;
using ::uint_least64_t;
using ::int_fast8_t;
using ::int_fast16_t;
using ::int_fast32_t;
using ::int_fast64_t;
using ::uint_fast8_t;
using ::uint_fast16_t;
using ::uint_fast32_t;
using ::uint_fast64_t;
)";

  constexpr const char* stddef_names = R"(using ::size_t;
using ::ptrdiff_t;
using nullptr_t = decltype(nullptr);
enum class byte : unsigned char {};
template <class T> __host__ __device__ constexpr T to_integer(byte b) { return T(b); }
__host__ __device__ constexpr byte operator|(byte a, byte b) { return byte(unsigned(a) | unsigned(b)); }
__host__ __device__ constexpr byte operator&(byte a, byte b) { return byte(unsigned(a) & unsigned(b)); }
__host__ __device__ constexpr byte operator^(byte a, byte b) { return byte(unsigned(a) ^ unsigned(b)); }
__host__ __device__ constexpr byte operator~(byte a) { return byte(~unsigned(a)); }
template <class T> __host__ __device__ constexpr byte operator<<(byte a, T by) { return byte(unsigned(a) << by); }
template <class T> __host__ __device__ constexpr byte operator>>(byte a, T by) { return byte(unsigned(a) >> by); }
struct max_align_t { long long whole; alignas(16) double real; };
)";
  return {
      {prelude_name, std::string(prelude) + standard_names},
      {"stdint.h", stdint_header},
      {"inttypes.h", "#pragma once\n#include <stdint.h>\n"},
      {"cstdint", in_namespace_std("stdint.h", stdint_names)},
      {"stddef.h", stddef_header},
      {"cstddef", in_namespace_std("stddef.h", stddef_names)},
      {"float.h", float_header},
      {"cfloat", "#pragma once\n#include <float.h>\n"},
      {"limits.h", limits_header},
      {"climits", "#pragma once\n#include <limits.h>\n"},
      {"math.h", math_header},
      {"cmath", "#pragma once\n#include <math.h>\n"},
      {"type_traits", type_traits_header},
      {"algorithm", algorithm_header},
      {"utility", utility_header},
      {"functional", functional_header},
      {"array", array_header},
      {"limits", limits_header_of_cpp},
      {"tuple", tuple_header},
      {"complex", complex_header},
      {"bit", bit_header},
      {"initializer_list", nothing},
      {"numeric", numeric_header},
      {"iterator", iterator_header},
      {"new", nothing},
      {"time.h", nothing},
      {"ctime", nothing},
      {"cinttypes", "#pragma once\n#include <cstdint>\n"},
      {mixed_math_name, "#pragma once\n" + model::mixed_math()},
      {"stdio.h", nothing},
      {"cstdio", nothing},
      {"stdlib.h", nothing},
      {"cstdlib", nothing},
      {"string.h", nothing},
      {"cstring", nothing},
      {"stdbool.h", nothing},
      {"assert.h", nothing},
      {"cassert", nothing},
      // The driver's interface is the host's; NVRTC refuses its declarations. Its version guards whole files.
      {"cuda.h", versions},
      {"cublas_v2.h", halves},
      {"cublasLt.h", halves},
      {"cuda_runtime.h", versions},
      {"cuda_runtime_api.h", versions},
      {"device_launch_parameters.h", nothing},
      // What only the host calls.
      {"driver_functions.h", nothing},
      {"cuda_profiler_api.h", nothing},
      {"cudaProfiler.h", nothing},
      {"cuda_gl_interop.h", nothing},
  };
}

}  // namespace

const std::map<std::string, std::string>& virtual_headers() {
  static const std::map<std::string, std::string> headers = make();
  return headers;
}

}  // namespace evo::evaluators::compile
