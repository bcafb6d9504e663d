// What -o DIR gets: tiles that numpy can read, post-mortems, and a program that nvcc takes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "diagnose/output_folder.hpp"
#include "tests/diagnose/support.hpp"

namespace evo::tests {
namespace {

namespace fs = std::filesystem;

class Reproducer : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
    std::string pattern = (fs::temp_directory_path() / "evo_diagnose_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  diagnose::PostMortem write(const std::string& problem, const std::string& name) {
    const diagnose::Subject subject = make_subject(fixture_problem(problem), name);
    diagnose::Diagnosis diagnosis = run_diagnosis(subject);
    const auto written = diagnose::write_folder(subject, diagnosis, folder_, "0");
    EXPECT_TRUE(written) << written.error().text();
    return diagnosis.post_mortem;
  }
  std::string read(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path folder_;
};

TEST_F(Reproducer, HasTilesDataAndReports) {
  const diagnose::PostMortem report = write("attention", "online_softmax");
  for (const std::string& file : report.files) EXPECT_TRUE(fs::exists(folder_ / file)) << file;
  EXPECT_EQ(read("tiles/L.actual.npy").substr(1, 5), "NUMPY");
  EXPECT_NE(read("post_mortem.md").find("sum_not_rescaled"), std::string::npos);
  // [1, 1, 17, 32] in FP16, and the same in float.
  EXPECT_EQ(fs::file_size(folder_ / "reproducer/Q.bin"), 17U * 32 * 2);
  EXPECT_EQ(fs::file_size(folder_ / "reproducer/O.expected.bin"), 17U * 32 * 4);
}

TEST_F(Reproducer, RepeatsTheLaunches) {
  (void)write("persistent", "module_ticket");
  EXPECT_NE(read("reproducer/reproducer.cu").find("launch <= 2"), std::string::npos);
}

TEST_F(Reproducer, IsAProgramThatNvccTakes) {
  if (std::system("command -v nvcc > /dev/null || test -x \"$CUDA_HOME/bin/nvcc\"") != 0)
    GTEST_SKIP() << "needs nvcc";
  (void)write("attention", "online_softmax");
  const std::string command =
      "cd '" + (folder_ / "reproducer").string() +
      "' && PATH=\"$PATH:$CUDA_HOME/bin\" nvcc -arch=sm_89 --ptx -o r.ptx reproducer.cu > log 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read("reproducer/log");
}

}  // namespace
}  // namespace evo::tests
