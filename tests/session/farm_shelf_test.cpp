// Compiles on a farm, and what runs lend each other of them.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <thread>

#include "evaluators/compile/codec.hpp"
#include "evaluators/gates/base64.hpp"
#include "farm/shelf.hpp"
#include "session/elsewhere_first.hpp"
#include "session/farm_build.hpp"
#include "session/farm_compile.hpp"
#include "session/farm_worker.hpp"
#include "tests/session/fake_stack.hpp"
#include "tests/support/nats_server.hpp"

namespace evo::test {
namespace {

using namespace std::chrono_literals;

/// In memory.
struct MemoryShelf final : farm::Shelf {
  [[nodiscard]] std::optional<std::string> find(const std::string& key) override {
    const auto found = kept.find(key);
    return found == kept.end() ? std::nullopt : std::optional(found->second);
  }
  void put(const std::string& key, const std::string& bytes) override { kept[key] = bytes; }
  void clear() override { kept.clear(); }
  std::map<std::string, std::string> kept;
};

struct FarmShelf : Nats {
  /// Nobody compiles there but the run.
  std::unique_ptr<session::FarmCompiles> compiles(const std::string& run, unsigned audit_every) {
    if (!queue) queue = coordinator();
    return std::make_unique<session::FarmCompiles>(
        std::make_shared<farm::Calls>(farm::CallsOptions{run}, *queue), own, audit_every, shelf);
  }
  static evaluators::compile::CompileRequest request_of(const std::string& source) {
    evaluators::compile::CompileRequest request;
    request.source = source;
    request.entry = "f";
    return request;
  }
  static model::Artifact forged(const evaluators::compile::CompileRequest& request) {
    model::Artifact artifact = tests::FakeCompiler::plain(request);
    artifact.ptx = "another kernel";
    return artifact;
  }

  /// A worker that makes another kernel of everything; waits until it is there.
  std::jthread liar() {
    session::FarmPosts posts;
    posts.threads = 1;
    posts.all.push_back(
        {session::compile_build(own->version()), [](const farm::JobMessage& job, const auto&) {
           return evaluators::gates::encode_base64(evaluators::compile::encode(
               evaluators::compile::CompileResult(forged(session::compile_request_from(job.body)))));
         }});
    std::jthread there([url = server_.url, posts = std::move(posts)](const std::stop_token& stop) {
      session::FarmWorkerOptions options;
      options.farm.url = url;
      options.wait = 30s;
      session::serve_farm(options, posts, stop, [](const std::string&) {});
    });
    if (!queue) queue = coordinator();
    const std::string line = farm::line_of(own->version());
    for (int looks = 0; looks < 300 && queue->crowd("run").threads_of(line) == 0; ++looks)
      std::this_thread::sleep_for(50ms);
    return there;
  }
  static model::ExitCode end_of(session::FarmCompiles& compiles,
                                const evaluators::compile::CompileRequest& request) {
    try {
      static_cast<void>(compiles.compile(request));
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  }

  std::unique_ptr<nats::NatsQueue> queue;
  std::shared_ptr<MemoryShelf> shelf = std::make_shared<MemoryShelf>();
  std::shared_ptr<tests::FakeCompiler> own = std::make_shared<tests::FakeCompiler>();
};

TEST_F(FarmShelf, WhatOneRunCompiledIsTakenByAnother) {
  const auto request = request_of("__global__ void f() {}");
  const auto first = compiles("first", 0), second = compiles("second", 0);
  EXPECT_FALSE(first->compile(request)) << "neither a worker nor anything on the shelf";
  first->made_here(request, tests::FakeCompiler::plain(request));
  const auto taken = second->compile(request);
  ASSERT_TRUE(taken && taken->has_value());
  EXPECT_EQ((*taken)->ptx, tests::FakeCompiler::plain(request).ptx);
  EXPECT_EQ(second->shared(), 1U);
  EXPECT_FALSE(second->compile(request_of("another"))) << "by all that is compiled";
  EXPECT_TRUE(own->requests().empty());
}

TEST_F(FarmShelf, WhatAClockDecidedIsNotPutThere) {
  const auto request = request_of("slow");
  const auto first = compiles("first", 0);
  first->made_here(request, tl::unexpected(model::Failure{model::Status::compile_timeout, "time", {}}));
  EXPECT_TRUE(shelf->kept.empty());
  first->made_here(request, tl::unexpected(model::Failure{model::Status::compile_error, "syntax", {}}));
  EXPECT_EQ(shelf->kept.size(), 1U) << "an error of the source is the same everywhere";
  const auto taken = compiles("second", 0)->compile(request);
  ASSERT_TRUE(taken && !taken->has_value());
  EXPECT_EQ(taken->error().reason, "syntax");
}

TEST_F(FarmShelf, RubbishThereIsNothing) {
  const auto request = request_of("__global__ void f() {}");
  compiles("first", 0)->made_here(request, tests::FakeCompiler::plain(request));
  ASSERT_EQ(shelf->kept.size(), 1U);
  const auto second = compiles("second", 0);
  for (const std::string text : {"", "w", "w\n", "w\nAAAA", "\n\n\xff"}) {
    shelf->kept.begin()->second = text;
    EXPECT_FALSE(second->compile(request)) << text;
  }
  EXPECT_EQ(second->shared(), 0U);
}

TEST_F(FarmShelf, ALieThatLiesThereIsFoundAndAllGoes) {
  const auto request = request_of("one");
  const auto first = compiles("first", 0), second = compiles("second", 1);
  first->made_here(request_of("another"), tests::FakeCompiler::plain(request_of("another")));
  first->made_here(request, forged(request));
  ASSERT_EQ(shelf->kept.size(), 2U);
  EXPECT_EQ(end_of(*second, request), model::ExitCode::environment);
  EXPECT_TRUE(shelf->kept.empty());
  // What its other threads have had compiled meanwhile.
  second->made_here(request, tests::FakeCompiler::plain(request));
  EXPECT_TRUE(shelf->kept.empty());
}

TEST_F(FarmShelf, WhatALiarMadeBeforeItIsFoundOutGoesToo) {
  const auto there = liar();
  const auto trusting = compiles("run", 0);
  for (const char* source : {"one", "two"}) {
    const auto lie = trusting->compile(request_of(source));
    ASSERT_TRUE(lie && lie->has_value()) << source;
    EXPECT_EQ((*lie)->ptx, "another kernel");
  }
  EXPECT_EQ(shelf->kept.size(), 2U);
  const auto auditing = compiles("other", 1);
  EXPECT_EQ(end_of(*auditing, request_of("three")), model::ExitCode::environment);
  EXPECT_TRUE(shelf->kept.empty());
}

// A farm's workers compile for the search, and the reference judges what they made.
TEST(EvaluationStack, ItsReferenceIsCompiledByThisProcess) {
  session::StackParts parts = session::testing::scripted_parts(std::make_shared<session::testing::Script>());
  const auto own = std::make_shared<tests::FakeCompiler>(), others = std::make_shared<tests::FakeCompiler>();
  parts.own_compiler = own;
  parts.compiler = others;
  model::Experiment experiment = tests::vector_add_experiment();
  experiment.problem.oracles.clear();
  experiment.problem.oracle = model::kernel_oracle;
  experiment.problem.oracle_kernel =
      model::ReferenceKernel{"ref.cu", "__global__ void reference() {}", "reference"};
  const session::EvaluationStack stack(experiment, std::move(parts), 99);
  EXPECT_FALSE(own->requests().empty());
  EXPECT_TRUE(others->requests().empty());
}

TEST(FarmCompile, RefusesWhatAsksForTooMuchOfAWorker) {
  evaluators::compile::CompileRequest request;
  EXPECT_NO_THROW(static_cast<void>(session::compile_request_from(session::compile_body(request))));
  request.timeout_s = 1e6;
  EXPECT_THROW(static_cast<void>(session::compile_request_from(session::compile_body(request))),
               std::exception);
  request.timeout_s = 60;
  request.memory_mb = 0;  // without a limit
  EXPECT_THROW(static_cast<void>(session::compile_request_from(session::compile_body(request))),
               std::exception);
  EXPECT_THROW(static_cast<void>(session::compile_request_from("AAAA")), std::exception);
}

TEST(ElsewhereFirst, KeepsWhatOthersMadeToItselfAndWithinItsBounds) {
  tests::FakeCompiler own;
  session::ElsewhereFirst compiler(own, nullptr, 10000);
  int asked = 0;
  std::vector<std::string> made_here;
  compiler.use({[&](const auto& request) -> std::optional<evaluators::compile::CompileResult> {
                  ++asked;
                  if (request.source == "none") return std::nullopt;
                  if (request.source == "slow")
                    return tl::unexpected(model::Failure{model::Status::compile_timeout, "time", {}});
                  return tests::FakeCompiler::plain(request);
                },
                [&](const auto& request, const auto&) { made_here.push_back(request.source); }});
  evaluators::compile::CompileRequest request;
  for (const char* source : {"a", "a", "none", "slow"}) {
    request.source = source;
    EXPECT_TRUE(compiler.compile(request).has_value()) << source;
  }
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(own.requests().size(), 2U) << "what nobody did, and what a clock decided elsewhere";
  EXPECT_EQ(made_here, (std::vector<std::string>{"none", "slow"}));
  for (int i = 0; i < 20; ++i) {
    request.source = std::string(3000, static_cast<char>('a' + i));
    static_cast<void>(compiler.compile(request));
    EXPECT_LE(compiler.kept_bytes(), 10000);
  }
  compiler.use({});
  EXPECT_EQ(compiler.kept_bytes(), 0);
  request.source = "a";
  static_cast<void>(compiler.compile(request));
  EXPECT_EQ(own.requests().size(), 3U);
  request.source = std::string(3000, 't');  // the last that the others made
  const int before = asked;
  compiler.use({[&](const auto& wanted) -> std::optional<evaluators::compile::CompileResult> {
    ++asked;
    return tests::FakeCompiler::plain(wanted);
  }});
  static_cast<void>(compiler.compile(request));
  EXPECT_EQ(asked, before + 1) << "what others made for one search is not another's";
}

}  // namespace
}  // namespace evo::test
