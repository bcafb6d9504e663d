#include "evaluators/gates/async_checks.hpp"

#include <atomic>
#include <deque>

#include <tbb/task_group.h>

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t most_bytes_kept = std::int64_t{512} << 20;

#ifdef EVO_SANITIZE_THREAD
constexpr bool threads_allowed = false;  // the sanitizer cannot see into TBB's scheduler
#else
constexpr bool threads_allowed = true;
#endif

}  // namespace

struct AsyncChecks::State {
  bool beside = false;
  tbb::task_group group;
  std::deque<std::optional<model::Failure>> verdicts;  // a deque: places do not move
  std::atomic<bool> failed{false};
  std::int64_t bytes = 0;  // of checks_beside since the last wait
};

AsyncChecks::AsyncChecks(When when) : state_(std::make_unique<State>()) {
  state_->beside = when == When::beside && threads_allowed;
}

AsyncChecks::~AsyncChecks() {
  state_->group.wait();
}

void AsyncChecks::submit(AsyncCheck check, std::int64_t bytes) {
  std::optional<model::Failure>& verdict = state_->verdicts.emplace_back();
  const auto run = [state = state_.get(), &verdict, check = std::move(check)] {
    verdict = check();
    if (verdict) state->failed = true;
  };
  if (!state_->beside) {
    run();
    return;
  }
  state_->bytes += bytes;
  if (state_->bytes > most_bytes_kept) {
    state_->group.wait();
    state_->bytes = bytes;
  }
  state_->group.run(run);
}

bool AsyncChecks::failed() const {
  return state_->failed;
}

std::optional<model::Failure> AsyncChecks::finish() {
  state_->group.wait();
  for (std::optional<model::Failure>& verdict : state_->verdicts) {
    if (verdict) return std::move(verdict);
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::gates
