#include "intake/widening.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "source/tokens.hpp"

namespace evo::intake {
namespace {

using Macro = std::pair<const char*, const char*>;

constexpr Macro widened_types[] = {
    {"float", "EVO_REAL"},
    {"half", "EVO_REAL"},
    {"__half", "EVO_REAL"},
    {"nv_bfloat16", "EVO_REAL"},
    {"__nv_bfloat16", "EVO_REAL"},
    {"__nv_fp8_e4m3", "evo_fp8<448>"},
    {"__nv_fp8_e5m2", "evo_fp8<57344>"},
    {"float2", "evo_real2"},
    {"float3", "evo_real3"},
    {"float4", "evo_real4"},
    {"half2", "evo_real2"},
    {"__half2", "evo_real2"},
    {"nv_bfloat162", "evo_real2"},
    {"__nv_bfloat162", "evo_real2"},
};

constexpr Macro widened_functions[] = {
    {"expf", "exp"},
    {"__expf", "exp"},
    {"exp2f", "exp2"},
    {"expm1f", "expm1"},
    {"logf", "log"},
    {"__logf", "log"},
    {"log2f", "log2"},
    {"__log2f", "log2"},
    {"log10f", "log10"},
    {"__log10f", "log10"},
    {"log1pf", "log1p"},
    {"sqrtf", "sqrt"},
    {"__fsqrt_rn", "sqrt"},
    {"rsqrtf", "rsqrt"},
    {"__frsqrt_rn", "rsqrt"},
    {"cbrtf", "cbrt"},
    {"fmaxf", "fmax"},
    {"fminf", "fmin"},
    {"fabsf", "fabs"},
    {"fmodf", "fmod"},
    {"powf", "pow"},
    {"__powf", "pow"},
    {"hypotf", "hypot"},
    {"sinf", "sin"},
    {"__sinf", "sin"},
    {"cosf", "cos"},
    {"__cosf", "cos"},
    {"sincosf", "sincos"},
    {"__sincosf", "sincos"},
    {"tanf", "tan"},
    {"__tanf", "tan"},
    {"asinf", "asin"},
    {"acosf", "acos"},
    {"atanf", "atan"},
    {"atan2f", "atan2"},
    {"sinhf", "sinh"},
    {"coshf", "cosh"},
    {"tanhf", "tanh"},
    {"__tanhf", "tanh"},
    {"erff", "erf"},
    {"erfcf", "erfc"},
    {"normcdff", "normcdf"},
    {"fmaf", "fma"},
    {"__fmaf_rn", "fma"},
    {"roundf", "round"},
    {"rintf", "rint"},
    {"nearbyintf", "nearbyint"},
    {"truncf", "trunc"},
    {"floorf", "floor"},
    {"ceilf", "ceil"},
    {"lrintf", "lrint"},
    {"lroundf", "lround"},
    {"copysignf", "copysign"},
    {"ldexpf", "ldexp"},
    {"__saturatef(a)", "fmin(fmax((a), 0.0), 1.0)"},
    {"__fdividef(a, b)", "((a) / (b))"},
    {"__fadd_rn(a, b)", "((a) + (b))"},
    {"__fsub_rn(a, b)", "((a) - (b))"},
    {"__fmul_rn(a, b)", "((a) * (b))"},
    {"__fdiv_rn(a, b)", "((a) / (b))"},
    {"__frcp_rn(a)", "(1.0 / (a))"},
    {"__float2int_rn(a)", "__double2int_rn(a)"},
    {"__float2int_rd(a)", "__double2int_rd(a)"},
    {"__float2int_ru(a)", "__double2int_ru(a)"},
    {"__float2int_rz(a)", "__double2int_rz(a)"},
    {"__int2float_rn(a)", "__int2double_rn(a)"},
    // Half and bfloat16: conversions do nothing any more.
    {"__float2half(a)", "EVO_REAL(a)"},
    {"__float2half_rn(a)", "EVO_REAL(a)"},
    {"__float2half_rz(a)", "EVO_REAL(a)"},
    {"__half2float(a)", "EVO_REAL(a)"},
    {"__double2half(a)", "EVO_REAL(a)"},
    {"__int2half_rn(a)", "EVO_REAL(a)"},
    {"__half2int_rn(a)", "__double2int_rn(a)"},
    {"__float2bfloat16(a)", "EVO_REAL(a)"},
    {"__float2bfloat16_rn(a)", "EVO_REAL(a)"},
    {"__bfloat162float(a)", "EVO_REAL(a)"},
    {"__float2half2_rn(a)", "evo_both(a)"},
    {"__half2half2(a)", "evo_both(a)"},
    {"__float2bfloat162_rn(a)", "evo_both(a)"},
    {"__bfloat162bfloat162(a)", "evo_both(a)"},
    {"__floats2half2_rn(a, b)", "evo_real2{EVO_REAL(a), EVO_REAL(b)}"},
    {"__floats2bfloat162_rn(a, b)", "evo_real2{EVO_REAL(a), EVO_REAL(b)}"},
    {"__halves2half2(a, b)", "evo_real2{EVO_REAL(a), EVO_REAL(b)}"},
    {"make_half2(a, b)", "evo_real2{EVO_REAL(a), EVO_REAL(b)}"},
    {"make_float2(a, b)", "evo_real2{EVO_REAL(a), EVO_REAL(b)}"},
    {"make_float3(a, b, c)", "evo_real3{EVO_REAL(a), EVO_REAL(b), EVO_REAL(c)}"},
    {"make_float4(a, b, c, d)", "evo_real4{EVO_REAL(a), EVO_REAL(b), EVO_REAL(c), EVO_REAL(d)}"},
    {"__half22float2(a)", "(a)"},
    {"__float22half2_rn(a)", "(a)"},
    {"__bfloat1622float2(a)", "(a)"},
    {"__float22bfloat162_rn(a)", "(a)"},
    {"__low2half(a)", "((a).x)"},
    {"__high2half(a)", "((a).y)"},
    {"__low2float(a)", "((a).x)"},
    {"__high2float(a)", "((a).y)"},
    {"__hadd(a, b)", "((a) + (b))"},
    {"__hsub(a, b)", "((a) - (b))"},
    {"__hmul(a, b)", "((a) * (b))"},
    {"__hdiv(a, b)", "((a) / (b))"},
    {"__hfma(a, b, c)", "fma((a), (b), (c))"},
    {"__hmax(a, b)", "fmax((a), (b))"},
    {"__hmin(a, b)", "fmin((a), (b))"},
    {"__hneg(a)", "(-(a))"},
    {"__habs(a)", "fabs(a)"},
    {"__hgt(a, b)", "((a) > (b))"},
    {"__hlt(a, b)", "((a) < (b))"},
    {"__hge(a, b)", "((a) >= (b))"},
    {"__hle(a, b)", "((a) <= (b))"},
    {"__heq(a, b)", "((a) == (b))"},
    {"hexp(a)", "exp(a)"},
    {"hlog(a)", "log(a)"},
    {"hsqrt(a)", "sqrt(a)"},
    {"hrsqrt(a)", "rsqrt(a)"},
    {"hrcp(a)", "(1.0 / (a))"},
    {"__hadd2(a, b)", "((a) + (b))"},
    {"__hsub2(a, b)", "((a) - (b))"},
    {"__hmul2(a, b)", "((a) * (b))"},
    {"__hfma2(a, b, c)", "((a) * (b) + (c))"},
};

/// Vectors of double without the alignment of the toolkit's, and element-wise arithmetic on pairs.
constexpr const char* vectors_of_real =
    "#ifndef EVO_REAL_VECTORS\n#define EVO_REAL_VECTORS\n"
    "struct evo_real2 { EVO_REAL x, y; };\n"
    "struct evo_real3 { EVO_REAL x, y, z; };\n"
    "struct evo_real4 { EVO_REAL x, y, z, w; };\n"
    "__device__ inline evo_real2 evo_both(EVO_REAL a) { return {a, a}; }\n"
    "#endif\n";
/// An 8-bit float that is not rounded, so that what is stored tells how far off a kernel is, but saturates as
/// the toolkit's objects do.
constexpr const char* saturating =
    "#ifndef EVO_REAL_FP8\n#define EVO_REAL_FP8\n"
    "template <int Largest> struct evo_fp8 {\n"
    "  EVO_REAL value;\n"
    "  evo_fp8() = default;\n"
    "  __device__ explicit evo_fp8(EVO_REAL v)\n"
    "      : value(v > Largest ? EVO_REAL(Largest) : v < -Largest ? EVO_REAL(-Largest) : v) {}\n"
    "  __device__ operator EVO_REAL() const { return value; }\n"
    "};\n"
    "#endif\n";
constexpr const char* sums_of_pairs =
    "#ifndef EVO_REAL_PAIRS\n#define EVO_REAL_PAIRS\n"
    "__device__ inline evo_real2 operator+(evo_real2 a, evo_real2 b) { return {a.x + b.x, a.y + b.y}; }\n"
    "__device__ inline evo_real2 operator-(evo_real2 a, evo_real2 b) { return {a.x - b.x, a.y - b.y}; }\n"
    "__device__ inline evo_real2 operator*(evo_real2 a, evo_real2 b) { return {a.x * b.x, a.y * b.y}; }\n"
    "#endif\n";

/// Those of the prelude are of type float by its name, which is EVO_REAL here.
constexpr const char* limits_of_real =
    "#undef INFINITY\n#define INFINITY __builtin_bit_cast(evo_double, 0x7ff0000000000000ull)\n"
    "#undef NAN\n#define NAN __builtin_bit_cast(evo_double, 0x7fffffffffffffffull)\n";

}  // namespace

bool is_widened(const std::string& type) {
  return std::ranges::any_of(widened_types, [&](const auto& each) { return type == each.first; });
}

std::string widening_for(const std::vector<std::string>& names, bool doubles) {
  const auto mentioned = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name.substr(0, name.find('('))) != names.end();
  };
  // `half` alone may be a variable.
  const bool halves = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name != "half" &&
           (name.find("fp16") != std::string::npos || name.find("half") != std::string::npos);
  });
  std::string text, defined;
  bool any = false, two = false, bytes = false;
  for (const auto& [name, meaning] : widened_types) {
    if (!mentioned(name) || (std::string_view(name) == "half" && !halves)) continue;
    any = true;
    two = two || std::string_view(meaning).starts_with("evo_real");
    bytes = bytes || std::string_view(meaning).starts_with("evo_fp8");
    defined += fmt::format("#define {} {}\n", name, meaning);
  }
  if (!any && !doubles) return {};
  // EVO_REAL is a macro itself, and it may be float.
  if (doubles) defined += "using evo_real = EVO_REAL;\n#define double evo_real\n";
  for (const auto& [name, meaning] : widened_functions) {
    if (!mentioned(name)) continue;
    const std::string_view value = meaning;
    two = two || value.starts_with("evo_");
    defined += fmt::format("#define {} {}\n", name, meaning);
  }
  if (two) text += vectors_of_real;
  const bool arithmetic = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find("half2") != std::string::npos || name.find("bfloat162") != std::string::npos;
  });
  if (two && arithmetic) text += sums_of_pairs;
  if (bytes) text += saturating;
  return "using evo_double = double;\n" + text + defined + limits_of_real;
}

namespace {

/// Does it make integers of numbers? There a literal alone may decide which, and a kernel has it in float.
bool makes_integers(const std::vector<source::Token>& tokens) {
  constexpr std::array<std::string_view, 12> casts{"int",    "unsigned", "long",     "short",
                                                   "char",   "int32_t",  "size_t",   "int64_t",
                                                   "int8_t", "uint8_t",  "uint32_t", "signed"};
  constexpr std::array<std::string_view, 12> functions{"floorf", "ceilf",  "rintf", "roundf",
                                                       "truncf", "lrintf", "floor", "ceil",
                                                       "rint",   "round",  "trunc", "fmodf"};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view word = tokens[i].text;
    if (word.starts_with("__float2") || word == "static_cast" ||
        std::ranges::find(functions, word) != functions.end())
      return true;
    // (int)(...), int(...)
    const bool cast = std::ranges::find(casts, word) != casts.end();
    if (cast && i > 0 && i + 1 < tokens.size() && tokens[i - 1].is("(") && tokens[i + 1].is(")")) return true;
    if (cast && i + 1 < tokens.size() && tokens[i + 1].is("(")) return true;
  }
  return false;
}

}  // namespace

std::string with_wide_literals(const std::string& text) {
  std::string wide;
  std::size_t done = 0;
  const std::vector<source::Token> tokens = source::tokens_of(text);
  if (makes_integers(tokens)) return text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& number = tokens[i].text;
    const bool literal = tokens[i].kind == source::TokenKind::number &&
                         (number.ends_with('f') || number.ends_with('F')) && !number.starts_with("0x") &&
                         !number.starts_with("0X") && number.find_first_of(".eE") != std::string::npos;
    // Part of a name that a macro puts together.
    const bool pasted =
        (i > 0 && tokens[i - 1].is("##")) || (i + 1 < tokens.size() && tokens[i + 1].is("##"));
    if (!literal || pasted) continue;
    wide += text.substr(done, tokens[i].begin - done) + "EVO_REAL(" + number + ")";
    done = tokens[i].end();
  }
  return wide + text.substr(done);
}

std::string array_converter() {
  return "namespace evo_call {\n"
         "template <class T> struct bare { using type = T; };\n"
         "template <class T> struct bare<const T> { using type = T; };\n"
         "template <class T, class U> constexpr bool same = false;\n"
         "template <class T> constexpr bool same<T, T> = true;\n"
         "template <class T> __device__ constexpr bool whole() { return !__is_class(T) && T(1) / T(2) == "
         "T(0); }\n"
         "template <class T, class E> __device__ constexpr bool fits() {\n"
         "  if constexpr (sizeof(E) == 8 && (same<T, float2> || same<T, float3> || same<T, float4>))\n"
         "    return false;\n"
         "  else if constexpr (__is_class(T)) return sizeof(T) % sizeof(E) == 0;\n"
         "  else return sizeof(T) == sizeof(E) && whole<T>() == whole<E>();\n"
         "}\n"
         "template <class E> struct array {\n"
         "  E* at;\n"
         "  template <class T> __device__ operator T*() const {\n"
         "    using Element = typename bare<T>::type;\n"
         "    static_assert(fits<Element, E>(), \"this array has elements of another kind or size\");\n"
         "    return reinterpret_cast<T*>(at);\n"
         "  }\n"
         "};\n"
         "}  // namespace evo_call\n";
}

std::string converted(const std::string& type, const std::string& name) {
  return fmt::format("evo_call::array<{}>{{{}}}", type, name);
}

}  // namespace evo::intake
