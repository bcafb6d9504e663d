#include "session/idle_checks.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "model/edits.hpp"
#include "model/error.hpp"
#include "session/evaluation_stack.hpp"
#include "session/insight_claims.hpp"
#include "session/insight_rules.hpp"

namespace evo::session {
namespace {

namespace idle_gates = evaluators::gates;

/// Thrown through the ladder where nobody wants the answer any more.
struct NotWanted {};

/// Counts a call of the campaign's evaluator.
class AtWork {
 public:
  explicit AtWork(std::atomic<int>& count) : count_(count) { ++count_; }
  ~AtWork() { --count_; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  std::atomic<int>& count_;
};

}  // namespace

evaluators::Prepared WatchedEvaluator::prepare(const model::Variant& variant) {
  const AtWork count(at_work_);
  return evaluator_.prepare(variant);
}

evaluators::Evaluation WatchedEvaluator::evaluate(const evaluators::Prepared& prepared) {
  const AtWork count(at_work_);
  return evaluator_.evaluate(prepared);
}

std::optional<evaluators::Paired> WatchedEvaluator::time_paired(const model::Variant& candidate,
                                                                const model::Variant& incumbent,
                                                                double error) {
  return evaluator_.time_paired(candidate, incumbent, error);
}

struct IdleChecks::Task {
  engine::TrialRecord champion;
  InsightCheck check;
  model::Variant flipped;
  bool proven = false;  ///< a trial of the run says that the flip is correct
};

/// Waits until the device has nothing else to do.
class IdleChecks::Runner final : public idle_gates::JobRunner {
 public:
  Runner(idle_gates::IdleRunner& idle, const idle_gates::JobRunner& all, const IdleChecks& checks)
      : idle_(idle), all_(all), checks_(checks) {}
  [[nodiscard]] idle_gates::DeviceResult run(const idle_gates::DeviceJob& job) override {
    while (!checks_.is_over(champion)) {
      if (auto result = idle_.run_if_idle(job)) return std::move(*result);
      std::this_thread::sleep_for(std::chrono::milliseconds(checks_.settings_.poll_ms));
    }
    throw NotWanted{};
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return all_.info(); }

  std::int64_t champion = -1;  ///< for whom jobs are run

 private:
  idle_gates::IdleRunner& idle_;
  const idle_gates::JobRunner& all_;
  const IdleChecks& checks_;
};

IdleChecks::IdleChecks(const model::Experiment& experiment, EvaluationStack& stack,
                       idle_gates::IdleRunner& runner, const WatchedEvaluator& campaign,
                       const engine::Ledger& ledger, engine::CampaignObserver* behind,
                       const Settings& settings)
    : experiment_([&] {
        model::Experiment own = experiment;
        // The inputs of the run, of which every worker has the reference's answers already.
        own.input_seed = stack.ladder().input_seed();
        own.gates.counters.clear();
        return own;
      }()),
      stack_(stack),
      campaign_(campaign),
      behind_(behind),
      settings_(settings),
      space_(engine::make_search_space(experiment)),
      runner_(std::make_unique<Runner>(runner, stack.runner(), *this)),
      ladder_(std::make_unique<idle_gates::Ladder>(experiment_, stack.compiler(), *runner_,
                                                   stack.virtual_device(), stack.known())),
      trials_(ledger.trials()),
      left_(settings.most) {
  const std::vector<engine::EventRecord> events = ledger.events();
  std::set<std::int64_t> champions;
  for (const engine::EventRecord& event : events)
    if (event.kind == insight_checked_event) champions.insert(event.trial);
  for (const std::int64_t champion : champions) {
    std::vector<InsightCheck> checks = find_checks(events, champion);
    left_ -= std::ranges::count_if(checks, [](const InsightCheck& check) { return check.idle; });
    made_[champion] = std::move(checks);
  }
  if (left_ > 0) thread_ = std::jthread([this] { work(); });
}

IdleChecks::~IdleChecks() {
  stop();
}

void IdleChecks::on_begin(const engine::CampaignProgress& progress) {
  note_champion(progress);
  if (behind_ != nullptr) behind_->on_begin(progress);
}

void IdleChecks::on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress& progress) {
  {
    const std::scoped_lock lock(mutex_);
    trials_.push_back(trial);
  }
  note_champion(progress);
  if (behind_ != nullptr) behind_->on_trial(trial, progress);
}

void IdleChecks::on_generation(const engine::GenerationRecord& generation,
                               const engine::CampaignProgress& progress) {
  if (behind_ != nullptr) behind_->on_generation(generation, progress);
}

void IdleChecks::on_event(const engine::EventRecord& event) {
  if (behind_ != nullptr) behind_->on_event(event);
}

void IdleChecks::note_champion(const engine::CampaignProgress& progress) {
  const std::scoped_lock lock(mutex_);
  champion_ = progress.champion;
  changed_.notify_all();
}

void IdleChecks::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::vector<engine::EventRecord> IdleChecks::ended() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(new_, {});
}

bool IdleChecks::is_over(std::int64_t champion) const {
  const std::scoped_lock lock(mutex_);
  return stopped_ || !champion_ || champion_->index != champion;
}

void IdleChecks::work() {
  // Of this thread alone: what it computes itself is nobody's reason to wait.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 19);
  try {
    make_checks();
  } catch (const std::exception&) {
    // Where the environment breaks, the campaign's own jobs find out, and say so.
  }
}

void IdleChecks::make_checks() {
  while (true) {
    auto task = next_task();
    if (!task) {
      std::unique_lock lock(mutex_);
      if (stopped_ || left_ <= 0) return;
      changed_.wait_for(lock, std::chrono::milliseconds(10 * settings_.poll_ms));
      continue;
    }
    try {
      make(*task);
      keep(*task);
    } catch (const NotWanted&) {
      continue;
    }
  }
}

std::optional<IdleChecks::Task> IdleChecks::next_task() {
  const std::scoped_lock lock(mutex_);
  if (stopped_ || left_ <= 0 || !champion_ || champion_->latencies.empty()) return std::nullopt;
  std::vector<InsightCheck> made = made_[champion_->index];
  const bool may_prove = campaign_.at_work() < settings_.threads;
  // Whatever is passed over has its turn later: what they decide does not depend on their order.
  std::vector<InsightCheck> passed = made;
  for (auto to = next_check(space_, *champion_, passed, std::numeric_limits<std::int64_t>::max()); to;
       to = next_check(space_, *champion_, passed, std::numeric_limits<std::int64_t>::max())) {
    Task task{*champion_, begin_check(space_, *champion_, *to, model::LatencyKind::measured), {}, false};
    auto flipped = flipped_variant(space_, *champion_, task.check);
    const auto known = known_check(trials_, *champion_, *to);
    if (flipped && !known) {
      task.flipped = std::move(*flipped);
      task.proven = std::ranges::any_of(trials_, [&](const engine::TrialRecord& trial) {
        return trial.correct() && trial.variant == task.flipped.id;
      });
      if (task.proven || may_prove) return task;
    }
    passed.push_back(known ? *known : task.check);
  }
  return std::nullopt;
}

bool IdleChecks::prove(const model::Variant& flipped, InsightCheck& check) {
  const idle_gates::GateReport report = idle_gates::prove(*ladder_, flipped);
  const model::Failure* failure = report.failure();
  if (failure != nullptr) check.refused = end_of(failure->status, failure->reason);
  return failure == nullptr;
}

void IdleChecks::make(Task& task) {
  const auto begun = std::chrono::steady_clock::now();
  task.check.idle = true;
  runner_->champion = task.champion.index;
  if (task.proven || prove(task.flipped, task.check)) {
    const CheckTimer timer{experiment_, stack_.compiler(), *runner_, stack_.virtual_device(), stack_.known()};
    const model::Variant champion =
        model::make_variant(space_.find(task.champion.template_name)->kernel_template,
                            space_.find(task.champion.template_name)->space, task.champion.genome);
    constexpr int pieces = check_jobs * check_rounds / idle_rounds;
    for (int piece = 0; piece < pieces; ++piece) {
      if (!timer.add_rounds(task.check, task.flipped, champion, *experiment_.input_seed, idle_rounds,
                            piece % 2 == 1))
        break;
    }
  }
  task.check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void IdleChecks::keep(const Task& task) {
  const std::scoped_lock lock(mutex_);
  --left_;
  made_[task.champion.index].push_back(task.check);
  new_.push_back(event_of(task.check, task.champion.index));
}

}  // namespace evo::session
