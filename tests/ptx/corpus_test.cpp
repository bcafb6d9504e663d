// Whole modules, as the compiler makes them: nothing in them may be unknown.
#include <cstdlib>
#include <filesystem>

#include "evaluators/devices/virtual/ptx/flow_graph.hpp"
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

/// What both interpreters rely on.
void expect_well_formed(const Program& program) {
  ASSERT_FALSE(program.code.empty());
  ASSERT_FALSE(program.block_starts.empty());
  EXPECT_EQ(program.block_starts.front(), 0U);
  EXPECT_TRUE(std::is_sorted(program.block_starts.begin(), program.block_starts.end()));
  EXPECT_EQ(program.registers.size(), program.register_names.size());
  const auto operand_ok = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::reg) {
      EXPECT_LT(operand.index, program.registers.size());
    }
  };
  const auto leads = [&](std::uint32_t index) {
    return std::binary_search(program.block_starts.begin(), program.block_starts.end(), index);
  };
  for (const Instruction& i : program.code) {
    for (const Operand& operand : i.src) operand_ok(operand);
    for (const Operand& operand : i.dst) operand_ok(operand);
    operand_ok(i.base);
    operand_ok(i.guard);
    EXPECT_LE(i.dst_count, 4);
    EXPECT_LE(i.src_count, 6);
    EXPECT_LT(i.text, program.texts.size());
    EXPECT_LT(i.source.file, program.files.size());
    if (i.op == Opcode::bra) {
      EXPECT_TRUE(leads(i.target));
    }
    if (i.op == Opcode::brx) {
      for (const std::uint32_t target : program.branch_tables.at(i.table)) EXPECT_TRUE(leads(target));
    }
  }
  EXPECT_EQ(program.code.back().op, Opcode::ret);
  const FlowGraph graph(program);
  EXPECT_EQ(graph.end(graph.blocks() - 1), program.code.size());
}

void expect_all_known(const std::string& ptx, const std::string& name) {
  const std::vector<std::string> entries = entries_of(ptx);
  EXPECT_FALSE(entries.empty()) << name;
  for (const std::string& entry : entries) {
    const Program program = load(ptx, entry);
    EXPECT_THAT(unsupported_in(program), ::testing::IsEmpty()) << name << " " << entry;
    expect_well_formed(program);
  }
}

const std::vector<std::string> sources = {"attention", "bits", "elementwise", "features", "reduce", "sgemm"};

TEST(PtxCorpus, CheckedInModules) {
  for (const std::string& name : sources) expect_all_known(fixture(name + ".ptx"), name);
}

class PtxCompiled : public ::testing::TestWithParam<const char*> {};

TEST_P(PtxCompiled, WhatTheToolkitMakesOfThem) {
  const char* home = std::getenv("CUDA_HOME");
  const std::string nvcc = std::string(home ? home : "/usr/local/cuda") + "/bin/nvcc";
  if (!std::filesystem::exists(nvcc)) GTEST_SKIP() << "no nvcc";
  const auto folder = std::filesystem::temp_directory_path() /
                      ("evo_ptx_corpus_" + std::string(GetParam()) + "_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const std::string& name : sources) {
    const std::string output = (folder / (name + ".ptx")).string();
    const std::string command = nvcc + " -std=c++17 -ptx -lineinfo -arch=" + GetParam() + " -o " + output +
                                " " + EVO_SOURCE_DIR "/tests/ptx/cuda/" + name + ".cu > " + output +
                                ".log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << read_text(output + ".log");
    expect_all_known(read_text(output), name);
  }
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Architectures, PtxCompiled, ::testing::Values("sm_80", "sm_90a"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
