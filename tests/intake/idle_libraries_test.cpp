#include "intake/idle_libraries.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

TEST(IdleLibraries, OnlyThoseThatNoCodeNamesGo) {
  std::string source =
      "#include <cub/cub.cuh>\n#include <thrust/scan.h>\n#include <cuda_fp16.h>\n// cub::Sum\n"
      "__global__ void k(float* x) { x[0] = thrust::minus<float>()(x[0], 1); }\n";
  std::map<std::string, std::string> headers{{"a.h", "#include <cub/block/block_reduce.cuh>\nint a;\n"}};
  EXPECT_TRUE(without_idle_libraries(source, headers));
  EXPECT_EQ(source.find("cub/cub"), std::string::npos);
  EXPECT_NE(source.find("<thrust/scan.h>"), std::string::npos);
  EXPECT_NE(source.find("<cuda_fp16.h>"), std::string::npos);
  EXPECT_EQ(headers["a.h"].find("cub"), std::string::npos);
  EXPECT_EQ(source.find("__global__"), source.rfind("\n", source.size() - 2) + 1) << "lines stay";
  EXPECT_FALSE(without_idle_libraries(source, headers));
}

TEST(IdleLibraries, AHeaderThatNamesOneKeepsIt) {
  std::string source = "#include <cub/cub.cuh>\n#include \"a.h\"\n";
  std::map<std::string, std::string> headers{{"a.h", "typedef cub::BlockReduce<float, 32> Reduce;\n"}};
  EXPECT_FALSE(without_idle_libraries(source, headers));
}

}  // namespace
}  // namespace evo::intake
