// launch() of an exported kernel: plans of several launches, loops, overloads, variables of the module.
#include "tests/export/exported.hpp"

namespace evo::exporting {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Export, AnInstanceOfATemplateIsLaunchedByAddress) {
  const auto asked = example("sgemm");
  ASSERT_TRUE(write_export(asked, folder_));
  const std::string source = read(folder_ / "sgemm.cu");
  EXPECT_THAT(source, HasSubstr("(const void*)(::sgemm<8>)")) << "the gene has its value";
  EXPECT_THAT(source, HasSubstr("#pragma unroll 1\n")) << "nvcc expands no macro there";
  const std::string header = read(folder_ / "sgemm.h");
  EXPECT_THAT(header, HasSubstr("cudaError_t launch(cudaStream_t stream, const Axes& axes, const float* A, "
                                "const float* B, float* C);"));
  EXPECT_THAT(header, HasSubstr("int sgemm_launch(void* stream, long long axis_m, long long axis_n, "
                                "long long axis_k, const void* A, const void* B, void* C);"));
}

TEST_F(Export, AScalarThatNoAxisDecidesIsGiven) {
  ASSERT_TRUE(write_export(example("layer_norm"), folder_));
  EXPECT_THAT(read(folder_ / "layer_norm.h"), HasSubstr("__half* y, float epsilon);"));
  EXPECT_THAT(read(folder_ / "selftest.cu"), HasSubstr("static_cast<float>(value_of_epsilon(axes))"));
}

TEST_F(Export, TexturesAndSurfacesAreObjects) {
  ASSERT_TRUE(write_export(example("textures", "/tests/examples/fixtures/"), folder_));
  const std::string header = read(folder_ / "mixed.h");
  EXPECT_THAT(header,
              HasSubstr("cudaTextureObject_t stack, cudaSurfaceObject_t out, cudaSurfaceObject_t acc);"));
  EXPECT_THAT(header, HasSubstr("struct Texture_pixels {"));
  EXPECT_THAT(header, HasSubstr("cudaReadModeNormalizedFloat"));
  const std::string selftest = read(folder_ / "selftest.cu");
  EXPECT_THAT(selftest, HasSubstr("object_volume.object"));
  EXPECT_THAT(selftest, HasSubstr("object_acc.bring_back(axes, array_acc.device)"));
  // Without CUDA it is a header of plain C++ like any other.
  std::string output;
  std::ofstream(folder_ / "use.cpp") << "#include \"mixed.h\"\n";
  EXPECT_EQ(shell("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only use.cpp", &output), 0) << output;
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  EXPECT_EQ(shell("nvcc -arch=sm_89 -Werror all-warnings -o selftest *.cu", &output), 0) << output;
}

TEST_F(Export, LaunchMakesEveryLaunchInOrder) {
  ASSERT_TRUE(write_export(example("reduction"), folder_));
  const std::string source = read(folder_ / "partial_sums.cu"), header = read(folder_ / "partial_sums.h");
  const std::size_t first = source.find("cudaLaunchKernel(kernel,"),
                    second = source.find("cudaLaunchKernel(kernel_2,");
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(second, std::string::npos);
  EXPECT_LT(first, second);
  EXPECT_THAT(source, HasSubstr("partial_sums_address() { return (const void*)(::partial_sums); }"));
  EXPECT_THAT(source, HasSubstr("partial_sums_address_2() { return (const void*)(::total); }"));
  EXPECT_THAT(header, HasSubstr("constexpr long long block_x_2("));
  EXPECT_THAT(header, HasSubstr("static_assert(grid_x_2(workload_0) == 1 "));
}

TEST_F(Export, LaunchesThatAreRepeatedAreLoops) {
  auto asked = example("reduction");
  asked.problem = config::load_problem(std::string(EVO_SOURCE_DIR) + "/examples/floyd_warshall", {}).value();
  asked.kernel_template = asked.problem.templates.at(0);
  asked.bound_space = model::bind_space(asked.problem, asked.kernel_template, {}, asked.target);
  asked.variant = model::make_variant(asked.kernel_template, asked.bound_space, asked.bound_space.initial());
  asked.workloads = {{"one", 1, {{"n", 16}}}};
  asked.accuracy_class = asked.problem.tolerances.at(0).accuracy_class;
  ASSERT_TRUE(write_export(asked, folder_));
  const std::string source = read(folder_ / "relax.cu"), header = read(folder_ / "relax.h");
  EXPECT_THAT(source, HasSubstr("for (long long loop_k = 0"));
  EXPECT_THAT(source, HasSubstr("int arg_pivot = static_cast<int>(loop_k);"));
  EXPECT_THAT(source, HasSubstr("const long long loop_k = "))
      << "outside of its loop it has the first turn's";
  EXPECT_THAT(source, HasSubstr("return cudaSuccess;"));
  EXPECT_THAT(source, Not(HasSubstr("return cudaLaunchKernel(")));
  EXPECT_THAT(header,
              HasSubstr("grid_x([[maybe_unused]] const Axes& axes, [[maybe_unused]] long long loop_k)"));
  EXPECT_THAT(header, HasSubstr("static_assert(grid_x(workload_0, 0) == 1 "));
  std::string output;
  std::ofstream(folder_ / "use.cpp") << "#include \"relax.h\"\n";
  EXPECT_EQ(shell("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only use.cpp", &output), 0) << output;
}

// What is proven outside of the loop is launched with the first turn's value, as evo binds it. nvcc takes the
// loop and the launch behind it.
TEST_F(Export, ALaunchOutsideOfALoopHasTheScalarsOfTheFirstTurn) {
  auto asked = example("reduction");
  asked.problem = config::load_problem(std::string(EVO_SOURCE_DIR) + "/examples/floyd_warshall", {}).value();
  asked.kernel_template = asked.problem.templates.at(0);
  model::LaunchModel after = asked.kernel_template.launch;
  after.loops.clear();
  for (model::Expression& size : after.grid)
    size = model::Expression::parse("1", size.file(), size.line()).value();
  asked.kernel_template.later_launches.push_back(after);
  asked.bound_space = model::bind_space(asked.problem, asked.kernel_template, {}, asked.target);
  asked.variant = model::make_variant(asked.kernel_template, asked.bound_space, asked.bound_space.initial());
  asked.workloads = {{"one", 1, {{"n", 16}}}};
  asked.accuracy_class = asked.problem.tolerances.at(0).accuracy_class;
  ASSERT_TRUE(write_export(asked, folder_));
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  std::string output;
  EXPECT_EQ(shell("nvcc -arch=sm_89 -Werror all-warnings -o selftest *.cu", &output), 0) << output;
}

TEST_F(Export, AnOverloadIsTakenByItsParameters) {
  auto asked = example("vector_add");
  asked.kernel_template.entry = "ns::add(const float*, const float*, float*, int)";
  asked.variant = model::make_variant(asked.kernel_template, asked.bound_space, asked.bound_space.initial());
  ASSERT_TRUE(write_export(asked, folder_));
  EXPECT_THAT(read(folder_ / "add.cu"),
              HasSubstr("(const void*)((void (*)(const float*, const float*, float*, int))::ns::add)"));
}

TEST_F(Export, ALaunchThatTheGenomeLeavesOutIsNone) {
  auto asked = example("reduction");
  asked.kernel_template.launch.when = model::Expression(0);
  ASSERT_TRUE(write_export(asked, folder_));
  const std::string source = read(folder_ / "partial_sums.cu");
  EXPECT_THAT(source, HasSubstr("(const void*)(::total)"));
  EXPECT_THAT(source, Not(HasSubstr("(const void*)(::partial_sums)")));
}

TEST_F(Export, WhoWaitsForTheGridIsLaunchedCooperatively) {
  auto asked = example("vector_add");
  ASSERT_TRUE(write_export(asked, folder_));
  const auto launches = [&] { return read(folder_ / "add.cu"); };
  EXPECT_THAT(launches(), HasSubstr("return cudaLaunchKernel(kernel,"));
  asked.kernel_template.headers["meet.cuh"] =
      "__device__ void meet() { cooperative_groups::this_grid().sync(); }\n";
  ASSERT_TRUE(write_export(asked, folder_));
  EXPECT_THAT(launches(), HasSubstr("return cudaLaunchCooperativeKernel(kernel,"));
}

TEST_F(Export, VariablesAreFilledBeforeTheLaunch) {
  ASSERT_TRUE(write_export(example("convolution"), folder_));
  const std::string source = read(folder_ / "convolution_tiled.cu");
  const std::size_t filled = source.find("convolution_tiled_fill_filter(arg_filter"),
                    launched = source.find("cudaLaunchKernel(");
  ASSERT_NE(filled, std::string::npos);
  EXPECT_LT(filled, launched);
  EXPECT_THAT(source, HasSubstr("cudaMemcpyToSymbolAsync(::d_filter, from,"));
  EXPECT_THAT(source, Not(HasSubstr("static_cast<const void*>(&arg_filter)"))) << "it is no parameter";
  EXPECT_THAT(read(folder_ / "convolution_tiled.h"), HasSubstr("constexpr long long block_x_gene = "))
      << "a gene that is called as a function of the plan";
}

TEST_F(Export, ArgumentsMayBeCalledLikeNamesOfOurs) {
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  auto asked = example("sgemm");
  const char* names[] = {"stream", "axes", "values"};
  for (std::size_t i = 0; i < 3; ++i) asked.problem.arguments[i].name = names[i];
  ASSERT_TRUE(write_export(asked, folder_));
  std::string output;
  EXPECT_EQ(shell("nvcc -arch=sm_89 -o selftest *.cu", &output), 0) << output;
}

TEST_F(Export, AProgramOfThePublishedFileIsNoneOfTheLibrarys) {
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  auto asked = example("transpose");
  asked.kernel_template.source += "\n#include <cstdio>\nint main() { std::printf(\"hello\"); return 0; }\n";
  asked.variant = model::make_variant(asked.kernel_template, asked.bound_space, asked.bound_space.initial());
  ASSERT_TRUE(write_export(asked, folder_));
  std::string output;
  EXPECT_EQ(shell("nvcc -arch=sm_89 -o selftest *.cu", &output), 0) << output;
}

}  // namespace
}  // namespace evo::exporting
