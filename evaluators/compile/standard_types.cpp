// <type_traits>. Not libcu++'s: to read that takes NVRTC a second.
#include "evaluators/compile/standard_headers.hpp"

namespace evo::evaluators::compile {

const char* const type_traits_header = R"(#pragma once
namespace std {
template <class T, T V> struct integral_constant {
  static constexpr T value = V;
  using value_type = T;
  using type = integral_constant;
  __host__ __device__ constexpr operator T() const { return V; }
  __host__ __device__ constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <class...> using void_t = void;
template <class T> struct type_identity { using type = T; };
template <bool B, class T, class F> struct conditional : type_identity<T> {};
template <class T, class F> struct conditional<false, T, F> : type_identity<F> {};
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> : type_identity<T> {};
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <class T, class U> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
template <class T> struct remove_const : type_identity<T> {};
template <class T> struct remove_const<const T> : type_identity<T> {};
template <class T> struct remove_volatile : type_identity<T> {};
template <class T> struct remove_volatile<volatile T> : type_identity<T> {};
template <class T> struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T> struct remove_reference : type_identity<T> {};
template <class T> struct remove_reference<T&> : type_identity<T> {};
template <class T> struct remove_reference<T&&> : type_identity<T> {};
template <class T> struct remove_pointer : type_identity<T> {};
template <class T> struct remove_pointer<T*> : type_identity<T> {};
template <class T> struct remove_pointer<T* const> : type_identity<T> {};
template <class T> struct remove_extent : type_identity<T> {};
template <class T> struct remove_extent<T[]> : type_identity<T> {};
template <class T, decltype(sizeof(0)) N> struct remove_extent<T[N]> : type_identity<T> {};
template <class T> struct add_pointer : type_identity<typename remove_reference<T>::type*> {};
template <class T> struct add_const : type_identity<const T> {};
template <class T> struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> struct is_array : false_type {};
template <class T> struct is_array<T[]> : true_type {};
template <class T, decltype(sizeof(0)) N> struct is_array<T[N]> : true_type {};
template <class T> struct decay {
  using bare = remove_reference_t<T>;
  using type = conditional_t<is_array<bare>::value, remove_extent_t<bare>*, remove_cv_t<bare>>;
};
template <class T> using decay_t = typename decay<T>::type;
template <class T, class... U> struct evo_one_of : bool_constant<(is_same<remove_cv_t<T>, U>::value || ...)> {};
template <class T> struct is_void : evo_one_of<T, void> {};
template <class T> struct is_integral
    : evo_one_of<T, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t, short, unsigned short, int,
                 unsigned, long, unsigned long, long long, unsigned long long> {};
template <class T> struct is_floating_point : evo_one_of<T, float, double> {};
template <class T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value> struct is_signed : bool_constant<(T(-1) < T(0))> {};
template <class T> struct is_signed<T, false> : false_type {};
template <class T, bool = is_arithmetic<T>::value> struct is_unsigned : bool_constant<(T(0) < T(-1))> {};
template <class T> struct is_unsigned<T, false> : false_type {};
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T*> : true_type {};
template <class T> struct is_pointer<T* const> : true_type {};
template <class T> struct is_reference : false_type {};
template <class T> struct is_reference<T&> : true_type {};
template <class T> struct is_reference<T&&> : true_type {};
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> struct is_class : bool_constant<__is_class(T)> {};
template <class T> struct is_empty : bool_constant<__is_empty(T)> {};
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class B, class D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class T, class U> struct is_convertible : bool_constant<__is_convertible_to(T, U)> {};
template <class T> struct underlying_type : type_identity<__underlying_type(T)> {};
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> struct alignment_of : integral_constant<decltype(sizeof(0)), alignof(T)> {};
template <class T> struct make_unsigned;
template <class T> struct make_signed;
template <> struct make_unsigned<char> : type_identity<unsigned char> {};
template <> struct make_unsigned<signed char> : type_identity<unsigned char> {};
template <> struct make_unsigned<unsigned char> : type_identity<unsigned char> {};
template <> struct make_unsigned<short> : type_identity<unsigned short> {};
template <> struct make_unsigned<unsigned short> : type_identity<unsigned short> {};
template <> struct make_unsigned<int> : type_identity<unsigned> {};
template <> struct make_unsigned<unsigned> : type_identity<unsigned> {};
template <> struct make_unsigned<long> : type_identity<unsigned long> {};
template <> struct make_unsigned<unsigned long> : type_identity<unsigned long> {};
template <> struct make_unsigned<long long> : type_identity<unsigned long long> {};
template <> struct make_unsigned<unsigned long long> : type_identity<unsigned long long> {};
template <> struct make_signed<char> : type_identity<signed char> {};
template <> struct make_signed<signed char> : type_identity<signed char> {};
template <> struct make_signed<unsigned char> : type_identity<signed char> {};
template <> struct make_signed<short> : type_identity<short> {};
template <> struct make_signed<unsigned short> : type_identity<short> {};
template <> struct make_signed<int> : type_identity<int> {};
template <> struct make_signed<unsigned> : type_identity<int> {};
template <> struct make_signed<long> : type_identity<long> {};
template <> struct make_signed<unsigned long> : type_identity<long> {};
template <> struct make_signed<long long> : type_identity<long long> {};
template <> struct make_signed<unsigned long long> : type_identity<long long> {};
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class T> __host__ __device__ remove_reference_t<T>&& declval() noexcept;
template <class... T> struct common_type;
template <class T> struct common_type<T> : type_identity<decay_t<T>> {};
template <class T, class U> struct common_type<T, U> : type_identity<decay_t<decltype(false ? declval<T>() : declval<U>())>> {};
template <class T, class U, class V, class... W> struct common_type<T, U, V, W...>
    : common_type<typename common_type<T, U>::type, V, W...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <class B, class D> inline constexpr bool is_base_of_v = is_base_of<B, D>::value;
template <class T, class U> inline constexpr bool is_convertible_v = is_convertible<T, U>::value;
template <class T> inline constexpr bool is_void_v = is_void<T>::value;
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> inline constexpr bool is_reference_v = is_reference<T>::value;
template <class T> inline constexpr bool is_const_v = is_const<T>::value;
template <class T> inline constexpr bool is_array_v = is_array<T>::value;
template <class T> inline constexpr bool is_enum_v = is_enum<T>::value;
template <class T> inline constexpr bool is_class_v = is_class<T>::value;
template <class T> inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
}
)";

}  // namespace evo::evaluators::compile
