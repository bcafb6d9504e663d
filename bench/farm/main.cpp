// evo-farm-bench: the ends of a farm with a GPU's wait in place of a GPU: messages, queue and leases are
// real. bench/farm/measure starts it; see bench/README.md.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/process/memory.hpp"
#include "farm/nats/presence.hpp"
#include "farm/nats/queue.hpp"
#include "farm/runner.hpp"
#include "farm/worker.hpp"
#include "model/error.hpp"

namespace {

using namespace evo;
using Clock = std::chrono::steady_clock;
using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;

const farm::Build build{"bench", "bench", "virtual"};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

long open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

/// A job's wait: `mean` times 0.5 to 1.5, by its number alone, so that a result tells whose it is.
double wait_of(std::uint64_t number, double mean) {
  return mean * (0.5 + static_cast<double>(number * 2654435761U % 1000) / 999);
}

int worker(const std::string& url, int threads, double mean) {
  farm::nats::Access access = farm::nats::access_of(url, "", "");
  // A machine with much to do may take longer than a connection's own patience. A run waits for the whole
  // crew.
  access.wait = std::chrono::minutes(1);
  std::vector<std::unique_ptr<farm::nats::NatsQueue>> queues;
  for (int i = 0; i < threads; ++i)
    queues.push_back(farm::nats::NatsQueue::of_worker(access, {std::chrono::milliseconds(0), {}, {}}));
  const std::string name = fmt::format("bench-{}", ::getpid());
  const farm::nats::Presence presence(queues.front()->jetstream().connection(), farm::nats::Party::worker,
                                      name, [threads] {
                                        return boost::json::object{{"threads", threads}};
                                      });
  farm::CodeCache cache;
  std::vector<std::jthread> crew;
  for (auto& queue : queues) {
    crew.emplace_back([&queue, mean, &name, &cache] {
      farm::WorkerOptions options;
      options.name = name;
      options.build = build;
      options.code = &cache;
      const farm::Perform perform = [mean](const farm::JobMessage& message, const farm::FindCode& code) {
        DeviceJob job = evaluators::gates::device_job_from_json(message.body);
        farm::put_code_back(job, code);
        const double wait = wait_of(job.input_seed, mean);
        std::this_thread::sleep_for(std::chrono::duration<double>(wait));
        DeviceResult result;
        result.gates.push_back({model::Gate::correctness, std::nullopt, wait * 1000});
        result.device_seconds = static_cast<double>(job.input_seed);
        return evaluators::gates::to_json(result);
      };
      while (true) static_cast<void>(farm::serve_job(*queue, perform, options, std::chrono::seconds(1)));
    });
  }
  return 0;
}

DeviceJob job_of(const std::string& ptx) {
  DeviceJob job;
  job.oracle = "bench";
  job.artifact.ptx = ptx;
  job.artifact.entry = "kernel";
  return job;
}

/// Asks for `jobs` jobs, `in_flight` at a time, and prints what it took, also after every tenth of them.
int run(const std::string& url, std::uint64_t jobs, int in_flight, const std::string& ptx) {
  auto queue = farm::nats::NatsQueue::of_coordinator(farm::nats::access_of(url, "", ""),
                                                     {std::chrono::minutes(5), {}, {}});
  farm::CallsOptions of_calls;
  const std::string name = of_calls.run = fmt::format("bench-{}", ::getpid());
  const auto calls = std::make_shared<farm::Calls>(std::move(of_calls), *queue);
  farm::FarmRunnerOptions options;
  options.build = build;
  farm::FarmRunner runner(std::move(options), calls);
  const farm::nats::Presence presence(queue->jetstream().connection(), farm::nats::Party::run, name,
                                      [] { return boost::json::object{}; });
  // Until it knows of all workers.
  const auto patience = Clock::now() + std::chrono::seconds(90);
  while (calls->share_of(runner.line()) < static_cast<std::size_t>(in_flight)) {
    if (Clock::now() > patience)
      throw std::runtime_error(
          fmt::format("after 90 s its workers let {} jobs be under way, and {} were to be",
                      calls->share_of(runner.line()), in_flight));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::atomic<std::uint64_t> next{0}, answered{0}, wrong{0};
  const double cpu = cpu_seconds();
  const auto start = Clock::now();
  boost::json::array samples_of_broker;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < in_flight; ++i) {
      threads.emplace_back([&] {
        DeviceJob job = job_of(ptx);
        while ((job.input_seed = next++) < jobs) {
          // A candidate is sanitized, then judged: two jobs have the same code.
          job.artifact.ptx = fmt::format("{}\n// {}", ptx, job.input_seed / 2);
          if (runner.run(job).device_seconds != static_cast<double>(job.input_seed)) ++wrong;
          ++answered;
        }
      });
    }
    std::uint64_t looked = 0;
    while (answered < jobs) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (answered * 10 / jobs == looked) continue;
      looked = answered * 10 / jobs;
      samples_of_broker.push_back(
          boost::json::object{{"answered", answered.load()},
                              {"seconds", seconds_since(start)},
                              {"rss_mib", evaluators::process::resident_bytes(::getpid()) >> 20},
                              {"open_files", open_files()},
                              {"queued", queue->jobs_of(name, runner.line().name()).size()}});
    }
  }
  const double took = seconds_since(start);
  const farm::CallCounts counts = calls->counts();
  queue->leave(name);
  fmt::print("{}\n",
             boost::json::serialize(boost::json::object{{"jobs", jobs},
                                                        {"seconds", took},
                                                        {"coordinator_cores", (cpu_seconds() - cpu) / took},
                                                        {"wrong", wrong.load()},
                                                        {"answered", counts.answered},
                                                        {"refused", counts.refused()},
                                                        {"failed", counts.failed},
                                                        {"put_again", counts.put_again},
                                                        {"looks", std::move(samples_of_broker)}}));
  return wrong == 0 && counts.answered == jobs ? 0 : 1;
}

std::string text_of(const char* file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  try {
    if (role == "worker" && argc == 5) return worker(argv[2], std::stoi(argv[3]), std::stod(argv[4]));
    if (role == "run" && argc == 6)
      return run(argv[2], std::stoull(argv[3]), std::stoi(argv[4]), text_of(argv[5]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "evo-farm-bench: {}\n", error.what());
    return 4;
  }
  fmt::print(stderr,
             "usage: evo-farm-bench worker URL THREADS MEAN_SECONDS\n"
             "       evo-farm-bench run URL JOBS IN_FLIGHT PTX_FILE\n");
  return 2;
}
