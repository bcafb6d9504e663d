// <algorithm>, <numeric>, <iterator> and <functional>: what is of use on the arrays that a thread has.
#include "evaluators/compile/standard_headers.hpp"

namespace evo::evaluators::compile {

const char* const algorithm_header = R"(#pragma once
#include <initializer_list>
#include <utility>
#define EVO_BOTH __host__ __device__ constexpr
namespace std {
struct evo_less {
  template <class A, class B> EVO_BOTH bool operator()(const A& a, const B& b) const { return a < b; }
};
template <class T, class F> EVO_BOTH const T& min(const T& a, const T& b, F less) { return less(b, a) ? b : a; }
template <class T, class F> EVO_BOTH const T& max(const T& a, const T& b, F less) { return less(a, b) ? b : a; }
template <class T> EVO_BOTH T min(initializer_list<T> all) {
  T least = *all.begin();
  for (const T& one : all) if (one < least) least = one;
  return least;
}
template <class T> EVO_BOTH T max(initializer_list<T> all) {
  T most = *all.begin();
  for (const T& one : all) if (most < one) most = one;
  return most;
}
template <class T> EVO_BOTH pair<T, T> minmax(const T& a, const T& b) { return b < a ? pair<T, T>(b, a) : pair<T, T>(a, b); }
template <class T> EVO_BOTH const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
template <class I, class T> EVO_BOTH void fill(I first, I last, const T& value) {
  for (; first != last; ++first) *first = value;
}
template <class I, class N, class T> EVO_BOTH I fill_n(I first, N count, const T& value) {
  for (; count > 0; --count, ++first) *first = value;
  return first;
}
template <class I, class O> EVO_BOTH O copy(I first, I last, O to) {
  for (; first != last; ++first, ++to) *to = *first;
  return to;
}
template <class I, class N, class O> EVO_BOTH O copy_n(I first, N count, O to) {
  for (; count > 0; --count, ++first, ++to) *to = *first;
  return to;
}
template <class I, class O, class F> EVO_BOTH O transform(I first, I last, O to, F f) {
  for (; first != last; ++first, ++to) *to = f(*first);
  return to;
}
template <class I, class F> EVO_BOTH F for_each(I first, I last, F f) {
  for (; first != last; ++first) f(*first);
  return f;
}
template <class I, class T> EVO_BOTH I find(I first, I last, const T& value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <class I, class F> EVO_BOTH I find_if(I first, I last, F f) {
  while (first != last && !f(*first)) ++first;
  return first;
}
template <class I, class F> EVO_BOTH bool any_of(I first, I last, F f) { return find_if(first, last, f) != last; }
template <class I, class F> EVO_BOTH bool none_of(I first, I last, F f) { return find_if(first, last, f) == last; }
template <class I, class F> EVO_BOTH bool all_of(I first, I last, F f) {
  for (; first != last; ++first) if (!f(*first)) return false;
  return true;
}
template <class I, class T> EVO_BOTH long count(I first, I last, const T& value) {
  long found = 0;
  for (; first != last; ++first) if (*first == value) ++found;
  return found;
}
template <class I, class J> EVO_BOTH bool equal(I first, I last, J other) {
  for (; first != last; ++first, ++other) if (!(*first == *other)) return false;
  return true;
}
template <class I> EVO_BOTH I min_element(I first, I last) {
  I best = first;
  for (; first != last; ++first) if (*first < *best) best = first;
  return best;
}
template <class I> EVO_BOTH I max_element(I first, I last) {
  I best = first;
  for (; first != last; ++first) if (*best < *first) best = first;
  return best;
}
template <class I> EVO_BOTH void reverse(I first, I last) {
  while (first != last && first != --last) {
    swap(*first, *last);
    ++first;
  }
}
template <class I, class T, class F> EVO_BOTH I lower_bound(I first, I last, const T& value, F less) {
  for (auto count = last - first; count > 0;) {
    const auto half = count / 2;
    if (less(first[half], value)) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
template <class I, class T, class F> EVO_BOTH I upper_bound(I first, I last, const T& value, F less) {
  for (auto count = last - first; count > 0;) {
    const auto half = count / 2;
    if (!less(value, first[half])) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
template <class I, class T> EVO_BOTH I lower_bound(I first, I last, const T& value) {
  return lower_bound(first, last, value, evo_less());
}
template <class I, class T> EVO_BOTH I upper_bound(I first, I last, const T& value) {
  return upper_bound(first, last, value, evo_less());
}
template <class I, class T> EVO_BOTH bool binary_search(I first, I last, const T& value) {
  first = lower_bound(first, last, value);
  return first != last && !(value < *first);
}
template <class I, class F> EVO_BOTH void sort(I first, I last, F less) {
  for (I i = first; i != last; ++i) {
    for (I j = i; j != first && less(*j, *(j - 1)); --j) swap(*j, *(j - 1));
  }
}
template <class I> EVO_BOTH void sort(I first, I last) {
  sort(first, last, evo_less());
}
}
#undef EVO_BOTH
)";

const char* const numeric_header = R"(#pragma once
#include <type_traits>
namespace std {
template <class M, class N> __host__ __device__ constexpr common_type_t<M, N> gcd(M m, N n) {
  common_type_t<M, N> a = m < 0 ? -m : m, b = n < 0 ? -n : n;
  while (b != 0) {
    const common_type_t<M, N> rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
template <class M, class N> __host__ __device__ constexpr common_type_t<M, N> lcm(M m, N n) {
  if (m == 0 || n == 0) return 0;
  const common_type_t<M, N> product = m / gcd(m, n) * n;
  return product < 0 ? -product : product;
}
template <class I, class T, class F> __host__ __device__ constexpr T accumulate(I first, I last, T sum, F f) {
  for (; first != last; ++first) sum = f(sum, *first);
  return sum;
}
template <class I, class T> __host__ __device__ constexpr T accumulate(I first, I last, T sum) {
  for (; first != last; ++first) sum = sum + *first;
  return sum;
}
template <class I, class T> __host__ __device__ constexpr void iota(I first, I last, T value) {
  for (; first != last; ++first, ++value) *first = value;
}
}
)";

const char* const iterator_header = R"(#pragma once
namespace std {
template <class I> __host__ __device__ constexpr auto distance(I first, I last) { return last - first; }
template <class I, class N> __host__ __device__ constexpr void advance(I& at, N by) { at += by; }
template <class I> __host__ __device__ constexpr I next(I at, long by = 1) { return at + by; }
template <class I> __host__ __device__ constexpr I prev(I at, long by = 1) { return at - by; }
template <class T, decltype(sizeof(0)) N> __host__ __device__ constexpr T* begin(T (&of)[N]) { return of; }
template <class T, decltype(sizeof(0)) N> __host__ __device__ constexpr T* end(T (&of)[N]) { return of + N; }
template <class T, decltype(sizeof(0)) N> __host__ __device__ constexpr decltype(sizeof(0)) size(const T (&)[N]) { return N; }
}
)";

// Each operator for one type, and as `plus<>` for whichever there is.
const char* const functional_header = R"(#pragma once
#define EVO_BINARY(name, result, expression)                                                                        \
  template <class T = void> struct name {                                                                           \
    __host__ __device__ constexpr result operator()(const T& a, const T& b) const { return expression; }            \
  };                                                                                                                \
  template <> struct name<void> {                                                                                   \
    template <class A, class B> __host__ __device__ constexpr auto operator()(const A& a, const B& b) const { return expression; } \
  };
#define EVO_UNARY(name, result, expression)                                                                         \
  template <class T = void> struct name {                                                                           \
    __host__ __device__ constexpr result operator()(const T& a) const { return expression; }                        \
  };                                                                                                                \
  template <> struct name<void> {                                                                                   \
    template <class A> __host__ __device__ constexpr auto operator()(const A& a) const { return expression; }       \
  };
namespace std {
EVO_BINARY(plus, T, a + b)
EVO_BINARY(minus, T, a - b)
EVO_BINARY(multiplies, T, a * b)
EVO_BINARY(divides, T, a / b)
EVO_BINARY(modulus, T, a % b)
EVO_BINARY(bit_and, T, a & b)
EVO_BINARY(bit_or, T, a | b)
EVO_BINARY(bit_xor, T, a ^ b)
EVO_BINARY(equal_to, bool, a == b)
EVO_BINARY(not_equal_to, bool, a != b)
EVO_BINARY(less, bool, a < b)
EVO_BINARY(less_equal, bool, a <= b)
EVO_BINARY(greater, bool, a > b)
EVO_BINARY(greater_equal, bool, a >= b)
EVO_BINARY(logical_and, bool, a && b)
EVO_BINARY(logical_or, bool, a || b)
EVO_UNARY(negate, T, -a)
EVO_UNARY(bit_not, T, ~a)
EVO_UNARY(logical_not, bool, !a)
}
#undef EVO_BINARY
#undef EVO_UNARY
)";

}  // namespace evo::evaluators::compile
