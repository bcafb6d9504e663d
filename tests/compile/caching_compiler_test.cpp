#include "evaluators/compile/caching_compiler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "model/error.hpp"
#include "tests/compile/cache_support.hpp"

namespace evo::evaluators::compile {
namespace {

/// Counts its compiles and holds each until it is let go.
class SlowCompiler final : public Compiler {
 public:
  tl::expected<model::Artifact, model::Failure> compile(const CompileRequest& request) override {
    ++calls;
    while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (request.source == "throw") throw model::Exception(model::ExitCode::environment, "no NVRTC");
    if (request.source == "time")
      return tl::unexpected(model::Failure{model::Status::compile_timeout, "time", {}});
    if (request.source == "crash") {
      return tl::unexpected(model::Failure{model::Status::compile_error, "compiler_crash", {}});
    }
    if (request.source == "bad") return tl::unexpected(failure());
    return artifact(1);
  }
  std::string version() const override { return "fake 1"; }

  std::atomic<int> calls = 0;
  std::atomic<bool> open = true;
};

CompileRequest source(const std::string& text) {
  return {text, "a.cu", "k", "sm_89", {}, {}, 60, 4096};
}

TEST(CachingCompiler, CompilesOnceWhatLasts) {
  const Folder folder;
  SlowCompiler inner;
  ArtifactCache cache(folder.path());
  CachingCompiler compiler(inner, cache);
  EXPECT_EQ(compiler.version(), "fake 1");
  for (int i = 0; i < 3; ++i) {
    const auto made = compiler.compile(source("good"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->from_cache, i > 0);
    const auto failed = compiler.compile(source("bad"));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().evidence, failure().evidence);
  }
  EXPECT_EQ(inner.calls, 2);
}

TEST(CachingCompiler, DoesNotKeepWhatTheMachineDecided) {
  const Folder folder;
  SlowCompiler inner;
  ArtifactCache cache(folder.path());
  CachingCompiler compiler(inner, cache);
  for (const char* text : {"time", "crash"}) {
    EXPECT_FALSE(compiler.compile(source(text)));
    EXPECT_FALSE(compiler.compile(source(text)));
  }
  EXPECT_THROW((void)compiler.compile(source("throw")), model::Exception);
  EXPECT_THROW((void)compiler.compile(source("throw")), model::Exception);
  EXPECT_EQ(inner.calls, 6);
  EXPECT_EQ(cache.stats().entries, 0);
}

TEST(CachingCompiler, ThreadsThatAskForTheSameShareOneCompile) {
  const Folder folder;
  SlowCompiler inner;
  inner.open = false;
  ArtifactCache cache(folder.path());
  CachingCompiler compiler(inner, cache);
  std::atomic<int> correct = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      const auto made = compiler.compile(source("good"));
      correct += made && same(*made, artifact(1));
    });
  }
  while (inner.calls == 0) std::this_thread::yield();
  inner.open = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(correct, 6);
  EXPECT_EQ(inner.calls, 1);
}

TEST(CachingCompiler, AnExceptionReachesEveryoneWhoWaits) {
  const Folder folder;
  SlowCompiler inner;
  ArtifactCache cache(folder.path());
  CachingCompiler compiler(inner, cache);
  std::atomic<int> thrown = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      try {
        (void)compiler.compile(source("throw"));
      } catch (const model::Exception&) {
        ++thrown;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(thrown, 4);
}

}  // namespace
}  // namespace evo::evaluators::compile
