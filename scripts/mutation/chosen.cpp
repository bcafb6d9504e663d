// Linked into a test program of scripts/mutate-checks: which mutant runs, and what each test reaches of the
// functions that have mutants.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {
constexpr std::size_t kPlaces = 1 << 16;
unsigned char first_places[kPlaces];  // until `begin` has run
}  // namespace

extern "C" {
int evo_mutant_chosen = 0;
unsigned char* evo_mutant_reached = first_places;
}

namespace {

// Before anything else of the program: its statics may call functions that have mutants.
__attribute__((constructor(101))) void begin() {
  if (const char* chosen = std::getenv("EVO_MUTANT")) evo_mutant_chosen = std::atoi(chosen);
  // Shared: a test may fork, and what its children reach is reached by it.
  void* shared = mmap(nullptr, kPlaces, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED) evo_mutant_reached = static_cast<unsigned char*>(shared);
}

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

// A line a test: SUITE.NAME, "ok" or "failed", CPU seconds, the places reached. What is reached between
// tests, as by SetUpTestSuite, counts for all of the suite: SUITE.*; what statics reach, for all: *.
class Record : public testing::EmptyTestEventListener {
 public:
  explicit Record(const char* path) : file_(std::fopen(path, "a")), owner_(getpid()) {}

  void OnTestProgramStart(const testing::UnitTest&) override { write("*", "ok"); }
  void OnTestStart(const testing::TestInfo& test) override {
    write(std::string(test.test_suite_name()) + ".*", "ok");
    since_ = cpu_seconds();
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    write(std::string(test.test_suite_name()) + "." + test.name(),
          test.result() != nullptr && test.result()->Failed() ? "failed" : "ok");
  }

 private:
  void write(const std::string& name, const char* outcome) {
    if (file_ == nullptr || getpid() != owner_) return;
    std::fprintf(file_, "%s %s %.4f", name.c_str(), outcome, cpu_seconds() - since_);
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if (evo_mutant_reached[place] != 0) std::fprintf(file_, " %zu", place);
    }
    std::fputc('\n', file_);
    std::fflush(file_);
    std::memset(evo_mutant_reached, 0, kPlaces);
  }

  std::FILE* file_;
  pid_t owner_;
  double since_ = 0;
};

const bool kListening = [] {
  if (const char* path = std::getenv("EVO_MUTANT_RECORD")) {
    testing::UnitTest::GetInstance()->listeners().Append(new Record(path));  // gtest deletes it
  }
  return true;
}();

}  // namespace
