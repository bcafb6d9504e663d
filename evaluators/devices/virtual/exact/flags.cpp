// Flags: what a thread publishes with a release pattern, and learns by an acquire pattern (PTX ISA, "Memory
// Consistency Model").
//
// A release pattern on a place is an operation that releases there, or a fence and a strong write there
// behind it; an acquire pattern is an operation that acquires, or a strong read and a fence behind it. The
// first synchronises with the second if the read sees the write, or a read-modify-write that saw it, and so
// on ("Observation Order"), and if the two ends reach each other's thread ("Morally Strong Operations"). Two
// fence.sc also synchronise where only one order of them is possible ("Fence-SC order"), as with a fence in
// front of a barrier, and behind it one thread that sets the flag. Then all that comes before the first end
// comes before all that follows the other one, and so does what the releasing thread knew itself: a barrier
// in front of the fence makes it speak for its block.
#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Adds `now` to what was seen, of which `last` was the last.
void see(SharedKnowledge& seen, SharedKnowledge& last, const SharedKnowledge& now) {
  if (now == nullptr || (seen != nullptr && now == last)) return;
  seen = united(seen, now);
  last = now;
}

}  // namespace

Order Block::order_of(const Step& step, const Place& place) const {
  Order order;
  order.strength = step.strength;
  order.polls = step.polls;
  order.non_coherent = step.non_coherent;
  order.fixed_value = step.fixed_value || launch_.equal_writes;
  if (!step.is_volatile) return order;
  if (place.space == Space::global) order.strength = Strength::device;  // as .relaxed.sys (PTX ISA, ld)
  order.is_volatile = place.space == Space::shared;
  return order;
}

/// All that the thread knows now, and did.
SharedKnowledge Block::knowledge_of(const Thread& thread) {
  BlockKnowledge own;
  own.block = index_;
  own.epoch = clocks_.epoch();
  const std::span<const std::uint32_t> known = clocks_.known_by(thread.index);
  BlockKnowledge::Entries threads;
  // Also of the engines that bulk copies land by, behind the threads.
  for (std::uint32_t t = 0; t < known.size(); ++t) {
    if (known[t] != 0) threads.push_back({t, known[t]});
  }
  own.threads = std::make_shared<const BlockKnowledge::Entries>(std::move(threads));
  clocks_.advance(thread.index);
  return united(flags_[thread.index].meeting.of_others, knowledge_of_one(std::move(own)));
}

void Block::learn(const Thread& thread, const SharedKnowledge& knowledge) {
  FlagState& flags = flags_[thread.index];
  if (knowledge == nullptr || knowledge == flags.last_learnt) return;
  flags.last_learnt = knowledge;
  const BlockKnowledge* own = of_block(knowledge, index_);
  if (own != nullptr && own->epoch == clocks_.epoch() && own->threads != nullptr) {
    for (const auto& [other, clock] : *own->threads) clocks_.learn(thread.index, other, clock);
  }
  flags.meeting.of_others = united(flags.meeting.of_others, knowledge);
}

void Block::share_knowledge(std::span<const std::uint32_t> threads) {
  SumOfKnowledge all;
  for (const std::uint32_t t : threads) all.unite(flags_[t].meeting);
  for (const std::uint32_t t : threads) flags_[t].meeting = all.sum();
}

void Block::fence(const Thread& thread, const Step& step) {
  FlagState& flags = flags_[thread.index];
  const bool device = step.strength == Strength::device;
  if (step.acquire) {
    learn(thread, flags.seen_block);
    flags.seen_block = nullptr;
    if (device) learn(thread, flags.seen_device);
    if (device) flags.seen_device = nullptr;
  }
  if (step.sequential) {
    learn(thread, flags.meeting.seen_fences_block);
    if (device) learn(thread, flags.meeting.seen_fences_device);
  }
  if (!step.release) return;
  flags.fenced_block = knowledge_of(thread);
  if (device) flags.fenced_device = flags.fenced_block;
  if (!step.sequential) return;
  flags.meeting.fences_block = united(flags.meeting.fences_block, flags.fenced_block);
  if (device) flags.meeting.fences_device = united(flags.meeting.fences_device, flags.fenced_block);
}

template <class Visit>
void Block::for_each_flag(const Place& place, Visit visit) {
  const bool shared = place.space == Space::shared;
  if (!shared && place.space != Space::global) return;
  const std::uint32_t size = shared ? code_.shared_granule : code_.global_granule;
  const std::uint64_t origin = shared ? 0 : place.region->base / size * size;
  const std::uint64_t last = (place.address - origin + place.width - 1) / size;
  Messages& messages = shared ? shared_messages_ : order_->messages();
  for (std::uint64_t g = (place.address - origin) / size; g <= last; ++g) {
    visit(messages, shared ? g : LaunchOrder::key(place.region->index, g));
  }
}

void Block::read_flag(const Thread& thread, const Step& step, const Place& place, bool old) {
  const Order order = order_of(step, place);
  if (order.strength == Strength::weak && !order.is_volatile) return;
  const bool device = order.strength == Strength::device;
  FlagState& flags = flags_[thread.index];
  for_each_flag(place, [&](const Messages& messages, std::uint64_t key) {
    const Message* message = messages.find(key);
    if (message != nullptr && old) message = message->replaced.get();
    if (message == nullptr) return;
    MeetingKnowledge& meeting = flags.meeting;
    if (message->owner == index_)
      see(meeting.seen_fences_block, flags.last_fences_block, message->fences_block);
    if (device) see(meeting.seen_fences_device, flags.last_fences_device, message->fences_device);
    const SharedKnowledge from_block = message->owner == index_ ? message->block : nullptr;
    const SharedKnowledge from_device = device ? message->device : nullptr;
    if (step.acquire) {
      learn(thread, from_block);
      learn(thread, from_device);
    } else {
      see(flags.seen_block, flags.last_seen_block, from_block);
      see(flags.seen_device, flags.last_seen_device, from_device);
    }
  });
}

void Block::write_flag(const Thread& thread, const Step& step, const Place& place, bool updates, bool late) {
  const Order order = order_of(step, place);
  const bool strong = order.strength != Strength::weak || order.is_volatile;
  if (!strong) {
    for_each_flag(place, [](Messages& messages, std::uint64_t key) { messages.drop(key); });
    return;
  }
  const bool device = order.strength == Strength::device;
  const FlagState& flags = flags_[thread.index];
  SharedKnowledge own_block = flags.fenced_block;
  SharedKnowledge own_device = device ? flags.fenced_device : nullptr;
  if (step.release) {
    own_block = knowledge_of(thread);
    if (device) own_device = own_block;
  }
  for_each_flag(place, [&](Messages& messages, std::uint64_t key) {
    Message next;
    next.owner = index_;
    next.writer = thread.index;
    next.own_block = own_block;
    next.own_device = own_device;
    const Message* before = messages.find(key);
    if (before != nullptr && late) {
      auto replaced = std::make_shared<Message>(*before);
      replaced->replaced = nullptr;
      next.replaced = std::move(replaced);
    }
    if (before != nullptr && before->owner == index_ && before->writer == thread.index) {
      next.own_block = united(before->own_block, own_block);
      if (device) next.own_device = united(before->own_device, own_device);
    }
    next.block = next.own_block;
    next.device = next.own_device;
    next.fences_block = flags.meeting.fences_block;
    if (device) next.fences_device = flags.meeting.fences_device;
    if (before != nullptr && updates) {
      if (before->owner == index_) {
        next.block = united(next.block, before->block);
        next.fences_block = united(next.fences_block, before->fences_block);
      }
      if (device) {
        next.device = united(next.device, before->device);
        next.fences_device = united(next.fences_device, before->fences_device);
      }
    }
    messages.put(key, std::move(next));
  });
}

}  // namespace evo::evaluators::virtual_device::exact
