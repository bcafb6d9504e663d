// A run whose work goes to workers by what they can do, over a real server: the same lineage as without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "evaluators/compile/codec.hpp"
#include "evaluators/gates/base64.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "farm/nats/clock.hpp"
#include "farm/runner.hpp"
#include "session/device_choice.hpp"
#include "session/elsewhere_first.hpp"
#include "session/farm_build.hpp"
#include "session/farm_compile.hpp"
#include "session/farm_worker.hpp"
#include "session/run.hpp"
#include "tests/session/fake_stack.hpp"
#include "tests/support/nats_server.hpp"

namespace evo::test {
namespace {

using namespace std::chrono_literals;
using session::FarmPost;
using session::FarmPosts;
using session::testing::Script;

/// A compiler behind which others may compile, as a session's is.
struct Compilers {
  explicit Compilers(std::shared_ptr<evaluators::compile::Compiler> its_own)
      : own(std::move(its_own)), first(*own) {}
  std::shared_ptr<evaluators::compile::Compiler> own;
  session::ElsewhereFirst first;
};

class FarmRun : public Nats {
 protected:
  void SetUp() override {
    Nats::SetUp();
    if (IsSkipped()) return;
    experiment_.templates = {"plain"};
    experiment_.search.population = 4;
    experiment_.search.generations = 3;
    experiment_.search.max_in_flight = 4;
    experiment_.budget.trials = 10;
    experiment_.resolved_yaml = "name: add\n";
    script_->microseconds = [](const evaluators::gates::DeviceJob& job) {
      return 10.0 + static_cast<double>(job.artifact.ptx.size() % 7);
    };
  }
  session::StackParts parts_of(const std::shared_ptr<Script>& script) const {
    session::StackParts parts = session::testing::scripted_parts(script);
    if (without_gpu_) {
      parts.device = model::device_of_farm;
      parts.runner = parts.fresh_runner = []() -> std::unique_ptr<evaluators::gates::JobRunner> {
        throw std::logic_error("this machine has no GPU");
      };
    }
    if (profiler_) parts.profiler = [own = profiler_](const model::Experiment&) { return own; };
    const auto compilers = std::make_shared<Compilers>(parts.compiler);
    parts.own_compiler = compilers->own;
    parts.compiler = {compilers, &compilers->first};
    parts.compile_elsewhere = [compilers](session::CompileElsewhere other) {
      compilers->first.use(std::move(other));
    };
    return parts;
  }
  static engine::CampaignOptions options() {
    engine::CampaignOptions options;
    options.threads = options.device_threads = 4;
    return options;
  }
  std::string alone() {
    session::EvaluationStack stack(experiment_, parts_of(script_copy()), 99);
    const auto ledger = engine::make_memory_ledger();
    return session::run_to_the_end(experiment_, stack, *ledger, 99, options()).result.lineage_sha256;
  }
  /// Of a worker without a GPU.
  FarmPosts posts_without_gpu() {
    const session::StackParts parts = parts_of(script_);
    FarmPosts posts;
    posts.threads = 2;
    posts.all.push_back(
        {session::farm_build(), session::perform_on(std::make_shared<evaluators::gates::InProcessRunner>(
                                    parts.virtual_device, *parts.known))});
    posts.all.push_back({session::compile_build(parts.own_compiler->version()),
                         [compiler = parts.own_compiler](const farm::JobMessage& job, const auto&) {
                           return evaluators::gates::encode_base64(evaluators::compile::encode(
                               compiler->compile(session::compile_request_from(job.body))));
                         }});
    return posts;
  }
  /// Of a worker with GPUs like the run's.
  FarmPosts posts_of_gpu() {
    auto runner = std::make_shared<session::testing::ScriptedRunner>(script_copy(), false);
    FarmPosts posts;
    posts.threads = 2;
    posts.all.push_back(
        {session::farm_build(runner->info()), session::perform_on(runner), 1, runner->info()});
    return posts;
  }
  /// The same script, with its own record of jobs.
  std::shared_ptr<Script> script_copy() {
    auto copy = std::make_shared<Script>();
    copy->kind = script_->kind;
    copy->microseconds = script_->microseconds;
    copy->paired_ratio = script_->paired_ratio;
    return copy;
  }
  std::jthread worker(FarmPosts posts, double price = 0) {
    return std::jthread([this, posts = std::move(posts), price](const std::stop_token& stop) {
      session::FarmWorkerOptions options;
      options.farm.url = server_.url;
      options.price = price;
      options.wait = 30s;
      session::serve_farm(options, posts, stop, [](const std::string&) {});
    });
  }
  struct OnFarm {
    std::string lineage;
    session::FarmCounts counts;
    std::vector<engine::TrialRecord> trials;
    double cost = 0;
    bool proven = false, verdict = false;
  };
  OnFarm on_farm(const std::vector<std::string>& lines) {
    const session::RunFolder folder{folder_ / "run"};
    fs::create_directories(folder.path);
    // Whoever is there before the run asks is known to it.
    const auto watcher = coordinator();
    for (int looks = 0; looks < 300; ++looks) {
      const auto crowd = watcher->crowd("watcher");
      if (std::ranges::all_of(lines, [&](const std::string& line) { return crowd.threads_of(line) > 0; }))
        break;
      std::this_thread::sleep_for(50ms);
    }
    session::OnFarm joined = session::on_farm(parts_of(script_), {server_.url, "", ""}, experiment_, folder,
                                              2, std::stop_token{}, [this](const std::string& line) {
                                                const std::scoped_lock lock(told_mutex_);
                                                told_.push_back(line);
                                              });
    OnFarm done;
    const auto ledger = engine::make_memory_ledger();
    engine::CampaignOptions with_cost = options();
    with_cost.pairings_elsewhere = joined.comparisons;
    with_cost.farm_cost = [counts = joined.counts] { return counts().calls.cost; };
    {
      session::EvaluationStack stack(experiment_, std::move(joined.parts), 99);
      const auto outcome = session::run_to_the_end(experiment_, stack, *ledger, 99, with_cost);
      done.lineage = outcome.result.lineage_sha256;
      done.cost = outcome.result.progress.cost;
      done.proven = outcome.proven_champion() != nullptr;
      done.verdict = outcome.verdict && outcome.verdict->failure.empty();
    }
    done.counts = joined.counts();
    done.trials = ledger->trials();
    return done;
  }

  std::shared_ptr<Script> script_ = std::make_shared<Script>();
  model::Experiment experiment_ = tests::vector_add_experiment();
  std::shared_ptr<evaluators::gates::Profiler> profiler_;  ///< of the run's machine
  bool without_gpu_ = false;                               ///< the run's device is "farm"
  std::mutex told_mutex_;
  std::vector<std::string> told_;  ///< by the run, to a person
};

const std::string compile_line = farm::line_of("fake compiler 1.0");
const std::string gpu_line = farm::line_of("a script");
const std::string comparisons_line = farm::comparisons_line_of("a script");

TEST_F(FarmRun, WorkersWithoutAGpuCompileAndCheckForARunOnAGpu) {
  const std::string expected = alone();
  const auto crew = worker(posts_without_gpu());
  const OnFarm done = on_farm({"virtual", compile_line});
  EXPECT_EQ(done.lineage, expected);
  EXPECT_GT(done.counts.calls.of_line.at(compile_line), 0u);
  EXPECT_GT(done.counts.calls.of_line.at("virtual"), 0u);
  EXPECT_EQ(done.counts.calls.of_line.count(gpu_line), 0u);
  EXPECT_EQ(done.counts.calls.refused(), 0u);
  EXPECT_EQ(done.counts.calls.failed, 0u);
  EXPECT_FALSE(script_->jobs.empty()) << "the run's own GPU runs what needs one";
  for (const engine::TrialRecord& trial : done.trials) EXPECT_FALSE(trial.work) << trial.index;
}

TEST_F(FarmRun, WorkersWithSuchAGpuTakeItsJobs) {
  const std::string expected = alone();
  const auto crew = worker(posts_of_gpu(), 7200);
  const OnFarm done = on_farm({gpu_line});
  EXPECT_EQ(done.lineage, expected);
  EXPECT_GT(done.counts.calls.of_line.at(gpu_line), 0u);
  EXPECT_EQ(done.counts.calls.refused(), 0u);
  EXPECT_GT(done.cost, 0) << "its worker has a price";
  int elsewhere = 0;
  for (const engine::TrialRecord& trial : done.trials) {
    if (!trial.work || trial.work->worker.empty()) continue;
    ++elsewhere;
    EXPECT_EQ(trial.work->worker, session::farm_name());
    EXPECT_EQ(trial.work->device, "a script");
  }
  EXPECT_GT(elsewhere, 0);
  // What proves the champion runs here: fresh jobs are the run's own.
  EXPECT_TRUE(std::ranges::any_of(script_->jobs, [](const auto& seen) { return seen.fresh; }));
}

TEST_F(FarmRun, ComparisonsAreWorkersJobsTooAndChangeNoLineage) {
  // Each genome is as fast as its threads are many, and each comparison says that the candidate is faster.
  script_->microseconds = [](const evaluators::gates::DeviceJob& job) {
    return 1000.0 / static_cast<double>(std::max<std::size_t>(1, job.artifact.ptx.size() % 7));
  };
  script_->paired_ratio = 0.8;
  experiment_.search.generations = 6;
  experiment_.budget.trials = 24;
  const std::string expected = alone();
  const auto one = worker(posts_of_gpu()), another = worker(posts_of_gpu());
  const OnFarm done = on_farm({gpu_line, comparisons_line});
  EXPECT_EQ(done.lineage, expected);
  EXPECT_GT(done.counts.calls.of_line.at(comparisons_line), 0u);
  EXPECT_GT(done.counts.calls.of_line.at(gpu_line), 0u);
  EXPECT_EQ(done.counts.calls.refused(), 0u);
  EXPECT_GT(std::ranges::count_if(done.trials, [](const auto& trial) { return trial.paired.has_value(); }),
            0);
}

// A commit waits for it, and nothing waits for what is queued.
TEST_F(FarmRun, AComparisonIsNextWhateverWaits) {
  std::mutex mutex;
  std::string order;
  std::atomic<bool> go{false};
  FarmPosts posts;
  posts.threads = 1;
  session::testing::ScriptedRunner gpu(script_copy(), false);
  posts.all.push_back({session::farm_build(gpu.info()),
                       [&](const farm::JobMessage& message, const farm::FindCode&) {
                         const auto job = evaluators::gates::device_job_from_json(message.body);
                         {
                           const std::scoped_lock lock(mutex);
                           order += job.opponent ? 'C' : 'e';
                         }
                         while (!go) std::this_thread::sleep_for(1ms);
                         return evaluators::gates::to_json(gpu.run(job));
                       },
                       1});
  const auto crew = worker(posts);
  const auto queue = coordinator();
  for (int looks = 0; looks < 300 && queue->crowd("run").threads_of(comparisons_line) == 0; ++looks)
    std::this_thread::sleep_for(50ms);
  farm::FarmRunnerOptions options;
  options.build = session::farm_build(gpu.info());
  options.device = gpu.info();
  const auto calls = std::make_shared<farm::Calls>(farm::CallsOptions{"run"}, *queue);
  farm::FarmRunner runner(options, calls);
  evaluators::gates::DeviceJob job;
  std::vector<std::jthread> callers;
  const auto ask = [&](std::uint64_t seed) {
    job.input_seed = seed;
    callers.emplace_back([&runner, job] { static_cast<void>(runner.run(job)); });
  };
  const auto lent = [&](const std::string& line, std::int64_t many) {
    for (int looks = 0; looks < 300; ++looks) {
      const auto status = nats::status_of(queue->jetstream());
      const auto* jobs = status.at("lines").as_object().if_contains(line);
      if (jobs != nullptr && jobs->at("lent").as_int64() == many) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  };
  for (std::uint64_t seed = 1; seed <= 2; ++seed) ask(seed);
  EXPECT_TRUE(lent(gpu_line, 2)) << "one is done, and one is held ready";
  job.opponent.emplace();
  ask(3);
  EXPECT_TRUE(lent(comparisons_line, 1));
  std::this_thread::sleep_for(200ms);  // it has asked for its turn
  go = true;
  callers.clear();
  EXPECT_EQ(order, "eCe");
}

/// Counts so many registers as the genome has threads.
class ByThreads final : public evaluators::gates::Profiler {
 public:
  [[nodiscard]] model::CounterBasis basis() const override { return model::CounterBasis::measured; }
  [[nodiscard]] evaluators::gates::Profiled profile(const evaluators::gates::DeviceJob& job) override {
    model::CounterReading reading{basis(), "a script", "a device", {}};
    for (const model::Case& one : job.cases)
      reading.kernels.push_back({one.name, "add", {{"registers", one.launch.block[0]}}, {}, {}});
    evaluators::gates::Profiled profiled;
    profiled.reading = std::move(reading);
    return profiled;
  }
};

TEST_F(FarmRun, BoundsOnCountersHoldThereToo) {
  experiment_.gates.counters = {{"registers", "<", 100}};
  profiler_ = std::make_shared<ByThreads>();
  const std::string expected = alone();
  const auto crew = worker(posts_of_gpu());
  const OnFarm done = on_farm({gpu_line});
  EXPECT_EQ(done.lineage, expected);
  EXPECT_GT(done.counts.calls.of_line.at(gpu_line), 0u);
  const auto bounded = std::ranges::count_if(done.trials, [](const engine::TrialRecord& trial) {
    return trial.status == model::Status::over_budget && trial.reason == "counter_bound";
  });
  EXPECT_GT(bounded, 0) << "of 10 trials some have more than 100 threads";
  EXPECT_LT(bounded, static_cast<std::ptrdiff_t>(done.trials.size()));
}

TEST_F(FarmRun, ItsGpusMayAllBeWorkers) {
  const std::string expected = alone();
  without_gpu_ = true;
  const auto crew = worker(posts_of_gpu());
  const OnFarm done = on_farm({gpu_line});
  EXPECT_EQ(done.lineage, expected);
  EXPECT_GT(done.counts.calls.of_line.at(gpu_line), 0u);
  EXPECT_EQ(done.counts.local, 0u);
  EXPECT_EQ(done.counts.calls.refused(), 0u);
  EXPECT_TRUE(done.proven) << "on the virtual device here, and by a worker";
  EXPECT_TRUE(done.verdict) << "timed by a worker";
  for (const engine::TrialRecord& trial : done.trials) {
    if (trial.latency()) {
      EXPECT_EQ(trial.latency()->kind, model::LatencyKind::measured);
    }
    if (trial.work) {
      EXPECT_EQ(trial.work->device, "a script");
    }
  }
}

TEST_F(FarmRun, NoGpuOnTheWholeFarmEndsIt) {
  without_gpu_ = true;
  const auto crew = worker(posts_without_gpu());
  try {
    (void)on_farm({"virtual"});
    FAIL() << "there is nothing to measure on";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
  }
}

TEST_F(FarmRun, AWorkerWhoseClockKeepsNoTimeIsRefused) {
  const auto queue = coordinator();
  const farm::nats::ClockService service(queue->jetstream().connection(), "run");
  const auto serve = [this](double rate) {
    session::FarmWorkerOptions options;
    options.farm.url = server_.url;
    options.wait = 30s;
    options.idle = rate == 1 ? 2s : 30s;
    options.clock_every = 300ms;
    options.clocks = [rate] {
      const farm::Clocks real = farm::read_clocks();
      return farm::Clocks{real.wall + 3600, real.steady * rate};
    };
    std::vector<std::string> said;
    try {
      session::serve_farm(options, posts_of_gpu(), {},
                          [&](const std::string& line) { said.push_back(line); });
    } catch (const model::Exception& error) {
      return std::pair(error.code(), said);
    }
    return std::pair(model::ExitCode::done, said);
  };
  EXPECT_EQ(serve(0.1).first, model::ExitCode::environment);
  const auto [code, said] = serve(1);
  EXPECT_EQ(code, model::ExitCode::done);
  EXPECT_EQ(std::ranges::count_if(
                said, [](const std::string& line) { return line.find("3600 s ahead") != line.npos; }),
            1)
      << "that it is set to another hour is said";
}

TEST_F(FarmRun, GpusThatHaveNothingToDoForItAreNamed) {
  FarmPosts posts = posts_of_gpu();
  posts.all.front().build.device = "NVIDIA Other";
  const auto crew = worker(posts);
  const std::string expected = alone();
  const OnFarm done = on_farm({"NVIDIA_Other"});
  EXPECT_EQ(done.lineage, expected);
  const auto named = [this] {
    return std::ranges::count_if(
        told_, [](const std::string& line) { return line.find("NVIDIA_Other have nothing") != line.npos; });
  };
  EXPECT_EQ(named(), 1);
  EXPECT_EQ(done.counts.calls.of_line.count("NVIDIA_Other"), 0u);
}

TEST_F(FarmRun, WithoutWorkersItIsDoneHere) {
  const std::string expected = alone();
  const OnFarm done = on_farm({});
  EXPECT_EQ(done.lineage, expected);
  EXPECT_EQ(done.counts.calls.jobs, 0u);
  EXPECT_GT(done.counts.here, 0u);
}

TEST_F(FarmRun, ACompilerThatLiesEndsTheRun) {
  FarmPosts posts = posts_without_gpu();
  posts.all.erase(posts.all.begin());
  posts.all.front().perform = [](const farm::JobMessage& job, const auto&) {
    model::Artifact artifact = tests::FakeCompiler::plain(session::compile_request_from(job.body));
    artifact.ptx = "another kernel";
    return evaluators::gates::encode_base64(
        evaluators::compile::encode(evaluators::compile::CompileResult(std::move(artifact))));
  };
  const auto crew = worker(posts);
  const auto queue = coordinator();
  for (int looks = 0; looks < 300 && queue->crowd("run").threads_of(compile_line) == 0; ++looks)
    std::this_thread::sleep_for(50ms);
  const auto calls = std::make_shared<farm::Calls>(farm::CallsOptions{"run"}, *queue);
  const session::StackParts parts = parts_of(script_);
  evaluators::compile::CompileRequest request;
  request.source = "__global__ void f() {}";
  request.entry = "f";
  session::FarmCompiles trusting(calls, parts.own_compiler, 0);
  const auto lie = trusting.compile(request);
  ASSERT_TRUE(lie && lie->has_value());
  EXPECT_EQ((*lie)->ptx, "another kernel");
  session::FarmCompiles auditing(calls, parts.own_compiler, 1);
  EXPECT_THROW(static_cast<void>(auditing.compile(request)), model::Exception);
}

TEST(FarmPosts, AGpuThatIsNotThereIsSaid) {
  const auto code = [](const char* device) {
    try {
      static_cast<void>(session::posts_of_gpus(device, 1, {}));
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  };
  EXPECT_EQ(code("virtual"), model::ExitCode::usage) << "that is a worker without --device";
  EXPECT_EQ(code("cuda:97"), model::ExitCode::environment);
}

}  // namespace
}  // namespace evo::test
