// Every spelling that 616 compiled kernels use without tensor cores, and those that other kernels will: each
// is known, and (where ptxas is at hand) means an instruction that the assembler takes with the same
// operands.
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "evaluators/devices/virtual/ptx/opcode.hpp"
#include "evaluators/devices/virtual/semantics/matrix_form.hpp"
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

std::vector<std::string> spellings(const std::string& file) {
  std::istringstream lines(fixture(file));
  std::vector<std::string> result;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) result.push_back(line);
  }
  return result;
}

std::string register_for(Type type, int number) {
  const char* name = "%r";
  if (type == Type::pred) name = "%p";
  if (type == Type::f32) name = "%f";
  if (type == Type::f64) name = "%fd";
  if (size_of(type) == 8 && type != Type::f64) name = "%rd";
  if (type != Type::pred && size_of(type) <= 2) name = "%rs";
  return name + std::to_string(number);
}

std::string address_for(const Form& form) {
  if (form.prototype.space == Space::param)
    return size_of(form.prototype.type) == 8 ? "[k_param_0]" : "[k_param_1]";
  return form.prototype.space == Space::shared ? "[%r1+16]" : "[%rd1+16]";
}

std::string value_for(const Form& form, int number) {
  const Instruction& i = form.prototype;
  if (i.vector == 1) return register_for(i.type, number);
  std::string text = "{";
  for (int part = 0; part < i.vector; ++part)
    text += (part ? ", " : "") + register_for(i.type, number + part);
  return text + "}";
}

/// `count` registers in braces.
std::string group(unsigned count) {
  std::string text = "{%r1";
  for (unsigned k = 2; k <= count; ++k) text += ", %r" + std::to_string(k);
  return text + "}";
}

/// Destinations, address and sources of a matrix instruction.
std::string matrix_statement(const std::string& spelling, const Instruction& i) {
  const MatrixForm& m = i.matrix;
  const auto fragment = [&](MatrixRole role, Type type) {
    return group(semantics::fragment_registers(m.shape, role, type));
  };
  const std::string address = i.space == Space::shared ? "[%r9+64]" : "[%rd1+64]";
  switch (i.op) {
    case Opcode::ldmatrix:
      return spelling + " " + group(m.count) + ", " + address + ";";
    case Opcode::stmatrix:
      return spelling + " " + address + ", " + group(m.count) + ";";
    case Opcode::movmatrix:
      return spelling + " %r1, %r2;";
    case Opcode::wmma_load:
      return spelling + " " + fragment(m.role, m.a) + ", " + address + ", %r10;";
    case Opcode::wmma_store:
      return spelling + " " + address + ", " + fragment(m.role, m.a) + ";";
    default:
      return spelling + " " + fragment(MatrixRole::accumulator, m.d) + ", " + fragment(MatrixRole::a, m.a) +
             ", " + fragment(MatrixRole::b, m.b) + ", " + fragment(MatrixRole::accumulator, m.c) + ";";
  }
}

/// A statement (or several) that uses the spelling with operands of the correct kinds.
std::string statement_for(const std::string& spelling, const Form& form) {
  const std::string head = spelling + " ";
  std::string text;
  switch (form.shape) {
    case Shape::load:
      return head + value_for(form, 1) + ", " + address_for(form) + ";";
    case Shape::store: {
      if (form.prototype.space != Space::param)
        return head + address_for(form) + ", " + value_for(form, 1) + ";";
      const std::string width = std::to_string(8 * size_of(form.prototype.type));
      return "{ .param .b" + width + " p0;\n" + head + "[p0], " + value_for(form, 1) + ";\ncall.uni take" +
             width + ", (p0); }";
    }
    case Shape::atomic:
      text = head + value_for(form, 1) + ", " + address_for(form);
      break;
    case Shape::reduce:
      text = head + address_for(form);
      break;
    case Shape::address:
      return head + address_for(form) + ";";
    case Shape::matrix:
      return matrix_statement(spelling, form.prototype);
    case Shape::branch:
      return head + "END;";
    case Shape::table:
      return "T: .branchtargets END, END;\n" + head + "%r1, T;";
    case Shape::call:
      return head + "nothing, ();";
    case Shape::barrier:
      text = head + (form.dst_count ? register_for(form.dst[0], 1) + ", " : "") + "1";
      if (form.prototype.barrier == BarrierMode::arrive) text += ", 64";
      if (form.dst_count) text += ", %p2";
      return text + ";";
    case Shape::async_copy: {
      const bool has_policy = spelling.find("cache_hint") != std::string::npos;
      return head + "[%r1+16], [%rd1+32], 16" + (has_policy ? ", %r2, %rd2;" : ", %r2;");
    }
    default:
      text = head;
      break;
  }
  bool first_operand = form.shape != Shape::atomic && form.shape != Shape::reduce;
  const auto add = [&](const std::string& operand, const char* separator = ", ") {
    text += (first_operand ? "" : separator) + operand;
    first_operand = false;
  };
  if (form.shape != Shape::atomic) {
    for (int d = 0; d < form.dst_count; ++d)
      add(register_for(form.dst[static_cast<std::size_t>(d)], 1 + d), "|");
  }
  const bool combines = form.prototype.bool_op != BoolOp::none;
  const int sources = combines ? form.src_max : form.src_min;
  for (int s = 0; s < sources; ++s) {
    const bool is_table = form.prototype.op == Opcode::lop3 && s == 3;
    const bool wants_constant =
        is_table || form.prototype.op == Opcode::elect || form.prototype.op == Opcode::cp_async_wait;
    add(wants_constant ? "0x96" : register_for(form.src[static_cast<std::size_t>(s)], 3 + s));
  }
  return text + ";";
}

/// setp takes one destination unless its types come in pairs; shfl one.
std::string module_for(const std::vector<std::string>& all) {
  std::string functions =
      ".func take32(.param .b32 x) { ret; }\n.func take64(.param .b64 x) { ret; }\n"
      ".func nothing() { ret; }\n";
  std::string body;
  for (const std::string& spelling : all) {
    Form form = decode_opcode(spelling);
    // The optional second destination is another test's; the assembler has its own rules for it.
    if (form.second_dst_optional && form.prototype.op != Opcode::elect) form.dst_count = 1;
    if (form.prototype.op == Opcode::setp && form.prototype.type == Type::f16x2) form.dst_count = 2;
    body += "{\n" + statement_for(spelling, form) + "\n}\n";
  }
  std::string text = kernel(body + "END:\n", functions);
  const std::string from = ".target sm_89";
  return text.replace(text.find(from), from.size(), ".target sm_90");
}

class OpcodeTable : public ::testing::TestWithParam<const char*> {};

TEST_P(OpcodeTable, EverySpellingIsKnown) {
  for (const std::string& spelling : spellings(GetParam())) {
    const Form form = decode_opcode(spelling);
    EXPECT_TRUE(form.known) << spelling;
  }
}

TEST_P(OpcodeTable, EverySpellingLowers) {
  const std::vector<std::string> all = spellings(GetParam());
  const Program program = load(module_for(all));
  EXPECT_THAT(unsupported_in(program), ::testing::IsEmpty());
  EXPECT_GE(program.code.size(), all.size() - 5);  // calls of empty functions leave nothing
}

TEST_P(OpcodeTable, TheAssemblerAgreesOnTheOperands) {
  const char* home = std::getenv("CUDA_HOME");
  const std::string ptxas = std::string(home ? home : "/usr/local/cuda") + "/bin/ptxas";
  if (!std::filesystem::exists(ptxas)) GTEST_SKIP() << "no ptxas";
  const auto folder = std::filesystem::temp_directory_path() / ("evo_opcodes_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string input = (folder / "all.ptx").string();
  std::ofstream(input) << module_for(spellings(GetParam()));
  const std::string log = (folder / "log").string();
  const int status =
      std::system((ptxas + " -arch=sm_90 -O0 -o /dev/null " + input + " > " + log + " 2>&1").c_str());
  EXPECT_EQ(status, 0) << read_text(log) << "\n" << read_text(input);
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Spellings, OpcodeTable,
                         ::testing::Values("corpus_spellings.txt", "more_spellings.txt",
                                           "matrix_spellings.txt"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name.substr(0, name.find('_'));
                         });

TEST(OpcodeTable, NoSpellingIsListedTwice) {
  std::vector<std::string> all = spellings("corpus_spellings.txt");
  EXPECT_EQ(all.size(), 251U);
  for (const char* file : {"more_spellings.txt", "matrix_spellings.txt"}) {
    for (const std::string& spelling : spellings(file)) all.push_back(spelling);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
