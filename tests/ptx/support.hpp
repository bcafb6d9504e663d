// What the tests of the PTX front end share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/devices/virtual/ptx/dump.hpp"
#include "evaluators/devices/virtual/ptx/load_program.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {

inline constexpr std::string_view header = ".version 8.0\n.target sm_89\n.address_size 64\n";

/// A kernel `k` with one pointer parameter and registers of each kind; its first body line is PTX line 15.
inline std::string kernel(std::string_view body, std::string_view module_level = "") {
  std::string text(header);
  text += module_level;
  text += R"(
.visible .entry k(
  .param .u64 k_param_0,
  .param .u32 k_param_1
)
{
.reg .pred %p<8>;
.reg .b16 %rs<8>;
.reg .b32 %r<16>;
.reg .f32 %f<16>; .reg .b64 %rd<16>; .reg .f64 %fd<8>;
)";
  text += body;
  text += "\nret;\n}\n";
  return text;
}
inline constexpr std::uint32_t first_body_line = 14;

/// Loads, or fails the test and gives an empty program.
inline Program load(std::string_view ptx, std::string_view entry = "k") {
  auto program = load_program(ptx, entry);
  if (!program) {
    ADD_FAILURE() << program.error().reason << ": " << program.error().evidence.at(0).message;
    return {};
  }
  return std::move(*program);
}

/// The first instruction of kernel(body).
inline Instruction first(std::string_view body, std::string_view module_level = "") {
  const Program program = load(kernel(body, module_level));
  return program.code.empty() ? Instruction{} : program.code.front();
}

inline std::vector<std::string> unsupported_in(const Program& program) {
  std::vector<std::string> texts;
  for (const Instruction& instruction : program.code) {
    if (instruction.op == Opcode::unsupported) texts.push_back(program.texts.at(instruction.text));
  }
  return texts;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string fixture(std::string_view name) {
  return read_text(std::string(EVO_SOURCE_DIR "/tests/ptx/fixtures/") + std::string(name));
}

/// Names of the kernels of a module, found without the parser.
inline std::vector<std::string> entries_of(std::string_view ptx) {
  std::vector<std::string> names;
  constexpr std::string_view word = ".entry ";
  for (std::size_t at = ptx.find(word); at != std::string_view::npos; at = ptx.find(word, at)) {
    at += word.size();
    names.emplace_back(ptx.substr(at, ptx.find_first_of("( \n", at) - at));
  }
  return names;
}

}  // namespace evo::evaluators::virtual_device::ptx::testing
