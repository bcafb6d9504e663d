#include "intake/probe_text.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include <cxxabi.h>

#include <fmt/format.h>

#include "diagnose/tokens.hpp"
#include "intake/signature.hpp"

namespace evo::intake {

std::string cub_headers() {
  std::string text = "// In the place of cub/cub.cuh: what NVRTC compiles of it.\n#pragma once\n";
  for (const char* name : {"block/block_load", "block/block_store", "block/block_reduce", "block/block_scan",
                           "block/block_radix_sort", "block/block_exchange", "block/block_histogram",
                           "block/block_discontinuity", "block/block_merge_sort", "warp/warp_reduce",
                           "warp/warp_scan", "warp/warp_merge_sort"})
    text += fmt::format("#include <cub/{}.cuh>\n", name);
  return text;
}

bool without_host_headers(std::string& text, std::map<std::string, std::string>& headers,
                          std::vector<Cut>& cuts) {
  constexpr std::string_view cub_in_blocks = "\"evo_cub.cuh\"";
  bool changed = false;
  // Its launchers are host code; what runs in a block or a warp is none.
  for (const std::string_view whole : {"<cub/cub.cuh>", "\"cub/cub.cuh\""}) {
    const std::size_t at = text.find(whole);
    if (at == std::string::npos) continue;
    text.replace(at, whole.size(), fmt::format("{:<13}", cub_in_blocks));
    headers.emplace("evo_cub.cuh", cub_headers());
    changed = true;
  }
  for (const std::string& header : includes_of(text)) {
    if (!is_host_header(header)) continue;
    text = without_include(text, header, cuts);
    changed = true;
  }
  return changed;
}

std::vector<std::string> parameter_types(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0) return {};
  const std::string name = text.get();
  const std::size_t open = name.find("(*)("), close = name.rfind(")>(");
  if (open == std::string::npos || close == std::string::npos || close < open + 4) return {};
  return split_list(name.substr(open + 4, close - open - 4), true);
}

bool is_former_cub_name(const std::string& message) {
  for (const char* name : {"Max", "Min", "Sum", "Equality", "Inequality", "Difference", "Division"}) {
    if (message.find(fmt::format("namespace \"cub\" has no member \"{}\"", name)) != std::string::npos)
      return true;
  }
  return false;
}

std::string cub_names_header() {
  std::string text = "// Functors that CUB had up to CUDA 12.\n#pragma once\nnamespace cub {\n";
  const auto functor = [&](const char* name, const char* result, const char* value) {
    text += fmt::format(
        "struct {} {{\n  template <class T, class U>\n  __host__ __device__ constexpr {} operator()(const T& "
        "a, const "
        "U& b) const {{ return {}; }}\n}};\n",
        name, result, value);
  };
  functor("Max", "auto", "a < b ? b : a");
  functor("Min", "auto", "b < a ? b : a");
  functor("Sum", "auto", "a + b");
  functor("Difference", "auto", "a - b");
  functor("Division", "auto", "a / b");
  functor("Equality", "bool", "a == b");
  functor("Inequality", "bool", "a != b");
  return text + "}\n";
}

bool is_loop_name(const std::string& message) {
  for (const char* name : {"CUDA_KERNEL_LOOP", "CUDA_1D_KERNEL_LOOP", "CUDA_2D_KERNEL_LOOP"}) {
    if (message == fmt::format("identifier \"{}\" is undefined", name)) return true;
  }
  return false;
}

std::string loop_names_header() {
  return R"(// Loops over a grid, as frameworks define them.
#pragma once
#ifndef CUDA_KERNEL_LOOP
#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#endif
#ifndef CUDA_1D_KERNEL_LOOP
#define CUDA_1D_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP(i, n)
#endif
#ifndef CUDA_2D_KERNEL_LOOP
#define CUDA_2D_KERNEL_LOOP(i, n, j, m)                                                       \
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x) \
    for (size_t j = blockIdx.y * blockDim.y + threadIdx.y; j < (m); j += blockDim.y * gridDim.y)
#endif
)";
}

std::string quoted(const std::string& message) {
  const std::size_t open = message.find('"');
  const std::size_t close = open == std::string::npos ? open : message.find('"', open + 1);
  return close == std::string::npos ? std::string() : message.substr(open + 1, close - open - 1);
}

std::string last_quoted(const std::string& message) {
  const std::size_t close = message.rfind('"');
  const std::size_t open = close == std::string::npos || close == 0 ? close : message.rfind('"', close - 1);
  return open == std::string::npos ? std::string() : message.substr(open + 1, close - open - 1);
}

bool is_template_parameter(const std::string& source, const std::string& name, int line) {
  const std::vector<diagnose::Token> tokens = diagnose::tokens_of(source);
  int angles = 0;  // within "template <...>"
  int from = 0;    // the line where it begins
  bool named = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool begins = tokens[i].is("<") && i > 0 && tokens[i - 1].is("template");
    if (angles == 0 && !begins) {
      if (!named) continue;
      // What it is a template of ends with a body or without one; another "template" in front is one of it.
      if (!tokens[i].is("{") && !tokens[i].is(";")) continue;
      const std::size_t end = tokens[i].is("{") ? diagnose::closing(tokens, i) : i;
      if (from <= line && end < tokens.size() && line <= tokens[end].line) return true;
      named = false;
      continue;
    }
    if (begins && angles == 0) {
      angles = 1;
      if (!named) from = tokens[i - 1].line;
      continue;
    }
    if (tokens[i].is("<")) ++angles;
    if (tokens[i].is(">")) --angles;
    if (tokens[i].is(">>")) angles = std::max(0, angles - 2);
    if (tokens[i].is(";") || tokens[i].is("{")) angles = 0;
    // What is named last in front of a comma, a default or the end.
    const bool ends = i + 1 < tokens.size() && (tokens[i + 1].is(",") || tokens[i + 1].is("=") ||
                                                tokens[i + 1].is(">") || tokens[i + 1].is(">>"));
    const bool declared = i > 0 && !tokens[i - 1].is("=") && !tokens[i - 1].is("<") &&
                          !tokens[i - 1].is(",") && !tokens[i - 1].is("::");
    named = named || (angles > 0 && ends && declared && tokens[i].is(name));
  }
  return false;
}

bool stands_for_number(const std::string& source, const std::string& name) {
  const std::vector<diagnose::Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(name)) continue;
    const diagnose::Token& next = tokens[i + 1];
    const bool declares = next.kind == diagnose::TokenKind::name && next.line == tokens[i].line;
    if (next.is("(") || next.is("{") || next.is("::") || next.is(".") || next.is("->") ||
        (declares && !next.directive))
      return false;
    if (i > 0 && (tokens[i - 1].is("::") || tokens[i - 1].is("."))) return false;
    // A cast: (uchar)x, (uchar)(x + 1).
    const bool cast = i > 0 && tokens[i - 1].is("(") && next.is(")") && i + 2 < tokens.size() &&
                      (tokens[i + 2].is("(") || tokens[i + 2].kind == diagnose::TokenKind::name);
    if (cast && !tokens[i].directive) return false;
  }
  return true;
}

}  // namespace evo::intake
