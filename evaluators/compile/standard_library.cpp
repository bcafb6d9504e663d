#include "evaluators/compile/standard_headers.hpp"

namespace evo::evaluators::compile {

const char* const standard_names = R"(
// Of whole numbers, of a float and a double: as double, as in the host's library, whose templates nvcc takes.
// An enum: constants of specialisations would be variables of every module.
template <class T> struct evo_whole { enum : bool { yes = false }; };
template <bool> struct evo_real_if {};
template <> struct evo_real_if<true> { using type = double; };
#define EVO_WHOLE(T) template <> struct evo_whole<T> { enum : bool { yes = true }; };
EVO_WHOLE(bool) EVO_WHOLE(char) EVO_WHOLE(signed char) EVO_WHOLE(unsigned char) EVO_WHOLE(short)
EVO_WHOLE(unsigned short) EVO_WHOLE(int) EVO_WHOLE(unsigned int) EVO_WHOLE(long) EVO_WHOLE(unsigned long)
EVO_WHOLE(long long) EVO_WHOLE(unsigned long long)
#undef EVO_WHOLE
template <class T, class U> struct evo_promoted : evo_real_if<bool(evo_whole<T>::yes) && bool(evo_whole<U>::yes)> {};
template <> struct evo_promoted<float, double> : evo_real_if<true> {};
template <> struct evo_promoted<double, float> : evo_real_if<true> {};
#define EVO_OF_ONE(f) \
  template <class T> __host__ __device__ inline typename evo_real_if<bool(evo_whole<T>::yes)>::type f(T x) { return ::f(double(x)); }
EVO_OF_ONE(acos) EVO_OF_ONE(asin) EVO_OF_ONE(atan) EVO_OF_ONE(cbrt) EVO_OF_ONE(ceil) EVO_OF_ONE(cos) EVO_OF_ONE(cosh)
EVO_OF_ONE(erf) EVO_OF_ONE(erfc) EVO_OF_ONE(exp) EVO_OF_ONE(exp2) EVO_OF_ONE(expm1) EVO_OF_ONE(fabs) EVO_OF_ONE(floor)
EVO_OF_ONE(log) EVO_OF_ONE(log10) EVO_OF_ONE(log1p) EVO_OF_ONE(log2) EVO_OF_ONE(rint) EVO_OF_ONE(round) EVO_OF_ONE(sin)
EVO_OF_ONE(sinh) EVO_OF_ONE(sqrt) EVO_OF_ONE(tan) EVO_OF_ONE(tanh) EVO_OF_ONE(trunc)
#undef EVO_OF_ONE
#define EVO_OF_TWO(f) \
  template <class T, class U> __host__ __device__ inline typename evo_promoted<T, U>::type f(T a, U b) { return ::f(double(a), double(b)); }
EVO_OF_TWO(atan2) EVO_OF_TWO(fdim) EVO_OF_TWO(fmax) EVO_OF_TWO(fmin) EVO_OF_TWO(fmod) EVO_OF_TWO(hypot) EVO_OF_TWO(pow)
EVO_OF_TWO(remainder)
#undef EVO_OF_TWO
namespace std {
using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2;
using ::atanh; using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf;
using ::erfc; using ::exp; using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor;
using ::fma; using ::fmax; using ::fmin; using ::fmod; using ::hypot; using ::ilogb;
using ::isfinite; using ::isinf; using ::isnan; using ::ldexp; using ::lgamma; using ::llrint;
using ::llround; using ::log; using ::log10; using ::log1p; using ::log2; using ::logb;
using ::lrint; using ::lround; using ::nearbyint; using ::nextafter; using ::pow; using ::remainder;
using ::rint; using ::round; using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan;
using ::tanh; using ::tgamma; using ::trunc;
using ::frexp; using ::modf; using ::nan; using ::remquo; using ::scalbln; using ::scalbn;
using ::labs; using ::llabs; using ::memcpy; using ::memset; using ::printf;
// Names of C for float, which the libraries of some hosts have in std, too.
using ::ceilf; using ::cosf; using ::exp2f; using ::expf; using ::fabsf; using ::floorf; using ::fmaf; using ::fmaxf;
using ::fminf; using ::fmodf; using ::log2f; using ::logf; using ::powf; using ::rintf; using ::roundf; using ::sinf;
using ::sqrtf; using ::tanhf; using ::truncf;
using size_t = decltype(sizeof(0));
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
}
)";

const char* const utility_header = R"(#pragma once
#include <type_traits>
namespace std {
using size_t = decltype(sizeof(0));
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
template <class... T> struct tuple_size;  // as libcu++ declares them
template <size_t I, class... T> struct tuple_element;
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <class A, class B> struct pair {
  using first_type = A;
  using second_type = B;
  A first{};
  B second{};
  pair() = default;
  __host__ __device__ constexpr pair(const A& a, const B& b) : first(a), second(b) {}
  template <class U, class V> __host__ __device__ constexpr pair(const pair<U, V>& other) : first(other.first), second(other.second) {}
};
template <class A, class B> pair(A, B) -> pair<A, B>;
template <class A, class B> __host__ __device__ constexpr bool operator==(const pair<A, B>& x, const pair<A, B>& y) { return x.first == y.first && x.second == y.second; }
template <class A, class B> __host__ __device__ constexpr bool operator!=(const pair<A, B>& x, const pair<A, B>& y) { return !(x == y); }
template <class A, class B> __host__ __device__ constexpr bool operator<(const pair<A, B>& x, const pair<A, B>& y) { return x.first < y.first || (!(y.first < x.first) && x.second < y.second); }
template <class A, class B> __host__ __device__ constexpr bool operator>(const pair<A, B>& x, const pair<A, B>& y) { return y < x; }
template <class A, class B> __host__ __device__ constexpr pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return {static_cast<A&&>(a), static_cast<B&&>(b)};
}
template <class A, class B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <size_t I, class A, class B> struct tuple_element<I, pair<A, B>> : conditional<I == 0, A, B> {};
template <size_t I, class A, class B> __host__ __device__ constexpr auto& get(pair<A, B>& of) { if constexpr (I == 0) return of.first; else return of.second; }
template <size_t I, class A, class B> __host__ __device__ constexpr const auto& get(const pair<A, B>& of) { if constexpr (I == 0) return of.first; else return of.second; }
template <size_t I, class A, class B> __host__ __device__ constexpr tuple_element_t<I, pair<A, B>>&& get(pair<A, B>&& of) { return static_cast<tuple_element_t<I, pair<A, B>>&&>(get<I>(of)); }
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

const char* const array_header = R"(#pragma once
#include <utility>
namespace std {
template <class T, size_t N> struct array {
  using value_type = T;
  using size_type = size_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  T evo_elements[N == 0 ? 1 : N];
  __host__ __device__ constexpr T& operator[](size_t i) { return evo_elements[i]; }
  __host__ __device__ constexpr const T& operator[](size_t i) const { return evo_elements[i]; }
  __host__ __device__ constexpr T& at(size_t i) { return evo_elements[i]; }
  __host__ __device__ constexpr const T& at(size_t i) const { return evo_elements[i]; }
  __host__ __device__ constexpr T& front() { return evo_elements[0]; }
  __host__ __device__ constexpr const T& front() const { return evo_elements[0]; }
  __host__ __device__ constexpr T& back() { return evo_elements[N - 1]; }
  __host__ __device__ constexpr const T& back() const { return evo_elements[N - 1]; }
  __host__ __device__ constexpr T* data() { return evo_elements; }
  __host__ __device__ constexpr const T* data() const { return evo_elements; }
  __host__ __device__ constexpr T* begin() { return evo_elements; }
  __host__ __device__ constexpr const T* begin() const { return evo_elements; }
  __host__ __device__ constexpr T* end() { return evo_elements + N; }
  __host__ __device__ constexpr const T* end() const { return evo_elements + N; }
  __host__ __device__ static constexpr size_t size() { return N; }
  __host__ __device__ static constexpr size_t max_size() { return N; }
  __host__ __device__ static constexpr bool empty() { return N == 0; }
  __host__ __device__ constexpr void fill(const T& value) { for (size_t i = 0; i < N; ++i) evo_elements[i] = value; }
};
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
template <class T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <size_t I, class T, size_t N> struct tuple_element<I, array<T, N>> : type_identity<T> {};
template <size_t I, class T, size_t N> __host__ __device__ constexpr T& get(array<T, N>& of) { return of[I]; }
template <size_t I, class T, size_t N> __host__ __device__ constexpr const T& get(const array<T, N>& of) { return of[I]; }
template <size_t I, class T, size_t N> __host__ __device__ constexpr T&& get(array<T, N>&& of) { return static_cast<T&&>(of[I]); }
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

const char* const complex_header = R"(#pragma once
#include <cuda/std/complex>
namespace std {
using cuda::std::complex;
// By name, as there are others of each name for plain numbers.
#define EVO_OF_COMPLEX(result, name) \
  template <class T> __host__ __device__ inline result name(const complex<T>& z) { return cuda::std::name(z); }
EVO_OF_COMPLEX(T, abs) EVO_OF_COMPLEX(T, arg) EVO_OF_COMPLEX(T, imag) EVO_OF_COMPLEX(T, norm) EVO_OF_COMPLEX(T, real)
EVO_OF_COMPLEX(complex<T>, conj) EVO_OF_COMPLEX(complex<T>, exp) EVO_OF_COMPLEX(complex<T>, log)
EVO_OF_COMPLEX(complex<T>, proj) EVO_OF_COMPLEX(complex<T>, sqrt) EVO_OF_COMPLEX(complex<T>, sin)
EVO_OF_COMPLEX(complex<T>, cos)
#undef EVO_OF_COMPLEX
using cuda::std::polar;
template <class T> __host__ __device__ inline complex<T> pow(const complex<T>& z, const complex<T>& by) { return cuda::std::pow(z, by); }
template <class T> __host__ __device__ inline complex<T> pow(const complex<T>& z, const T& by) { return cuda::std::pow(z, by); }
}
)";

const char* const bit_header = R"(#pragma once
#include <cuda/std/bit>
namespace std {
using cuda::std::bit_cast; using cuda::std::bit_ceil; using cuda::std::bit_floor; using cuda::std::bit_width;
using cuda::std::countl_one; using cuda::std::countl_zero; using cuda::std::countr_one; using cuda::std::countr_zero;
using cuda::std::has_single_bit; using cuda::std::popcount; using cuda::std::rotl; using cuda::std::rotr;
}
)";

}  // namespace evo::evaluators::compile
