#include "intake/types.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "intake/request.hpp"

namespace evo::intake {
namespace {

const std::map<std::string, std::string, std::less<>>& plain_types() {
  static const std::map<std::string, std::string, std::less<>> types{{"float", "f32"},
                                                                     {"double", "f64"},
                                                                     {"__half", "f16"},
                                                                     {"half", "f16"},
                                                                     {"__nv_bfloat16", "bf16"},
                                                                     {"nv_bfloat16", "bf16"},
                                                                     {"EVO_REAL", "f64"},
                                                                     {"char", "i8"},
                                                                     {"signed char", "i8"},
                                                                     {"int8_t", "i8"},
                                                                     {"unsigned char", "u8"},
                                                                     {"uint8_t", "u8"},
                                                                     {"uchar", "u8"},
                                                                     {"short", "i16"},
                                                                     {"int16_t", "i16"},
                                                                     {"unsigned short", "u16"},
                                                                     {"uint16_t", "u16"},
                                                                     {"ushort", "u16"},
                                                                     {"int", "i32"},
                                                                     {"int32_t", "i32"},
                                                                     {"signed", "i32"},
                                                                     {"signed int", "i32"},
                                                                     {"unsigned", "u32"},
                                                                     {"unsigned int", "u32"},
                                                                     {"uint", "u32"},
                                                                     {"uint32_t", "u32"},
                                                                     {"long", "i64"},
                                                                     {"long int", "i64"},
                                                                     {"long long", "i64"},
                                                                     {"int64_t", "i64"},
                                                                     {"ptrdiff_t", "i64"},
                                                                     {"unsigned long", "u64"},
                                                                     {"unsigned long long", "u64"},
                                                                     {"size_t", "u64"},
                                                                     {"uint64_t", "u64"},
                                                                     {"bool", "bool"},
                                                                     {"__nv_fp8_e4m3", "f8e4m3"},
                                                                     {"__nv_fp8_e5m2", "f8e5m2"},
                                                                     {"__half2", "f16"},
                                                                     {"half2", "f16"},
                                                                     {"__nv_bfloat162", "bf16"},
                                                                     {"nv_bfloat162", "bf16"}};
  return types;
}

/// Vector types end in their lanes: float4 is "float", 4.
int lanes_of(std::string& name) {
  static const std::vector<std::string> bases{"float", "double", "int",      "uint",      "char", "uchar",
                                              "short", "ushort", "longlong", "ulonglong", "long", "ulong"};
  if (name == "__half2" || name == "half2" || name == "__nv_bfloat162" || name == "nv_bfloat162") return 2;
  if (name.empty() || name.back() < '1' || name.back() > '4') return 1;
  const std::string base = name.substr(0, name.size() - 1);
  if (std::find(bases.begin(), bases.end(), base) == bases.end()) return 1;
  const int lanes = name.back() - '0';
  name = base == "longlong"    ? "long long"
         : base == "ulonglong" ? "unsigned long long"
         : base == "ulong"     ? "unsigned long"
                               : base;
  return lanes;
}

}  // namespace

ElementType element_type(std::string_view type) {
  ElementType result;
  std::string base;
  std::size_t stars = 0;
  for (std::size_t i = 0; i < type.size();) {
    if (type[i] == '*' || type[i] == '&') {
      ++stars;
      ++i;
      continue;
    }
    if (type[i] == ' ') {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < type.size() && type[end] != ' ' && type[end] != '*' && type[end] != '&') ++end;
    const std::string_view word = type.substr(i, end - i);
    if (word == "const") {
      result.constant = result.constant || stars == 0;
    } else if (word != "__restrict__" && word != "volatile" && word != "struct") {
      base += (base.empty() ? "" : " ") + std::string(word);
    }
    i = end;
  }
  result.pointer = stars > 0;
  result.lanes = lanes_of(base);
  const auto found = plain_types().find(base);
  if (stars > 1 || found == plain_types().end()) return result;
  result.dtype = found->second;
  // What problem.yaml does not have yet.
  const std::vector<std::string> known = known_dtypes();
  if (std::find(known.begin(), known.end(), result.dtype) == known.end())
    result.dtype = result.dtype == "bool" ? "u8" : "";
  return result;
}

std::string reference_type(const std::string& dtype) {
  static const std::map<std::string, std::string, std::less<>> names{
      {"i8", "signed char"}, {"u8", "unsigned char"}, {"i16", "short"},     {"u16", "unsigned short"},
      {"i32", "int"},        {"u32", "unsigned int"}, {"i64", "long long"}, {"u64", "unsigned long long"},
      {"bool", "bool"}};
  const auto found = names.find(dtype);
  return found == names.end() ? "EVO_REAL" : found->second;
}

int bytes_of(const std::string& dtype) {
  if (dtype.starts_with("f8") || dtype == "bool" || dtype.ends_with("i8") || dtype.ends_with("u8")) return 1;
  if (dtype.ends_with("16")) return 2;
  return dtype.ends_with("64") ? 8 : 4;
}

}  // namespace evo::intake
