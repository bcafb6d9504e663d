#include "evaluators/gates/proxy_flow.hpp"

#include <algorithm>
#include <tuple>

namespace evo::evaluators::gates {
namespace {

/// True if `into` grows.
bool add(std::vector<bool>& into, const std::vector<bool>& from) {
  bool more = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i] || into[i]) continue;
    into[i] = true;
    more = true;
  }
  return more;
}

bool none(const std::vector<bool>& bits) {
  return std::find(bits.begin(), bits.end(), true) == bits.end();
}

}  // namespace

ProxyFlow::ProxyFlow(const PtxModule& module)
    : flow_(module,
            [](const Statement& statement) { return proxy_step(statement).action != ProxyAction::none; }) {
  for (const FlowNode& node : flow_.nodes())
    steps_.push_back(node.statement != nullptr ? proxy_step(*node.statement) : ProxyStep{});
  number_lines();
  solve();
}

void ProxyFlow::number_lines() {
  std::map<std::tuple<int, int, ProxyAction>, std::size_t> known;
  written_.resize(places, nullptr);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    bits_.push_back(0);
    if (steps_[i].action != ProxyAction::write && steps_[i].action != ProxyAction::copy) continue;
    const Statement* statement = flow_.nodes()[i].statement;
    const auto [found, fresh] =
        known.try_emplace({statement->file, statement->line, steps_[i].action}, written_.size());
    if (fresh) written_.push_back(statement);
    bits_[i] = found->second;
  }
}

void ProxyFlow::solve() {
  State nothing;
  for (Writes& writes : nothing.at) writes.resize(written_.size());
  before_.resize(flow_.nodes().size(), nothing);
  callers_.resize(flow_.functions().size(), nothing.at);
  for (const FlowFunction& function : flow_.functions()) {
    State& first = before_[static_cast<std::size_t>(function.first)];
    for (std::size_t place = 0; place < places; ++place) first.at[place][place] = true;
    first.reached = true;
  }
  do {
    changed_ = false;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (!before_[i].reached) continue;
      const State state = after(static_cast<int>(i), before_[i]);
      if (!state.reached) continue;
      for (const int next : flow_.nodes()[i].next) {
        State& into = before_[static_cast<std::size_t>(next)];
        changed_ = changed_ || !into.reached;
        into.reached = true;
        for (std::size_t place = 0; place < places; ++place)
          changed_ = add(into.at[place], state.at[place]) || changed_;
      }
    }
  } while (changed_);
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
      state.at[own][bits_[static_cast<std::size_t>(node)]] = true;
      break;
    case ProxyAction::copy:
      state.at[under_way][bits_[static_cast<std::size_t>(node)]] = true;
      break;
    case ProxyAction::copy_wait:
      add(state.at[own], state.at[under_way]);
      break;
    case ProxyAction::copies_wait:
      add(state.at[own], state.at[under_way]);
      state.at[under_way].assign(written_.size(), false);
      break;
    case ProxyAction::copy_arrive:
      hand_over(node, resolved(state.at[under_way], here.function));
      break;
    case ProxyAction::fence:
      state.at[own].assign(written_.size(), false);
      state.at[taken_over].assign(written_.size(), false);
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
  State state = end;
  for (std::size_t place = 0; place < places; ++place) {
    std::fill_n(state.at[place].begin(), static_cast<std::ptrdiff_t>(places), false);
    for (std::size_t from = 0; from < places; ++from) {
      if (end.at[place][from]) add(state.at[place], before.at[from]);
    }
  }
  return state;
}

ProxyFlow::Writes ProxyFlow::resolved(const Writes& writes, int function) const {
  Writes all = writes;
  for (std::size_t place = 0; place < places; ++place) {
    all[place] = false;
    if (writes[place]) add(all, callers_[static_cast<std::size_t>(function)][place]);
  }
  return all;
}

void ProxyFlow::hand_over(int node, const Writes& writes) {
  if (none(writes)) return;
  if (add(handed_over_.try_emplace(node, written_.size(), false).first->second, writes)) changed_ = true;
  for (std::size_t bit = 0; bit < writes.size(); ++bit) {
    if (writes[bit]) through_.emplace(bit, node);
  }
}

void ProxyFlow::take_over(int node, Writes& into) const {
  for (const auto& [arrival, writes] : handed_over_) {
    if (ends_wait(arrival, node)) add(into, writes);
  }
}

bool ProxyFlow::ends_wait(int arrival, int wait) const {
  const ProxyStep& a = steps_[static_cast<std::size_t>(arrival)];
  const ProxyStep& b = steps_[static_cast<std::size_t>(wait)];
  if (a.kind != b.kind) return false;
  if (!a.barrier.empty() && !b.barrier.empty() && a.barrier != b.barrier) return false;
  // Who arrives is past the wait: those who wait there are held up by earlier arrivals.
  if (flow_.reaches(wait, arrival) && !flow_.reaches(arrival, wait)) return false;
  // Threads that meet at one statement and then at another have there what they still hold. (A statement that
  // threads meet at is such a pair with itself.)
  const bool meetings = a.action == ProxyAction::meet && b.action == ProxyAction::meet;
  return !meetings ||
         (arrival != wait && !flow_.always_after(arrival, wait) && !flow_.always_after(wait, arrival));
}

std::vector<UnfencedRead> ProxyFlow::unfenced_reads() const {
  std::vector<UnfencedRead> found;
  std::vector<bool> known(written_.size(), false);
  const auto add_reads = [&](std::size_t read, Place place) {
    const FlowNode& node = flow_.nodes()[read];
    const Writes writes = resolved(before_[read].at[place], node.function);
    for (std::size_t bit = places; bit < writes.size(); ++bit) {
      if (!writes[bit] || known[bit]) continue;
      known[bit] = true;
      const int by = place == taken_over ? through_.at(bit) : -1;
      found.push_back({written_[bit],
                       by < 0 ? nullptr : flow_.nodes()[static_cast<std::size_t>(by)].statement,
                       node.statement});
    }
  };
  for (const Place place : {own, taken_over}) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].action == ProxyAction::read) add_reads(i, place);
    }
  }
  std::sort(found.begin(), found.end(), [](const UnfencedRead& a, const UnfencedRead& b) {
    return std::tie(a.write->file, a.write->line) < std::tie(b.write->file, b.write->line);
  });
  return found;
}

}  // namespace evo::evaluators::gates
