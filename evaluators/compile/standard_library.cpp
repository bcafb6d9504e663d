#include "evaluators/compile/standard_headers.hpp"

namespace evo::evaluators::compile {

const char* const standard_names = R"(namespace std {
using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2;
using ::atanh; using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf;
using ::erfc; using ::exp; using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor;
using ::fma; using ::fmax; using ::fmin; using ::fmod; using ::hypot; using ::ilogb;
using ::isfinite; using ::isinf; using ::isnan; using ::ldexp; using ::lgamma; using ::llrint;
using ::llround; using ::log; using ::log10; using ::log1p; using ::log2; using ::logb;
using ::lrint; using ::lround; using ::nearbyint; using ::nextafter; using ::pow; using ::remainder;
using ::rint; using ::round; using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan;
using ::tanh; using ::tgamma; using ::trunc;
using size_t = decltype(sizeof(0));
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
}
)";

const char* const algorithm_header = R"(#pragma once
namespace std {
template <class T, class F> __host__ __device__ constexpr const T& min(const T& a, const T& b, F less) { return less(b, a) ? b : a; }
template <class T, class F> __host__ __device__ constexpr const T& max(const T& a, const T& b, F less) { return less(a, b) ? b : a; }
template <class T> __host__ __device__ constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
template <class I, class T> __host__ __device__ constexpr void fill(I first, I last, const T& value) {
  for (; first != last; ++first) *first = value;
}
template <class I, class O> __host__ __device__ constexpr O copy(I first, I last, O to) {
  for (; first != last; ++first, ++to) *to = *first;
  return to;
}
template <class I, class T> __host__ __device__ constexpr I lower_bound(I first, I last, const T& value) {
  for (auto count = last - first; count > 0;) {
    const auto half = count / 2;
    if (first[half] < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
template <class I, class T> __host__ __device__ constexpr I upper_bound(I first, I last, const T& value) {
  for (auto count = last - first; count > 0;) {
    const auto half = count / 2;
    if (!(value < first[half])) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
}
)";

const char* const utility_header = R"(#pragma once
#include <type_traits>
namespace std {
template <class T> __host__ __device__ constexpr void swap(T& a, T& b) {
  T kept = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}
template <class T, class U = T> __host__ __device__ constexpr T exchange(T& a, U&& b) {
  T kept = static_cast<T&&>(a);
  a = static_cast<U&&>(b);
  return kept;
}
template <class A, class B> struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
};
template <class A, class B> pair(A, B) -> pair<A, B>;
template <class A, class B> __host__ __device__ constexpr pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return {static_cast<A&&>(a), static_cast<B&&>(b)};
}
template <class T, T... I> struct integer_sequence {
  using value_type = T;
  __host__ __device__ static constexpr decltype(sizeof(0)) size() { return sizeof...(I); }
};
template <unsigned N, class T, T... I> struct evo_sequence : evo_sequence<N - 1, T, T(N - 1), I...> {};
template <class T, T... I> struct evo_sequence<0, T, I...> {
  using type = integer_sequence<T, I...>;
};
template <class T, T N> using make_integer_sequence = typename evo_sequence<unsigned(N), T>::type;
template <decltype(sizeof(0))... I> using index_sequence = integer_sequence<decltype(sizeof(0)), I...>;
template <decltype(sizeof(0)) N> using make_index_sequence = make_integer_sequence<decltype(sizeof(0)), N>;
}
)";

const char* const functional_header = R"(#pragma once
namespace std {
template <class T = void> struct plus { __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a + b; } };
template <class T = void> struct minus { __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a - b; } };
template <class T = void> struct multiplies { __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a * b; } };
template <class T = void> struct divides { __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a / b; } };
template <class T = void> struct less { __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a < b; } };
template <class T = void> struct greater { __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a > b; } };
template <class T = void> struct bit_and { __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a & b; } };
template <class T = void> struct bit_or { __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a | b; } };
template <class T = void> struct bit_xor { __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a ^ b; } };
}
)";

const char* const array_header = R"(#pragma once
namespace std {
template <class T, decltype(sizeof(0)) N> struct array {
  using value_type = T;
  T evo_elements[N == 0 ? 1 : N];
  __host__ __device__ constexpr T& operator[](decltype(sizeof(0)) i) { return evo_elements[i]; }
  __host__ __device__ constexpr const T& operator[](decltype(sizeof(0)) i) const { return evo_elements[i]; }
  __host__ __device__ constexpr T* data() { return evo_elements; }
  __host__ __device__ constexpr const T* data() const { return evo_elements; }
  __host__ __device__ constexpr T* begin() { return evo_elements; }
  __host__ __device__ constexpr const T* begin() const { return evo_elements; }
  __host__ __device__ constexpr T* end() { return evo_elements + N; }
  __host__ __device__ constexpr const T* end() const { return evo_elements + N; }
  __host__ __device__ static constexpr decltype(sizeof(0)) size() { return N; }
};
}
)";

const char* const limits_header_of_cpp = R"(#pragma once
#include <cuda/std/limits>
namespace std { using cuda::std::numeric_limits; }
)";

const char* const tuple_header = R"(#pragma once
#include <utility>
#include <cuda/std/tuple>
namespace std {
using cuda::std::tuple;
using cuda::std::make_tuple;
using cuda::std::tie;
using cuda::std::get;
}
)";

}  // namespace evo::evaluators::compile
