#include "evaluators/gates/proxy_flow.hpp"

#include <tuple>

namespace evo::evaluators::gates {
namespace {

bool add(std::set<int>& into, const std::set<int>& from) {
  const std::size_t size = into.size();
  into.insert(from.begin(), from.end());
  return into.size() != size;
}

}  // namespace

ProxyFlow::ProxyFlow(const PtxModule& module)
    : flow_(module,
            [](const Statement& statement) { return proxy_step(statement).action != ProxyAction::none; }) {
  for (const FlowNode& node : flow_.nodes())
    steps_.push_back(node.statement != nullptr ? proxy_step(*node.statement) : ProxyStep{});
  solve();
}

void ProxyFlow::solve() {
  before_.resize(flow_.nodes().size());
  callers_.resize(flow_.functions().size());
  for (const FlowFunction& function : flow_.functions()) {
    State& first = before_[static_cast<std::size_t>(function.first)];
    for (int place = 0; place < places; ++place) first.at[static_cast<std::size_t>(place)] = {-1 - place};
    first.reached = true;
  }
  do {
    changed_ = false;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (!before_[i].reached) continue;
      const State state = after(static_cast<int>(i), before_[i]);
      if (!state.reached) continue;
      for (const int next : flow_.nodes()[i].next) {
        if (joins(before_[static_cast<std::size_t>(next)], state)) changed_ = true;
      }
    }
  } while (changed_);
}

bool ProxyFlow::joins(State& into, const State& from) {
  bool more = !into.reached;
  into.reached = true;
  for (std::size_t place = 0; place < places; ++place) more = add(into.at[place], from.at[place]) || more;
  return more;
}

ProxyFlow::State ProxyFlow::after(int node, const State& before) {
  const FlowNode& here = flow_.nodes()[static_cast<std::size_t>(node)];
  if (here.callee >= 0) return after_call(here.callee, here.function, before);
  const ProxyStep& step = steps_[static_cast<std::size_t>(node)];
  State state = before;
  const auto all_seen = [&] {
    Writes seen = state.at[own];
    add(seen, state.at[taken_over]);
    return seen;
  };
  switch (step.action) {
    case ProxyAction::write:
      state.at[own].insert(node);
      break;
    case ProxyAction::copy:
      state.at[under_way].insert(node);
      break;
    case ProxyAction::copy_wait:
      add(state.at[own], state.at[under_way]);
      break;
    case ProxyAction::copies_wait:
      add(state.at[own], state.at[under_way]);
      state.at[under_way].clear();
      break;
    case ProxyAction::copy_arrive:
      hand_over(node, resolved(state.at[under_way], here.function));
      break;
    case ProxyAction::fence:
      state.at[own].clear();
      state.at[taken_over].clear();
      break;
    case ProxyAction::arrive:
      hand_over(node, resolved(all_seen(), here.function));
      break;
    case ProxyAction::meet:
      hand_over(node, resolved(all_seen(), here.function));
      take_over(node, state.at[taken_over]);
      break;
    case ProxyAction::wait:
      take_over(node, state.at[taken_over]);
      break;
    case ProxyAction::read:
    case ProxyAction::none:
      break;
  }
  return state;
}

ProxyFlow::State ProxyFlow::after_call(int callee, int caller, const State& before) {
  const FlowFunction& function = flow_.functions()[static_cast<std::size_t>(callee)];
  auto& had = callers_[static_cast<std::size_t>(callee)];
  for (std::size_t place = 0; place < places; ++place)
    changed_ = add(had[place], resolved(before.at[place], caller)) || changed_;
  // What the function does to what this caller had, and not to what others have.
  const State& end = before_[static_cast<std::size_t>(function.last)];
  State state;
  state.reached = end.reached;
  for (std::size_t place = 0; place < places; ++place) {
    for (const int write : end.at[place]) {
      if (write < 0) {
        add(state.at[place], before.at[static_cast<std::size_t>(-1 - write)]);
      } else {
        state.at[place].insert(write);
      }
    }
  }
  return state;
}

ProxyFlow::Writes ProxyFlow::resolved(const Writes& writes, int function) const {
  Writes all;
  for (const int write : writes) {
    if (write < 0) {
      add(all, callers_[static_cast<std::size_t>(function)][static_cast<std::size_t>(-1 - write)]);
    } else {
      all.insert(write);
    }
  }
  return all;
}

void ProxyFlow::hand_over(int node, const Writes& writes) {
  if (add(handed_over_[node], writes)) changed_ = true;
  for (const int write : writes) through_.emplace(write, node);
}

void ProxyFlow::take_over(int node, Writes& into) {
  for (const auto& [arrival, writes] : handed_over_) {
    if (!writes.empty() && ends_wait(arrival, node)) add(into, writes);
  }
}

bool ProxyFlow::ends_wait(int arrival, int wait) {
  const auto [found, fresh] = ends_.try_emplace({arrival, wait}, false);
  if (!fresh) return found->second;
  const ProxyStep& a = steps_[static_cast<std::size_t>(arrival)];
  const ProxyStep& b = steps_[static_cast<std::size_t>(wait)];
  const bool same_barrier =
      a.kind == b.kind && (a.barrier.empty() || b.barrier.empty() || a.barrier == b.barrier);
  // Who arrives is past the wait: those who wait there are held up by earlier arrivals.
  const bool past = flow_.reaches(wait, arrival) && !flow_.reaches(arrival, wait);
  // Threads that meet at one statement and then at another have what they had; they hand over there only
  // what they still hold. (A statement that a thread meets others at is such a pair with itself.)
  const bool in_turn =
      a.action == ProxyAction::meet && b.action == ProxyAction::meet &&
      (arrival == wait || flow_.always_after(arrival, wait) || flow_.always_after(wait, arrival));
  return found->second = same_barrier && !past && !in_turn;
}

std::vector<UnfencedRead> ProxyFlow::unfenced_reads() const {
  std::map<std::tuple<int, int>, UnfencedRead> by_line;
  const auto add_reads = [&](std::size_t read, Place place) {
    const FlowNode& node = flow_.nodes()[read];
    for (const int write : resolved(before_[read].at[place], node.function)) {
      const Statement* written = flow_.nodes()[static_cast<std::size_t>(write)].statement;
      const auto through = through_.find(write);
      const Statement* by = place == own || through == through_.end()
                                ? nullptr
                                : flow_.nodes()[static_cast<std::size_t>(through->second)].statement;
      by_line.try_emplace({written->file, written->line}, UnfencedRead{written, by, node.statement});
    }
  };
  for (const Place place : {own, taken_over}) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].action == ProxyAction::read && before_[i].reached) add_reads(i, place);
    }
  }
  std::vector<UnfencedRead> found;
  for (const auto& [line, read] : by_line) found.push_back(read);
  return found;
}

}  // namespace evo::evaluators::gates
