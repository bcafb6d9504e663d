#include "engine/pipeline.hpp"

#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace evo::engine {

// Guarded by mutex_ once it has been submitted, except `variant`, which is constant.
struct Pipeline::Entry {
  model::Variant variant;
  Work work = Work::all;
  bool begun = false;     // its evaluation
  bool in_order = false;  // it has been told from all before it
  bool given_up = false;  // it is a duplicate whose evaluation had begun
  bool done = false;
  Finished result;
};

Pipeline::Pipeline(evaluators::Evaluator& evaluator, int prepare_threads, int device_threads, bool ahead)
    : evaluator_(evaluator), ahead_(ahead), prepare_pool_(prepare_threads), device_pool_(device_threads) {}

Pipeline::~Pipeline() {
  prepare_pool_.drain();
  device_pool_.drain();
}

void Pipeline::know(const std::string& code_identity, std::int64_t index) {
  first_with_code_.try_emplace(code_identity, index);
}

void Pipeline::submit(std::int64_t index, model::Variant variant, Work work,
                      std::shared_ptr<const evaluators::Prepared> prepared) {
  if (!last_) next_ = resolve_ = index;
  if (last_ && *last_ + 1 != index) throw std::logic_error("pipeline: submissions must come in order");
  last_ = index;
  auto entry = std::make_shared<Entry>();
  entry->variant = std::move(variant);
  entry->work = work;
  entry->result.index = index;
  const bool known = prepared != nullptr;
  if (work != Work::none) entry->result.prepared = std::move(prepared);
  {
    const std::lock_guard lock(mutex_);
    entries_.emplace(index, std::move(entry));
  }
  if (work != Work::none && !known) post_prepare(index);
  resolve();
}

void Pipeline::post_prepare(std::int64_t index) {
  if (draining_) return;
  Entry* entry = entries_.at(index).get();
  prepare_pool_.submit(index, [this, entry] {
    std::shared_ptr<const evaluators::Prepared> prepared;
    std::exception_ptr failure;
    try {
      prepared = std::make_shared<const evaluators::Prepared>(evaluator_.prepare(entry->variant));
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    entry->result.prepared = std::move(prepared);
    if (failure && !failure_) failure_ = failure;
    changed_.notify_all();
  });
}

void Pipeline::post_evaluate(std::int64_t index) {
  if (draining_) return;
  const std::shared_ptr<Entry> entry = entries_.at(index);
  device_pool_.submit(index, [this, entry, prepared = entry->result.prepared] {
    std::optional<evaluators::Evaluation> evaluation;
    std::exception_ptr failure;
    try {
      evaluation = evaluator_.evaluate(*prepared);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    entry->result.evaluation = std::move(evaluation);
    if (entry->given_up) {
      give_up(*entry);
    } else if (entry->in_order && entry->result.evaluation) {
      entry->done = true;
      evaluated_.push_back(entry->result.index);
    }
    if (failure && !failure_) failure_ = failure;
    changed_.notify_all();
  });
}

void Pipeline::give_up(Entry& entry) {
  entry.given_up = true;
  if (entry.result.evaluation) wasted_ += entry.result.evaluation->device_seconds;
  entry.result.evaluation.reset();
}

void Pipeline::look_ahead(std::vector<std::int64_t>& to_evaluate) {
  std::set<std::string_view> begun;
  for (auto at = entries_.lower_bound(resolve_); at != entries_.end(); ++at) {
    Entry& entry = *at->second;
    if (entry.work != Work::all || !entry.result.prepared || entry.result.prepared->failed()) continue;
    const std::string& identity = entry.result.prepared->code_identity;
    // Not what is known to be a duplicate already, whoever the original will be.
    const bool fresh =
        identity.empty() || (!first_with_code_.contains(identity) && !begun.contains(identity));
    if (!entry.begun && fresh) {
      entry.begun = true;
      to_evaluate.push_back(at->first);
    }
    if (entry.begun && !identity.empty()) begun.insert(identity);
  }
}

void Pipeline::resolve() {
  std::vector<std::int64_t> to_evaluate;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = entries_.find(resolve_); at != entries_.end(); ++at) {
      Entry& entry = *at->second;
      const auto& prepared = entry.result.prepared;
      if (entry.work != Work::none && !prepared) break;
      entry.done = entry.in_order = true;
      if (entry.work != Work::none && !prepared->failed()) {
        const std::string& identity = prepared->code_identity;
        const auto known = identity.empty() ? first_with_code_.end() : first_with_code_.find(identity);
        if (known != first_with_code_.end()) {
          entry.result.same_code_as = known->second;
          if (entry.begun) give_up(entry);
        } else {
          if (!identity.empty()) first_with_code_.emplace(identity, at->first);
          if (entry.work == Work::all && entry.begun) {
            entry.done = entry.result.evaluation.has_value();
            if (entry.done) evaluated_.push_back(at->first);
          } else if (entry.work == Work::all) {
            entry.done = false;
            entry.begun = true;
            to_evaluate.push_back(at->first);
          }
        }
      }
      resolve_ = at->first + 1;
    }
    if (ahead_) look_ahead(to_evaluate);
  }
  for (const std::int64_t index : to_evaluate) post_evaluate(index);
}

std::optional<Finished> Pipeline::next(std::chrono::milliseconds timeout, bool or_news) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    resolve();
    std::unique_lock lock(mutex_);
    if (failure_) {
      lock.unlock();
      drain();
      std::rethrow_exception(failure_);
    }
    const auto at = entries_.find(next_);
    if (at != entries_.end() && at->second->done) {
      Finished result = std::move(at->second->result);
      entries_.erase(at);
      next_ = result.index + 1;
      return result;
    }
    if (or_news && !evaluated_.empty()) return std::nullopt;
    // resolve() looked before the lock was taken: look again if there is something for it by now.
    const auto unresolved = entries_.find(resolve_);
    if (unresolved != entries_.end() && unresolved->second->result.prepared) continue;
    if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) {
      const auto again = entries_.find(next_);
      const bool news = failure_ || (again != entries_.end() && again->second->done) ||
                        (unresolved != entries_.end() && unresolved->second->result.prepared);
      if (!news) return std::nullopt;
    }
  }
}

void Pipeline::wait(std::chrono::milliseconds timeout) {
  resolve();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout);
}

double Pipeline::wasted() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wasted_, 0.0);
}

std::vector<const Finished*> Pipeline::evaluated() {
  std::vector<const Finished*> found;
  const std::lock_guard lock(mutex_);
  for (const std::int64_t index : evaluated_) {
    if (const auto at = entries_.find(index); at != entries_.end()) found.push_back(&at->second->result);
  }
  evaluated_.clear();
  return found;
}

void Pipeline::drain() {
  draining_ = true;
  prepare_pool_.drain();
  device_pool_.drain();
  resolve();
  // What stands behind one that will not be compiled any more is not committed.
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.lower_bound(resolve_); at != entries_.end(); ++at) give_up(*at->second);
}

}  // namespace evo::engine
