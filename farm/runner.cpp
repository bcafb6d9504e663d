#include "farm/runner.hpp"

#include <any>
#include <atomic>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "farm/answer.hpp"
#include "farm/timing_audit.hpp"
#include "model/error.hpp"

namespace evo::farm {

using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;

bool is_audited(unsigned every) {
  return every != 0 && std::random_device()() % every == 0;
}

void throw_lie(const std::string& worker) {
  throw model::Exception(
      model::ExitCode::environment,
      fmt::format("the worker {} sent a result that this process does not find when it runs the same job: "
                  "one of the two is broken or lies. Its earlier results are in the ledger: do not resume "
                  "this run",
                  worker));
}

struct FarmRunner::State {
  FarmRunnerOptions options;
  std::shared_ptr<Calls> calls;
  Line line{}, comparisons{};
  std::atomic<std::uint64_t> local{0}, here{0}, audited{0}, set_aside{0};
  TimingAudit timings{};
  std::atomic<bool> stays{false};

  /// Nothing is timed in turn on the virtual device, whose workers have no such line.
  [[nodiscard]] const Line& line_for(const DeviceJob& job) const {
    return job.opponent && options.device.kind != "virtual" ? comparisons : line;
  }

  void audit(const DeviceJob& job, const std::string& worker, const DeviceResult& result) {
    if (!options.local || !is_audited(options.audit_every)) return;
    const bool measured = options.device.kind != "virtual";
    if (measured && job.opponent) return;  // timing alone
    const DeviceResult own = options.local->run(job);
    if (!same_verdict(result, own, measured)) throw_lie(worker);
    ++audited;
    if (!measured) return;
    if (const std::string why = timings.note(worker, times_as_long(result, own)); !why.empty())
      calls->say(why);
  }
};

FarmRunner::FarmRunner(FarmRunnerOptions options, std::shared_ptr<Calls> calls)
    : state_(new State{std::move(options), std::move(calls)}) {
  state_->line.build = state_->options.build;
  state_->line.target = state_->options.target;
  state_->line.read = read_device_result;
  state_->line.patient = state_->options.patient;
  state_->line.until_stop = state_->options.local != nullptr;
  state_->comparisons = state_->line;
  state_->comparisons.comparisons = true;
}

FarmRunner::~FarmRunner() = default;

void FarmRunner::stay_here() {
  state_->stays = state_->options.local != nullptr;
}

DeviceResult FarmRunner::run(const DeviceJob& job) {
  if (state_->stays) return state_->options.local->run(job);
  DeviceJob sent = job;
  const std::vector<Code> code = take_code_out(sent);
  const std::string body = evaluators::gates::to_json(sent);
  const bool has_local = state_->options.local != nullptr;
  Answer answer;
  const Line& line = state_->line_for(job);
  const bool travels = !has_local || state_->calls->fits(line, body);
  if (travels) answer = state_->calls->ask(line, body, code);
  // One worker's trouble is not the run's where nobody here can do the job.
  for (int again = 0; !has_local && !answer.result.has_value() && again < state_->options.asks_again;
       ++again) {
    state_->calls->say(answer.error + "; a worker is asked again");
    answer = state_->calls->ask(line, body, code);
  }
  if (answer.result.has_value()) {
    if (has_local && state_->timings.is_aside(answer.worker)) {
      ++state_->set_aside;
      return state_->options.local->run(job);
    }
    auto result = std::any_cast<DeviceResult>(std::move(answer.result));
    state_->audit(job, answer.worker, result);
    result.worker = answer.worker;
    result.worker_device = state_->line.build.device;
    result.priced = answer.priced;
    return result;
  }
  if (!has_local) throw model::Exception(model::ExitCode::environment, answer.error);
  // What a worker cannot do may be that worker's trouble; what this process cannot do either ends the run.
  if (!answer.error.empty()) state_->calls->say(answer.error + "; the job is run here");
  const bool no_room = travels && answer.error.empty() && !state_->options.patient;
  ++(no_room ? state_->here : state_->local);
  return state_->options.local->run(job);
}

evaluators::devices::DeviceInfo FarmRunner::info() const {
  return state_->options.device;
}

RunnerCounts FarmRunner::counts() const {
  return {state_->local, state_->here, state_->audited, state_->set_aside};
}

int FarmRunner::comparisons() const {
  if (state_->stays || state_->options.device.kind == "virtual") return 0;
  return static_cast<int>(state_->calls->share_of(state_->comparisons));
}

const Line& FarmRunner::line() const {
  return state_->line;
}

}  // namespace evo::farm
