// Linked into a test program of scripts/mutate-checks: what each test reaches, and what it takes.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" unsigned char* evo_mutant_reached;

namespace {

constexpr std::size_t kPlaces = 1 << 16;

double cpu_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    sum +=
        used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1e-6 * (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  }
  return sum;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A line a test: SUITE.NAME, ok, failed or skipped, CPU seconds, seconds, the places reached. What is reached between
// tests, as by SetUpTestSuite, counts for all of the suite: SUITE.*; what statics reach, for all: *.
class Record : public testing::EmptyTestEventListener {
 public:
  explicit Record(const char* path) : file_(std::fopen(path, "a")), owner_(getpid()) {}

  void OnTestProgramStart(const testing::UnitTest&) override { write("*", "ok"); }
  void OnTestStart(const testing::TestInfo& test) override {
    write(std::string(test.test_suite_name()) + ".*", "ok");
    cpu_ = cpu_seconds();
    since_ = seconds();
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult* result = test.result();
    const bool failed = result != nullptr && result->Failed(), skipped = result != nullptr && result->Skipped();
    write(std::string(test.test_suite_name()) + "." + test.name(),
          failed    ? "failed"
          : skipped ? "skipped"
                    : "ok");
  }

 private:
  void write(const std::string& name, const char* outcome) {
    if (file_ == nullptr || getpid() != owner_) return;
    std::fprintf(file_, "%s %s %.4f %.4f", name.c_str(), outcome, cpu_seconds() - cpu_, seconds() - since_);
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if (evo_mutant_reached[place] != 0) std::fprintf(file_, " %zu", place);
    }
    std::fputc('\n', file_);
    std::fflush(file_);
    std::memset(evo_mutant_reached, 0, kPlaces);
  }

  std::FILE* file_;
  pid_t owner_;
  double cpu_ = 0, since_ = 0;
};

const bool kListening = [] {
  if (const char* path = std::getenv("EVO_MUTANT_RECORD")) {
    testing::UnitTest::GetInstance()->listeners().Append(new Record(path));  // gtest deletes it
  }
  return true;
}();

}  // namespace
