// Kernels with textures and surfaces, correct and wrong, as `evo check` judges them.
#include <filesystem>
#include <fstream>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

/// out[y, x] = 2 * in[y, x] + 1, from a surface to a surface.
constexpr const char* surfaces = R"yaml(name: surfaces
axes: {h: {min: 1, max: 512, initial: 19}, w: {min: 1, max: 512, initial: 33}}
args:
  - {name: from, role: input, dtype: f32, shape: [h, w], surface: {}}
  - {name: to, role: output, dtype: f32, shape: [h, w], surface: {}}
  - {name: h, role: scalar, dtype: i32, value: h}
  - {name: w, role: scalar, dtype: i32, value: w}
oracle: {kernel: reference.cu}
tolerance: auto
templates:
  plain: {source: kernel.cu, entry: twice, genes: {BLOCK: [32, 64]}, launch: {grid: ["ceil_div(w, BLOCK)", h], block: [BLOCK]
}
}
)yaml";
constexpr const char* surfaces_reference = R"(
__global__ void reference(const EVO_REAL* from, EVO_REAL* to, int h, int w) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < h * w) to[i] = 2 * from[i] + 1;
}
)";
std::string twice(const std::string& body) {
  return "__global__ void twice(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int h, int w) {\n"
         "  const int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y;\n" +
         body + "}\n";
}

struct TexturesJudged : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }

  /// "" where the kernel is proven, else the status and the reason.
  std::string verdict(const std::string& problem, const std::string& source) {
    std::ofstream(scratch / "candidate.cu") << source;
    const Output output =
        run_evo({"check", scratch / "candidate.cu", "--problem", problem, "--json", "--input-seed", "5"});
    const boost::json::object report = parse_object(output.out);
    if (report.at("valid").as_bool()) return "";
    return std::string(report.at("status").as_string()) + " " + std::string(report.at("reason").as_string());
  }
  std::string resize(const std::string& body) {
    return verdict(source_path("examples/texture"),
                   "__global__ void resize(cudaTextureObject_t image, float* out, int image_h, int image_w, "
                   "int h, int w) {\n"
                   "  const int x = blockIdx.x * BLOCK_X + threadIdx.x, top = (blockIdx.y * BLOCK_Y + "
                   "threadIdx.y) * ROWS;\n"
                   "  if (x >= w) return;\n"
                   "  const float sx = float(image_w) / w, sy = float(image_h) / h;\n"
                   "  for (int y = top; y < top + ROWS && y < h; ++y) out[y * w + x] = " +
                       body + ";\n}\n");
  }
  std::string surface(const std::string& body) {
    const std::filesystem::path folder = std::string(scratch / "problem");
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "problem.yaml") << surfaces;
    std::ofstream(folder / "reference.cu") << surfaces_reference;
    std::ofstream(folder / "kernel.cu") << twice("");
    return verdict(folder.string(), twice(body));
  }
  Scratch scratch;
};

TEST_F(TexturesJudged, TheFilterOfTheHardwareIsRight) {
  EXPECT_EQ(resize("tex2D<float>(image, (x + 0.5f) * sx, (y + 0.5f) * sy)"), "");
}

TEST_F(TexturesJudged, EveryKindReachesItsKernel) {
  const std::string folder = source_path("tests/examples/fixtures/textures");
  EXPECT_EQ(verdict(folder, read_file(folder + "/kernel.cu")), "");
}

TEST_F(TexturesJudged, MistakesOfSamplingAreWrong) {
  EXPECT_EQ(resize("tex2D<float>(image, x * sx, y * sy)"), "wrong mismatch") << "half a pixel off";
  EXPECT_EQ(resize("tex2D<float>(image, (x + 0.5f) * sx, (y + 0.55f) * sy)"), "wrong mismatch")
      << "a twentieth of a pixel off";
  EXPECT_EQ(resize("tex2D<float>(image, (y + 0.5f) * sy, (x + 0.5f) * sx)"), "wrong mismatch")
      << "transposed";
  EXPECT_EQ(resize("tex2D<float>(image, floorf((x + 0.5f) * sx) + 0.5f, floorf((y + 0.5f) * sy) + 0.5f)"),
            "wrong mismatch")
      << "not filtered";
  EXPECT_EQ(resize("tex2D<float>(image, fminf((x + 0.5f) * sx, image_w - 1), (y + 0.5f) * sy)"),
            "wrong mismatch")
      << "another edge";
  EXPECT_EQ(resize("tex1D<float>(image, x)"), "sanitizer_fail wrong_texture");
  EXPECT_EQ(resize("tex2D<float>(image + 1, (x + 0.5f) * sx, (y + 0.5f) * sy)"),
            "sanitizer_fail wrong_texture");
}

TEST_F(TexturesJudged, SurfacesAreJudgedAsArraysAre) {
  EXPECT_EQ(surface("if (x < w) surf2Dwrite(2 * surf2Dread<float>(from, 4 * x, y) + 1, to, 4 * x, y);\n"),
            "");
  EXPECT_EQ(surface("surf2Dwrite(2 * surf2Dread<float>(from, 4 * x, y) + 1, to, 4 * x, y);\n"),
            "sanitizer_fail out_of_bounds");
  // Beyond the edge nothing is asked for: these modes are correct.
  EXPECT_EQ(
      surface("surf2Dwrite(2 * surf2Dread<float>(from, 4 * x, y, cudaBoundaryModeZero) + 1, to, 4 * x, y, "
              "cudaBoundaryModeZero);\n"),
      "");
  EXPECT_EQ(surface("if (x < w - 1) surf2Dwrite(2 * surf2Dread<float>(from, 4 * x, y) + 1, to, 4 * x, y);\n"),
            "wrong unwritten");
  EXPECT_EQ(surface("if (x < w) surf2Dwrite(2 * surf2Dread<float>(from, 4 * x, y), to, 4 * x, y);\n"),
            "wrong mismatch");
  // Every row writes the first one as well.
  EXPECT_EQ(surface("if (x < w) surf2Dwrite(float(y), to, 4 * x, 0);\n"
                    "if (x < w) surf2Dwrite(2 * surf2Dread<float>(from, 4 * x, y) + 1, to, 4 * x, y);\n"),
            "sanitizer_fail race_global");
  EXPECT_EQ(surface("if (x < w) surf2Dwrite(1.f, from, 4 * x, y);\n"
                    "if (x < w) surf2Dwrite(2 * surf2Dread<float>(from, 4 * x, y) + 1, to, 4 * x, y);\n"),
            "sanitizer_fail input_written");
}

}  // namespace
}  // namespace evo::cli
