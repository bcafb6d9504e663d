#include "intake/standard_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "diagnose/tokens.hpp"

namespace evo::intake {
namespace {

/// Names of C, which stand outside of std too, and of the toolkit.
std::string header_of_c(const std::string& wanted) {
  static const std::map<std::string, std::string, std::less<>> headers = [] {
    std::map<std::string, std::string, std::less<>> all;
    for (const char* bits : {"8", "16", "32", "64"}) {
      for (const char* sign : {"int", "uint"}) {
        all[std::string(sign) + bits + "_t"] = "cstdint";
        all[std::string(sign) + "_fast" + bits + "_t"] = "cstdint";
        all[std::string(sign) + "_least" + bits + "_t"] = "cstdint";
      }
      for (const char* limit : {"INT", "UINT"}) all[std::string(limit) + bits + "_MAX"] = "cstdint";
      all[std::string("INT") + bits + "_MIN"] = "cstdint";
    }
    for (const char* name : {"intptr_t", "uintptr_t", "intmax_t", "uintmax_t", "SIZE_MAX"})
      all[name] = "cstdint";
    for (const char* type : {"FLT", "DBL"}) {
      for (const char* what : {"_MAX", "_MIN", "_EPSILON", "_DIG", "_MANT_DIG"})
        all[std::string(type) + what] = "cfloat";
    }
    for (const char* type : {"CHAR", "SCHAR", "SHRT", "INT", "LONG", "LLONG"}) {
      all[std::string(type) + "_MAX"] = "climits";
      all[std::string(type) + "_MIN"] = "climits";
    }
    for (const char* name : {"UCHAR_MAX", "USHRT_MAX", "UINT_MAX", "ULONG_MAX", "ULLONG_MAX", "CHAR_BIT"})
      all[name] = "climits";
    all["ptrdiff_t"] = "cstddef";
    // Of the toolkit: what cuBLAS's and PyTorch's headers bring along.
    for (const char* name : {"half", "half2", "__half", "__half2", "__half_raw"}) all[name] = "cuda_fp16.h";
    for (const char* name : {"nv_bfloat16", "nv_bfloat162", "__nv_bfloat16", "__nv_bfloat162"})
      all[name] = "cuda_bf16.h";
    for (const char* name : {"__nv_fp8_e4m3", "__nv_fp8_e5m2", "__nv_fp8x2_e4m3", "__nv_fp8x2_e5m2",
                             "__nv_fp8x4_e4m3", "__nv_fp8x4_e5m2", "__nv_fp8_storage_t"})
      all[name] = "cuda_fp8.h";
    for (const char* name : {"cuComplex", "cuFloatComplex", "cuDoubleComplex"}) all[name] = "cuComplex.h";
    return all;
  }();
  const auto found = headers.find(wanted);
  return found == headers.end() ? std::string() : found->second;
}

/// Names of std that are rarely anything else.
std::string header_of_cpp(const std::string& name) {
  static const std::map<std::string, std::string, std::less<>> headers{
      {"numeric_limits", "limits"},
      {"clamp", "algorithm"},
      {"lower_bound", "algorithm"},
      {"upper_bound", "algorithm"},
      {"fill", "algorithm"},
      {"copy", "algorithm"},
      {"swap", "utility"},
      {"exchange", "utility"},
      {"pair", "utility"},
      {"make_pair", "utility"},
      {"integer_sequence", "utility"},
      {"make_integer_sequence", "utility"},
      {"index_sequence", "utility"},
      {"make_index_sequence", "utility"},
      {"array", "array"},
      {"tuple", "tuple"},
      {"make_tuple", "tuple"},
      {"tie", "tuple"},
      {"plus", "functional"},
      {"minus", "functional"},
      {"multiplies", "functional"},
      {"less", "functional"},
      {"greater", "functional"},
  };
  const auto found = headers.find(name);
  if (found != headers.end()) return found->second;
  static const std::set<std::string, std::less<>> traits{
      "integral_constant", "bool_constant",    "true_type",
      "false_type",        "void_t",           "decay",
      "decay_t",           "declval",          "common_type",
      "common_type_t",     "conditional",      "conditional_t",
      "enable_if",         "enable_if_t",      "make_unsigned",
      "make_unsigned_t",   "make_signed",      "make_signed_t",
      "underlying_type",   "underlying_type_t"};
  const bool trait = traits.contains(name) || name.starts_with("is_") || name.starts_with("remove_") ||
                     name.starts_with("add_");
  return trait ? "type_traits" : "";
}

/// What stands between the quotes of a message, in their order.
std::vector<std::string> quoted_words(const std::string& message) {
  std::vector<std::string> words;
  for (std::size_t at = message.find('"'); at != std::string::npos;) {
    const std::size_t close = message.find('"', at + 1);
    if (close == std::string::npos) break;
    words.push_back(message.substr(at + 1, close - at - 1));
    at = message.find('"', close + 1);
  }
  return words;
}

/// Whether the line at `begin` is "#ifndef NAME" and the next directive "#define NAME": all of a header.
bool opens_guard(const std::string& source, std::size_t begin) {
  const auto word_after = [&](std::string_view directive, std::size_t at) -> std::string {
    const std::size_t hash = source.find_first_not_of(" \t", at);
    if (hash == std::string::npos || source[hash] != '#') return {};
    const std::size_t word = source.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || source.compare(word, directive.size(), directive) != 0) return {};
    const std::size_t name = source.find_first_not_of(" \t", word + directive.size());
    if (name == std::string::npos || name == word + directive.size()) return {};
    return source.substr(name, source.find_first_of(" \t\r\n", name) - name);
  };
  const std::string name = word_after("ifndef", begin);
  std::size_t next = source.find('\n', begin);
  while (next != std::string::npos && next + 1 < source.size() &&
         (source[next + 1] == '\n' || source[next + 1] == '\r'))
    next = source.find('\n', next + 1);
  return !name.empty() && next != std::string::npos && word_after("define", next + 1) == name;
}

}  // namespace

std::string standard_header_for(const std::string& message) {
  const std::vector<std::string> words = quoted_words(message);
  if (words.size() == 1 && message.ends_with("is undefined")) return header_of_c(words[0]);
  if (words.size() == 2 && words[0] == "std" && message.find("has no member") != std::string::npos) {
    const std::string header = header_of_c(words[1]);
    return header.empty() ? header_of_cpp(words[1]) : header;
  }
  return {};
}

std::string standard_includes(const std::vector<std::string>& names,
                              const std::vector<std::string>& included) {
  const bool in_std = std::find(names.begin(), names.end(), "std") != names.end();
  std::set<std::string> headers;
  for (const std::string& name : names) {
    std::string header = header_of_c(name);
    // Without std:: the names of C++ are the file's own.
    if (header.empty() && in_std) header = header_of_cpp(name);
    if (!header.empty() && std::find(included.begin(), included.end(), header) == included.end())
      headers.insert(header);
  }
  std::string text;
  for (const std::string& header : headers) text += "#include <" + header + ">\n";
  return text;
}

namespace {
bool is_type_word(const std::string& word) {
  return word == "float" || word == "double" || word == "int" || word == "unsigned" || word == "half" ||
         word == "__half" || word == "char" || word == "long" || word == "short";
}
}  // namespace

bool declares_type(const std::string& header, const std::string& name) {
  const std::vector<diagnose::Token> tokens = diagnose::tokens_of(header);
  bool defines = false;  // since a typedef, up to its semicolon, behind the braces of a struct
  int depth = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const diagnose::Token& next = tokens[i + 1];
    depth += tokens[i].is("{") ? 1 : tokens[i].is("}") ? -1 : 0;
    if (tokens[i].is("typedef")) {
      defines = true;
      depth = 0;
    }
    if (tokens[i].is(";") && depth <= 0) defines = false;
    if (!tokens[i].is(name)) continue;
    const bool alias = defines && depth <= 0 && next.is(";");
    // #define fp float
    const bool macro = i > 0 && tokens[i - 1].is("define") && tokens[i].directive && next.directive &&
                       next.line == tokens[i].line && is_type_word(next.text);
    const bool used = i > 0 && tokens[i - 1].is("using") && next.is("=");
    const bool structure = i > 0 && (next.is("{") || next.is(":")) &&
                           (tokens[i - 1].is("struct") || tokens[i - 1].is("class") ||
                            tokens[i - 1].is("union") || tokens[i - 1].is("enum"));
    if (alias || used || structure || macro) return true;
  }
  return false;
}

std::string with_line(const std::string& source, const std::string& line) {
  bool comment = false;
  int conditions = 0;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string text = source.substr(begin, end - begin);
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) {
      if (!comment && conditions <= 0) return source.substr(0, begin) + line + source.substr(end);
    } else if (!comment && text[first] == '#') {
      const std::size_t word = text.find_first_not_of(" \t", first + 1);
      const bool guard = conditions == 0 && opens_guard(source, begin);
      if (word != std::string::npos && text.compare(word, 2, "if") == 0 && !guard) ++conditions;
      if (word != std::string::npos && text.compare(word, 5, "endif") == 0) --conditions;
    } else if (!comment && text.find('{') != std::string::npos && text.find("//") != 0) {
      return source;
    }
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      if (!comment && text[i] == '/' && text[i + 1] == '/') break;
      if (!comment && text[i] == '/' && text[i + 1] == '*') comment = true;
      if (comment && text[i] == '*' && text[i + 1] == '/') comment = false;
    }
    begin = end + 1;
  }
  return source;
}

}  // namespace evo::intake
