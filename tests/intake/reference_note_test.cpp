// What a reference of a folder will cost is said before anybody waits for it.
#include "cli/reference_note.hpp"
#include "session/compilers.hpp"
#include "session/load.hpp"
#include "tests/intake/files.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

struct ReferenceNote : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  std::string note(std::int64_t n, const std::string& more = {}) {
    const std::string body =
        " {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
        "  y[i] = 0;\n  for (int k = 0; k < n; ++k) y[i] += x[k] * x[i];\n}\n";
    write(scratch / "k.cu", "__global__ void k(const float* x, float* y, int n)" + body);
    write(scratch / "reference.cu",
          "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n)" + body);
    write(scratch / "problem.yaml",
          "name: pairs\naxes: {n: {min: 1, max: 1000000}}\nargs:\n"
          "  - {name: x, role: input, dtype: f32, shape: [n]}\n"
          "  - {name: y, role: output, dtype: f32, shape: [n]}\n"
          "  - {name: n, role: scalar, dtype: i32, value: n}\n"
          "oracle: {kernel: reference.cu}\ntolerance: auto\n" +
              more +
              "templates:\n  k:\n    source: k.cu\n    entry: k\n    genes: {BLOCK: {values: [64, 128]}}\n"
              "    launch: {grid: [\"ceil_div(n, BLOCK)\"], block: [BLOCK]}\n");
    const std::string file =
        write(scratch / "experiment.yaml", "name: pairs\nproblem: .\nworkloads: [{name: big, n: " +
                                               std::to_string(n) + "}]\ntarget: l4\ndevice: virtual\n");
    return cli::reference_note(session::load_experiment_or_throw(file, {}), *session::cached_compiler(1));
  }
  Scratch scratch;
};

TEST_F(ReferenceNote, OneThatGrowsWithTheSquareIsToldOf) {
  const std::string said = note(400000);
  EXPECT_NE(said.find("workload big"), std::string::npos) << said;
  EXPECT_NE(said.find("work: {flops"), std::string::npos) << said;
}

TEST_F(ReferenceNote, ACheapOneIsNot) {
  EXPECT_EQ(note(2000), "");
}

TEST_F(ReferenceNote, NorOneOfWhichSampledRowsAreComputed) {
  EXPECT_EQ(note(400000, "work: {flops: 2 * n * n, bytes: 8 * n}\n"), "");
}

}  // namespace
}  // namespace evo::intake
