// Coordinator and workers of a farm over a queue in memory, for tests of both ends.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "farm/runner.hpp"
#include "farm/worker.hpp"
#include "model/error.hpp"

namespace evo::test {

using namespace std::chrono_literals;
using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;

/// Leases end when the test says so, not by a clock.
class MemoryQueue final : public farm::Queue {
 public:
  void put_job(const farm::JobName& name, const std::string& once, const std::string& bytes) override {
    const std::scoped_lock lock(mutex_);
    ++puts;
    if (!loses_jobs && seen_.insert(once).second) jobs_.push_back({name.run, name.id, name.line, bytes});
  }
  bool offer_job(const farm::JobName& name, const std::string& once, const std::string& bytes) override {
    ++offers;
    if (!full) put_job(name, once, bytes);
    return !full;
  }
  std::optional<farm::Delivery> take_job(std::chrono::milliseconds wait) override {
    for (auto waited = 0ms; waited <= wait; waited += 1ms) {
      {
        const std::scoped_lock lock(mutex_);
        if (!jobs_.empty()) {
          const Job job = jobs_.front();
          jobs_.pop_front();
          const std::string lease = std::to_string(++leases_);
          lent_[lease] = job;
          return farm::Delivery{job.bytes, lease, ++times_[job.id]};
        }
      }
      std::this_thread::sleep_for(1ms);
    }
    return std::nullopt;
  }
  void keep(const std::string&) override {
    const std::scoped_lock lock(mutex_);
    ++kept;
  }
  void give_back(const std::string& lease) override {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(lent_.at(lease));
    lent_.erase(lease);
  }
  farm::Crowd crowd(const std::string&) override {
    const std::scoped_lock lock(mutex_);
    return there;
  }
  void done(const std::string& lease) override {
    const std::scoped_lock lock(mutex_);
    lent_.erase(lease);
  }
  void put_code(const std::string& hash, const std::string& bytes) override {
    const std::scoped_lock lock(mutex_);
    ++code_puts;
    if (!loses_code) code_[hash] = lies_about_code ? "something else" : bytes;
  }
  std::optional<std::string> code(const std::string& hash) override {
    const std::scoped_lock lock(mutex_);
    ++code_reads;
    const auto found = code_.find(hash);
    return found == code_.end() ? std::nullopt : std::optional(found->second);
  }
  void forget_code() {
    const std::scoped_lock lock(mutex_);
    code_.clear();
  }
  void put_result(const std::string& run, const std::string& bytes) override {
    const std::scoped_lock lock(mutex_);
    results_[run].push_back(bytes);
  }
  /// As if it had not heard that they were taken.
  void lend_results_again(const std::string& run) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [bytes, times] : result_times_) results_[run].push_back(bytes);
  }
  std::optional<farm::Delivery> take_result(const std::string& run, std::chrono::milliseconds) override {
    {
      const std::scoped_lock lock(mutex_);
      if (std::deque<std::string>& results = results_[run]; !results.empty()) {
        std::string bytes = std::move(results.front());
        results.pop_front();
        return farm::Delivery{bytes, "result", ++result_times_[bytes], results.size()};
      }
    }
    std::this_thread::sleep_for(1ms);
    if (flood) return farm::Delivery{"{rubbish", "result", 1, 1};
    return std::nullopt;
  }
  std::set<std::string> jobs_of(const std::string& run, const std::string& line) override {
    const std::scoped_lock lock(mutex_);
    std::set<std::string> ids;
    const auto note = [&](const Job& job) {
      if (job.run == run && job.line == line) ids.insert(job.id);
    };
    for (const Job& job : jobs_) note(job);
    for (const auto& lent : lent_) note(lent.second);
    return ids;
  }
  void forget_job(const farm::JobName& name) override {
    const std::scoped_lock lock(mutex_);
    ++forgotten;
    std::erase_if(jobs_, [&](const Job& job) { return job.id == name.id; });
  }
  void clear(const std::string& run) override {
    const std::scoped_lock lock(mutex_);
    jobs_.clear();
    results_[run].clear();
  }
  [[nodiscard]] std::size_t left() const {
    const std::scoped_lock lock(mutex_);
    return jobs_.size() + lent_.size();
  }
  [[nodiscard]] std::size_t left_of(const std::string& run) const {
    const std::scoped_lock lock(mutex_);
    std::size_t count = 0;
    for (const Job& job : jobs_) count += farm::job_from(job.bytes).value().run == run ? 1 : 0;
    return count;
  }
  void set_there(farm::Crowd crowd) {
    const std::scoped_lock lock(mutex_);
    there = std::move(crowd);
  }
  void leave_all() { set_there({}); }
  farm::Crowd there{{{"virtual", 1000}}, 0};
  int kept = 0;
  std::atomic<int> forgotten{0};
  std::atomic<int> puts{0}, offers{0};
  std::atomic<bool> full{false};
  std::atomic<bool> loses_jobs{false};
  std::atomic<int> code_puts{0}, code_reads{0};
  std::atomic<bool> loses_code{false}, lies_about_code{false};
  std::atomic<bool> flood{false};  ///< results come without a pause, and none is known to be the last

 private:
  struct Job {
    std::string run, id, line, bytes;
  };
  mutable std::mutex mutex_;
  std::deque<Job> jobs_;
  std::map<std::string, std::deque<std::string>> results_;
  std::map<std::string, Job> lent_;
  std::map<std::string, int> times_, result_times_;
  std::set<std::string> seen_;
  std::map<std::string, std::string> code_;
  int leases_ = 0;
};

/// Answers with the job's seed as device seconds.
class SeedRunner final : public evaluators::gates::JobRunner {
 public:
  DeviceResult run(const DeviceJob& job) override {
    if (job.oracle == "broken") throw model::Exception(model::ExitCode::environment, "no such oracle");
    DeviceResult result;
    result.gates.push_back({model::Gate::correctness, std::nullopt, 0});
    result.device_seconds = static_cast<double>(job.input_seed);
    const std::scoped_lock lock(mutex);
    ran.push_back(job.artifact);
    return result;
  }
  evaluators::devices::DeviceInfo info() const override { return {"virtual", "PTX machine", "", "", ""}; }
  std::mutex mutex;
  std::vector<model::Artifact> ran;
};

inline std::string perform(evaluators::gates::JobRunner& runner, const farm::JobMessage& message,
                           const farm::FindCode& code) {
  DeviceJob job = evaluators::gates::device_job_from_json(message.body);
  farm::put_code_back(job, code);
  return evaluators::gates::to_json(runner.run(job));
}

/// What a run has of a farm, of one line.
struct Coordinator {
  Coordinator(farm::CallsOptions of_calls, farm::FarmRunnerOptions of_runner, farm::Queue& queue)
      : calls(std::make_shared<farm::Calls>(std::move(of_calls), queue)),
        runner(std::move(of_runner), calls) {}
  DeviceResult run(const DeviceJob& job) { return runner.run(job); }
  [[nodiscard]] farm::CallCounts counts() const { return calls->counts(); }
  std::shared_ptr<farm::Calls> calls;
  farm::FarmRunner runner;
};

inline const farm::Build build{"0.2.0", "nvrtc", "virtual"};

inline DeviceJob job_of(std::uint64_t seed) {
  DeviceJob job;
  job.oracle = "vector_add";
  job.input_seed = seed;
  return job;
}

class Farm : public testing::Test {
 protected:
  farm::ServedJob serve(const farm::Build& worker = build) {
    return farm::serve_job(
        queue_,
        [this](const farm::JobMessage& job, const farm::FindCode& code) {
          return perform(seeds_, job, code);
        },
        {.name = "w", .build = worker, .heartbeat = 1s, .code = &code_}, 1000ms);
  }
  void until(const std::function<bool()>& reached) {
    for (int i = 0; i < 5000 && !reached(); ++i) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(reached());
  }
  MemoryQueue queue_;
  SeedRunner seeds_;
  farm::CodeCache code_;
  farm::FarmRunnerOptions workers() { return {build, seeds_.info()}; }
  Coordinator runner_{{"run-1"}, workers(), queue_};
};

}  // namespace evo::test
