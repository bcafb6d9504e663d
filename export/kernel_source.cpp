#include "export/kernel_source.hpp"

#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/launch_writer.hpp"
#include "export/names.hpp"

namespace evo::exporting {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

using Macros = std::map<std::string, std::string, std::less<>>;

/// `text` with its macros expanded; those of a macro's own text too, as deep as a preprocessor would need.
std::string expanded(const std::string& text, const Macros& macros, int depth = 0) {
  constexpr int deepest = 16;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string word = text.substr(at, end - at);
    const auto macro = macros.find(word);
    out += macro == macros.end() || depth == deepest ? word : expanded(macro->second, macros, depth + 1);
    at = end;
  }
  return out;
}

/// The rest of `line` behind `#` and `directive`, or false.
bool directive_of(std::string_view line, std::string_view directive, std::string_view& rest) {
  const auto skip = [&] {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  };
  skip();
  if (!line.starts_with('#')) return false;
  line.remove_prefix(1);
  skip();
  if (!line.starts_with(directive)) return false;
  line.remove_prefix(directive.size());
  if (!line.empty() && is_word(line.front())) return false;
  skip();
  rest = line;
  return true;
}

/// Notes what an object-like #define or an #undef does.
void follow(std::string_view line, Macros& macros) {
  std::string_view rest;
  const bool defines = directive_of(line, "define", rest);
  if (!defines && !directive_of(line, "undef", rest)) return;
  std::size_t end = 0;
  while (end < rest.size() && is_word(rest[end])) ++end;
  const std::string name(rest.substr(0, end));
  rest.remove_prefix(end);
  macros.erase(name);
  if (!defines || rest.starts_with('(')) return;
  const auto comment = std::min(rest.find("//"), rest.find("/*"));
  if (comment != std::string_view::npos) rest = rest.substr(0, comment);
  const auto first = rest.find_first_not_of(" \t"), last = rest.find_last_not_of(" \t\r");
  macros[name] = first == std::string_view::npos ? "" : std::string(rest.substr(first, last - first + 1));
}

}  // namespace

namespace {

std::string with_includes(const std::string& text, const std::map<std::string, std::string>& files,
                          std::set<std::string>& seen, int depth) {
  constexpr int deepest = 32;
  std::string out, line;
  std::istringstream lines(text);
  while (std::getline(lines, line)) {
    std::string_view rest;
    if (directive_of(line, "pragma", rest) && rest.starts_with("once")) continue;
    const bool includes = directive_of(line, "include", rest) && rest.starts_with('"');
    const std::string name = includes ? std::string(rest.substr(1, rest.find('"', 1) - 1)) : "";
    const auto file = files.find(name);
    if (file == files.end() || depth == deepest) {
      out += line + '\n';
    } else if (file->second.find("#pragma once") == std::string::npos || seen.insert(name).second) {
      out += with_includes(file->second, files, seen, depth + 1);
    }
  }
  return out;
}

}  // namespace

std::string with_includes(const std::string& text, const std::map<std::string, std::string>& files) {
  std::set<std::string> seen;
  return with_includes(text, files, seen, 0);
}

namespace {

/// What every nvcc finds: headers of the toolkit, of C++ (no ending) and of C.
bool is_of_toolchain(const std::string& header) {
  if (header.find('.') == std::string::npos && header.find('/') == std::string::npos) return true;
  static const std::set<std::string, std::less<>> of_c{
      "assert.h", "complex.h", "ctype.h",  "errno.h",  "float.h",   "inttypes.h",       "limits.h",
      "math.h",   "memory.h",  "setjmp.h", "stdarg.h", "stdbool.h", "stddef.h",         "stdint.h",
      "stdio.h",  "stdlib.h",  "string.h", "time.h",   "mma.h",     "math_constants.h", "math_functions.h"};
  if (of_c.contains(header)) return true;
  // Whole names, or folders: cuda_compat.h and device_utils.cuh are somebody's own.
  for (const char* start : {"cuda.h",
                            "cuda/",
                            "cuda_runtime",
                            "cuda_fp",
                            "cuda_bf16.h",
                            "cuda_pipeline",
                            "cuda_awbarrier",
                            "cuda_device_runtime_api.h",
                            "cub/",
                            "thrust/",
                            "cooperative_groups",
                            "curand_kernel.h",
                            "device_launch_parameters.h",
                            "device_functions.h",
                            "device_atomic_functions.h",
                            "vector_types.h",
                            "vector_functions.h",
                            "sm_",
                            "crt/",
                            "builtin_types.h",
                            "nv/"}) {
    if (header.starts_with(start)) return true;
  }
  return false;
}

/// X of #include <X> and #include "X"; empty where it is a macro.
std::string header_in(std::string_view rest) {
  if (rest.empty() || (rest.front() != '<' && rest.front() != '"')) return {};
  const auto close = rest.find(rest.front() == '<' ? '>' : '"', 1);
  return close == std::string_view::npos ? std::string() : std::string(rest.substr(1, close - 1));
}

}  // namespace

std::string with_optional_includes(const std::string& text, const std::set<std::string>& own) {
  std::string out, line;
  std::istringstream lines(text);
  while (std::getline(lines, line)) {
    std::string_view rest;
    const std::string header = directive_of(line, "include", rest) ? header_in(rest) : "";
    const auto name = header.substr(header.rfind('/') == std::string::npos ? 0 : header.rfind('/') + 1);
    if (header.empty() || own.contains(header) || own.contains(name) || is_of_toolchain(header)) {
      out += line + '\n';
      continue;
    }
    const std::string spelt = rest.front() == '<' ? "<" + header + ">" : "\"" + header + "\"";
    out += fmt::format("#if __has_include({})  // proven without it\n{}\n#endif\n", spelt, line);
  }
  if (!text.ends_with('\n') && !out.empty()) out.pop_back();
  return out;
}

std::string with_plain_unrolls(const std::string& source) {
  Macros macros;
  std::string out, line;
  std::istringstream lines(source);
  while (std::getline(lines, line)) {
    follow(line, macros);
    std::string_view rest;
    if (directive_of(line, "pragma", rest) && rest.starts_with("unroll")) {
      const std::size_t from = line.find("unroll") + 6;
      line = line.substr(0, from) + expanded(line.substr(from), macros);
    }
    out += line + '\n';
  }
  if (!source.ends_with('\n') && !out.empty()) out.pop_back();
  return out;
}

model::Expected<std::string> kernel_file(const ExportRequest& request, const std::string& name) {
  std::string source = request.variant.source;
  // No line of it leads to the template, whose path means nothing elsewhere.
  const std::string mark = fmt::format("#line 1 \"{}\"\n", request.kernel_template.source_file);
  if (const auto at = source.find(mark); at != std::string::npos) source.replace(at, mark.size(), 1, '\n');
  const auto launch = launch_definitions(request, name);
  if (!launch) return launch;
  const std::string entry =
      model::render_entry(request.kernel_template, request.bound_space, request.variant.genome);
  // A published file may bring a program of its own, which a library must not.
  static const std::regex program(R"(\bmain\s*\()");
  if (std::regex_search(source, program)) source.insert(0, fmt::format("#define main {}_main\n", name));
  const std::string options =
      request.variant.options.empty()
          ? std::string()
          : fmt::format("// Proven as compiled with {}.\n", fmt::join(request.variant.options, " "));
  return fmt::format(
      "// {}: variant {} of template {}, problem {}, with its genes fixed.\n"
      "// Accuracy class {}. How to launch it: {}.h; where it comes from: provenance.json.\n"
      "{}#include \"{}.h\"\n\n{}\n{}\n\n{}",
      entry, request.variant.id, request.kernel_template.name, request.problem.name, request.accuracy_class,
      name, options, name, *launch, with_plain_unrolls(source), address_definitions(request, name));
}

}  // namespace evo::exporting
