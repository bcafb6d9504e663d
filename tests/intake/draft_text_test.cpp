// A draft becomes files that config reads, with the lines that a person has to look at.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "intake/first_genome.hpp"
#include "intake/folder.hpp"
#include "intake/launch_guess.hpp"
#include "intake/launch_text.hpp"
#include "intake/row_starts.hpp"
#include "model/error.hpp"

namespace evo::intake {
namespace {

Draft saxpy() {
  Draft draft;
  draft.name = "saxpy";
  draft.source = "saxpy.cu";
  draft.entry = "ns::saxpy<float, {VEC}>";
  draft.target = "l4";
  draft.axes = {{"n", {4096, 8192}, {{"multiple_of", "4"}}, false, "as told", ""}};
  draft.arguments = {{"x", "input", "f32", "", {"n"}, {}, "const", ""},
                     {"z", "output", "f32", "", {"ceil_div(n, 1)"}, {}, "", "which size?"},
                     {"alpha", "scalar", "f32", "1.5", {}, {}, "drawn", ""},
                     {"n", "scalar", "i32", "n", {}, {}, "", ""}};
  draft.genes = {{"BLOCK", {"64", "128"}, "128", false, "as told", ""},
                 {"VEC", {"1", "4"}, "", false, "", ""}};
  draft.constraints = {"32 <= BLOCK * VEC <= 256"};
  draft.launch = {{"ceil_div(n, BLOCK * VEC)"}, {"BLOCK"}, "4 * BLOCK", "", "", ""};
  draft.files = {{"saxpy.cu", "// the kernel\n"}, {"reference.cu", "// the reference\n"}};
  return draft;
}

model::Expected<model::Problem> loaded(const TemporaryFolder& folder) {
  return config::load_problem(folder.path().string(), {});
}

TEST(DraftText, ConfigReadsIt) {
  const TemporaryFolder folder;
  const WrittenFolder written = write_folder(saxpy(), folder.path() / ".", false);
  const auto problem = loaded(folder);
  ASSERT_TRUE(problem.has_value()) << problem.error().text();
  EXPECT_EQ(problem->name, "saxpy");
  ASSERT_EQ(problem->arguments.size(), 4U);
  EXPECT_EQ(problem->arguments[1].role, model::ArgumentRole::output);
  EXPECT_EQ(problem->arguments[1].shape[0].text(), "ceil_div(n, 1)");
  EXPECT_EQ(problem->arguments[2].scalar.number, 1.5);
  EXPECT_EQ(problem->axes[0].multiple_of, 4);
  const model::Template& kernel = problem->templates.at(0);
  EXPECT_EQ(kernel.entry, "ns::saxpy<float, {VEC}>");
  EXPECT_EQ(model::to_string(kernel.space.find("BLOCK")->initial), "128");
  EXPECT_EQ(kernel.launch.grid[0].text(), "ceil_div(n, BLOCK * VEC)");
  EXPECT_EQ(kernel.launch.dynamic_smem.text(), "4 * BLOCK");
  EXPECT_EQ(kernel.space.constraints().size(), 1U);
  EXPECT_EQ(problem->oracle, "kernel");
}

TEST(DraftText, TodosHaveTheirLines) {
  const ProblemText text = problem_text(saxpy());
  ASSERT_EQ(text.todos.size(), 1U);
  EXPECT_EQ(text.todos[0].file, "problem.yaml");
  std::size_t at = 0;
  for (int line = 1; line < text.todos[0].line; ++line) at = text.problem.find('\n', at) + 1;
  EXPECT_EQ(text.problem.substr(at, 13), "  - {name: z,");
}

TEST(DraftText, AWorkloadForEachSize) {
  const ProblemText text = problem_text(saxpy());
  EXPECT_NE(text.experiment.find("{name: w1, n: 8192}"), std::string::npos);
}

TEST(DraftText, NothingIsOverwritten) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "reference.cu") << "mine\n";
  try {
    (void)write_folder(saxpy(), folder.path(), false);
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("reference.cu"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "problem.yaml")) << "all or nothing";
  EXPECT_EQ(write_folder(saxpy(), folder.path(), true).files.size(), 4U);
}

TEST(DraftText, IntegersAreComparedExactly) {
  Draft draft = saxpy();
  draft.arguments[1].dtype = "i32";
  const TemporaryFolder folder;
  (void)write_folder(draft, folder.path(), false);
  const auto problem = loaded(folder);
  ASSERT_TRUE(problem.has_value()) << problem.error().text();
  const bool exact = known_dialect().auto_tolerance || problem->tolerances.at(0).relative_frobenius == 0;
  EXPECT_TRUE(exact);
}

TEST(DraftText, DoublesHaveNoFixedBound) {
  Draft draft = saxpy();
  draft.arguments[0].dtype = draft.arguments[1].dtype = "f64";
  const TemporaryFolder folder;
  (void)write_folder(draft, folder.path(), false);
  const auto problem = loaded(folder);
  ASSERT_TRUE(problem.has_value()) << problem.error().text();
  EXPECT_TRUE(problem->tolerances.at(0).automatic);
}

TEST(DraftText, TheTypeThatKernelsComputeInIsKept) {
  Draft draft = saxpy();
  draft.compute = "f16";
  const TemporaryFolder folder;
  (void)write_folder(draft, folder.path(), false);
  const auto problem = loaded(folder);
  ASSERT_TRUE(problem.has_value()) << problem.error().text();
  EXPECT_EQ(problem->computes_in, model::DType::f16);
}

TEST(FirstGenome, KeepsToTheConstraints) {
  Draft draft = saxpy();
  draft.constraints = {"BLOCK * VEC >= 256", "n > 0"};
  choose_first_genome(draft);
  EXPECT_EQ(draft.genes[0].initial, "128");
  EXPECT_EQ(draft.genes[1].initial, "4");
  draft.constraints = {"BLOCK > 1000"};
  EXPECT_THROW(choose_first_genome(draft), model::Exception);
}

TEST(FirstGenome, ABlockHasAtMost1024Threads) {
  Draft draft = saxpy();
  draft.constraints.clear();
  draft.launch.block = {"BLOCK", "VEC * 4"};
  limit_block(draft);
  EXPECT_EQ(draft.constraints, (std::vector<std::string>{"BLOCK * (VEC * 4) <= 1024"}));
  draft.constraints.clear();
  draft.launch.block = {"BLOCK"};
  limit_block(draft);
  EXPECT_TRUE(draft.constraints.empty());
}

DraftLaunch launch_of(const std::string& body, std::vector<DraftGene> genes, bool y = false) {
  Draft draft = saxpy();
  draft.genes = std::move(genes);
  draft.arguments[1].shape = y ? std::vector<std::string>{"m", "n"} : std::vector<std::string>{"n"};
  KernelUse use;
  use.y = y;
  use.thread_y = y && body.find("threadIdx.y") != std::string::npos;
  return guess_launch(draft, {}, {}, body, use);
}
DraftGene gene(const char* name) {
  return {name, {"1", "2"}, "", false, "", ""};
}
using Texts = std::vector<std::string>;

TEST(LaunchGuess, OneSide) {
  const DraftLaunch items =
      launch_of("{ int i = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS; }", {gene("BLOCK"), gene("ITEMS")});
  EXPECT_EQ(items.block, (Texts{"BLOCK"}));
  EXPECT_EQ(items.grid, (Texts{"ceil_div(n, BLOCK * ITEMS)"}));
  const DraftLaunch later = launch_of("{ int i = blockIdx.x * blockDim.x + threadIdx.x; f(i * ITEMS); }",
                                      {gene("THREADS"), gene("ITEMS")});
  EXPECT_EQ(later.grid, (Texts{"ceil_div(n, THREADS * ITEMS)"}));
  const DraftLaunch unrolled = launch_of("{ int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = UNROLL; }",
                                         {gene("BLOCK"), gene("UNROLL")});
  EXPECT_EQ(unrolled.grid, (Texts{"ceil_div(n, BLOCK)"}));
  EXPECT_EQ(launch_of("{ int i = blockIdx.x * blockDim.x; }", {}).block, (Texts{"256"}));
}

TEST(LaunchGuess, SizesThatAreSumsAreFactors) {
  Draft draft = saxpy();
  draft.genes = {gene("BLOCK")};
  const auto grid = [&](const Texts& shape, int lanes) {
    draft.arguments[1].shape = shape;
    draft.arguments[1].lanes = lanes;
    return guess_launch(draft, {}, {}, "{ int i = blockIdx.x * BLOCK + threadIdx.x; }", {}).grid;
  };
  EXPECT_EQ(grid({"n", "2 * d + 1"}, 1), (Texts{"ceil_div(n * (2 * d + 1), BLOCK)"}));
  EXPECT_EQ(grid({"2 * n", "ceil_div(d, 2)"}, 1), (Texts{"ceil_div(2 * n * ceil_div(d, 2), BLOCK)"}));
  EXPECT_EQ(grid({"2 * n + 1"}, 1), (Texts{"ceil_div(2 * n + 1, BLOCK)"}));
  EXPECT_EQ(grid({"4 * n"}, 4), (Texts{"ceil_div(n, BLOCK)"}));
  EXPECT_EQ(grid({"4 * n + 4"}, 4), (Texts{"ceil_div(4 * n + 4, BLOCK)"}));
}

TEST(RowStarts, OneMoreThanSomethingHoweverItIsWritten) {
  const auto has = [](const Texts& shape) {
    DraftArgument argument;
    argument.shape = shape;
    return has_one_more(argument);
  };
  for (const char* size : {"n + 1", "n+1", "n +1", "1 + n", "1+n", "2 * n + 1"})
    EXPECT_TRUE(has({size})) << size;
  for (const char* size : {"n", "n + 11 - 1", "1 + n * 2", "n - 1", "1"}) EXPECT_FALSE(has({size})) << size;
  EXPECT_FALSE(has({"n + 1", "2"})) << "two dimensions";
}

// One that adds to a table goes over what it adds: the table's rows are told to the reference alone.
TEST(LaunchGuess, ThreadsCountWhatTheKernelIsTold) {
  Draft draft;
  draft.genes = {gene("BLOCK")};
  for (const auto& [name, role, shape] : {std::tuple{"to", "input", Texts{"n"}},
                                          {"x", "input", Texts{"n"}},
                                          {"out", "inout", Texts{"m"}},
                                          {"n", "scalar", Texts{}},
                                          {"m", "scalar", Texts{}}}) {
    DraftArgument argument;
    argument.name = name;
    argument.role = role;
    argument.shape = shape;
    draft.arguments.push_back(argument);
  }
  for (const char* name : {"n", "m"}) {
    DraftAxis axis;
    axis.name = name;
    draft.axes.push_back(axis);
  }
  const auto grid = [&] {
    return guess_launch(draft, {}, {}, "{ int i = blockIdx.x * BLOCK + threadIdx.x; }", {}).grid;
  };
  EXPECT_EQ(grid(), (Texts{"ceil_div(m, BLOCK)"}));
  draft.arguments.back().reference_only = true;
  EXPECT_EQ(grid(), (Texts{"ceil_div(n, BLOCK)"}));
}

TEST(LaunchGuess, SeveralSidesAndRows) {
  const DraftLaunch two =
      launch_of("{ int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y; }",
                {gene("BX"), gene("BY")}, true);
  EXPECT_EQ(two.block, (Texts{"BX", "BY"}));
  EXPECT_EQ(two.grid, (Texts{"ceil_div(n, BX)", "ceil_div(m, BY)"}));
  for (const char* text : {"{ unsigned short b = blockIdx.x; int i = b * blockDim.x + threadIdx.x; }",
                           "{ unsigned short b = blockIdx.x; int i = blockDim.x * b + threadIdx.x; }",
                           "{ int b = blockIdx.x; int i = (b << 8) + threadIdx.x; }"})
    EXPECT_EQ(launch_of(text, {}).grid,
              launch_of("{ int i = blockIdx.x * blockDim.x + threadIdx.x; }", {}).grid)
        << text;
  EXPECT_NE(launch_of("{ int b = blockIdx.x; int i = b * columns + threadIdx.x; }", {}).grid,
            launch_of("{ int i = blockIdx.x * blockDim.x + threadIdx.x; }", {}).grid)
      << "a row";
  const DraftLaunch tiles = launch_of("{ int y = blockIdx.y * TILE + threadIdx.y, x = blockIdx.x * TILE; }",
                                      {gene("TILE"), gene("BY")}, true);
  EXPECT_EQ(tiles.grid, (Texts{"ceil_div(n, TILE)", "ceil_div(m, TILE)"}));
  const DraftLaunch rows = launch_of(
      "{ int row = blockIdx.x; for (int i = threadIdx.x; i < c; i += blockDim.x) ; }", {gene("BLOCK")});
  EXPECT_EQ(rows.grid, (Texts{"n"}));
  const DraftLaunch line =
      launch_of("{ int row = blockIdx.y, i = blockIdx.x * BLOCK + threadIdx.x; }", {gene("BLOCK")}, true);
  EXPECT_EQ(line.block, (Texts{"BLOCK"})) << "blocks count along y, threads do not";
  EXPECT_EQ(line.grid, (Texts{"ceil_div(n, BLOCK)", "m"}));
}

TEST(LaunchGuess, WarpsAndTheStepsOfATile) {
  for (const char* text : {"{ int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32; }",
                           "{ int t = blockIdx.x * BLOCK + threadIdx.x; int row = t / warpSize; }",
                           "{ int warp = threadIdx.x >> 5; int row = blockIdx.x * (BLOCK >> 5) + warp; }"})
    EXPECT_EQ(launch_of(text, {gene("BLOCK")}).grid, (Texts{"ceil_div(32 * n, BLOCK)"})) << text;
  // A warp's rows of a tile, and the warps of a block that add up what they have.
  for (const char* text : {"{ int warp = threadIdx.x / 32; int row = blockIdx.x * BLOCK + warp * 16; }",
                           "{ int i = blockIdx.x * BLOCK + threadIdx.x; int warp = threadIdx.x / 32; }"})
    EXPECT_EQ(launch_of(text, {gene("BLOCK")}).grid, (Texts{"ceil_div(n, BLOCK)"})) << text;
  const char* copies =
      "{ int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
      "for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x]; }";
  EXPECT_EQ(launch_of(copies, {gene("TILE"), gene("ROWS")}, true).block, (Texts{"TILE", "ROWS"}));
}

TEST(LaunchGuess, SharedMemoryOfTheText) {
  EXPECT_EQ(static_smem_of("{ __shared__ float a[TILE][TILE + 1]; __shared__ double b; }", {gene("TILE")}),
            "4 * (TILE) * (TILE+1) + 8");
  EXPECT_EQ(static_smem_of("{ __shared__ float a[TILE], b[2]; }", {gene("TILE")}), "4 * (TILE) + 4 * (2)");
  EXPECT_EQ(static_smem_of("{ __shared__ float a[other]; }", {gene("TILE")}), "");
  EXPECT_EQ(static_smem_of("{ extern __shared__ float a[]; }", {}), "");
}

}  // namespace
}  // namespace evo::intake
