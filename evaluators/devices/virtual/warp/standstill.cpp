#include "evaluators/devices/virtual/warp/standstill.hpp"

#include <algorithm>
#include <cstring>

#include "evaluators/devices/virtual/warp/deciding_registers.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

std::uint64_t hash(std::uint64_t seed, const void* data, std::size_t bytes) {
  constexpr std::uint64_t prime = 0x9E3779B97F4A7C15ULL;
  const auto* at = static_cast<const std::byte*>(data);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    seed = (seed ^ word) * prime;
    seed ^= seed >> 29;
  }
  for (; bytes > 0; ++at, --bytes) seed = (seed ^ static_cast<std::uint64_t>(*at)) * prime;
  return seed ^ seed >> 32;
}

/// Of all memory that the blocks can see, global memory only if asked for.
std::uint64_t hash_of_memory(std::span<const BlockState* const> blocks, bool with_global) {
  std::uint64_t result = 1;
  for (const Region& region : blocks.front()->launch->memory->regions()) {
    if (with_global && region.bytes != 0 && !region.read_only)
      result = hash(result, region.data, region.bytes);
  }
  for (const BlockState* block : blocks) {
    const std::size_t local = std::size_t{block->code->program->local_bytes} * lanes;
    if (!block->warps.empty()) {
      result = hash(result, block->warps.front().shared, block->launch->shared_bytes());
    }
    for (const Warp& warp : block->warps) result = hash(result, warp.local, local);
  }
  return result;
}

bool stores_to_global(const Code& code, const std::vector<bool>& ran) {
  for (std::size_t b = 0; b < ran.size(); ++b) {
    if (!ran[b]) continue;
    const BasicBlock& block = code.blocks[b];
    for (const Instruction& i : std::span(code.program->code).subspan(block.instruction, block.length)) {
      const bool stores =
          i.op == Opcode::st || i.op == Opcode::atom || i.op == Opcode::red || i.op == Opcode::wmma_store;
      if (stores && (i.space == Space::global || i.space == Space::generic)) return true;
      if (i.op == Opcode::bulk_copy && (i.bulk.mode == BulkMode::store || i.bulk.mode == BulkMode::reduce))
        return true;
    }
  }
  return false;
}

bool same(const Fragment& a, const Fragment& b) {
  return a.op == b.op && a.mask == b.mask && a.state == b.state && a.detail == b.detail &&
         a.threads == b.threads;
}

}  // namespace

bool Standstill::same_places(const BlockMoment& then, const BlockState& now) {
  if (then.index != now.index || then.warps.size() != now.warps.size()) return false;
  for (std::size_t b = 0; b < then.barriers.size(); ++b) {
    if (then.barriers[b].arrived != now.barriers[b].arrived) return false;
    if (then.barriers[b].expected != now.barriers[b].expected) return false;
  }
  for (std::size_t w = 0; w < then.warps.size(); ++w) {
    const WarpMoment& before = then.warps[w];
    const Warp& warp = now.warps[w];
    if (before.live != warp.live || before.carry != warp.carry || before.picks != warp.picks ||
        before.burst != warp.burst || before.in_vain != warp.in_vain) {
      return false;
    }
    if (!std::ranges::equal(before.fragments, warp.fragments, same)) return false;
    if (before.spinning != warp.spinning) return false;
    if (warp.copies != nullptr && (before.committed != warp.copies->committed ||
                                   before.copies != warp.copies->copies.size() - warp.copies->first)) {
      return false;
    }
  }
  return true;
}

bool Standstill::same_registers(std::span<const BlockState* const> blocks) const {
  const Code& code = *blocks.front()->code;
  // What ran since then: blocks that were entered, and those that a turn had ended in.
  std::vector<bool> ran(code.blocks.size(), false);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::uint64_t* entries = blocks[b]->warps.front().entries;
    for (std::size_t i = 0; i < ran.size(); ++i) ran[i] = ran[i] || entries[i] != kept_[b].entries[i];
    for (const WarpMoment& warp : kept_[b].warps) {
      for (const Fragment& fragment : warp.fragments) ran[block_of(code, fragment.op->instruction)] = true;
    }
  }
  if (others_run_ && stores_to_global(code, ran)) return false;
  const std::optional<std::vector<std::uint32_t>> deciding = deciding_registers(code, ran);
  if (!deciding) return false;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t w = 0; w < blocks[b]->warps.size(); ++w) {
      const std::byte* now = blocks[b]->warps[w].registers;
      const std::byte* then = kept_[b].warps[w].registers.data();
      for (const std::uint32_t index : *deciding) {
        const RegisterPlace& place = code.registers[index];
        const std::size_t bytes = place.lane_class == 0 ? 4 : std::size_t{place.lane_class} * lanes;
        if (std::memcmp(now + place.offset, then + place.offset, bytes) != 0) return false;
      }
    }
  }
  return true;
}

void Standstill::keep(std::span<const BlockState* const> blocks) {
  kept_.resize(blocks.size());
  memory_.reset();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const BlockState& block = *blocks[b];
    BlockMoment& moment = kept_[b];
    moment.index = block.index;
    moment.barriers = block.barriers;
    moment.entries.assign(block.warps.front().entries,
                          block.warps.front().entries + block.code->blocks.size());
    moment.warps.resize(block.warps.size());
    for (std::size_t w = 0; w < block.warps.size(); ++w) {
      const Warp& warp = block.warps[w];
      WarpMoment& kept = moment.warps[w];
      kept.fragments = warp.fragments;
      kept.spinning = warp.spinning;
      kept.live = warp.live;
      kept.carry = warp.carry;
      kept.picks = warp.picks;
      kept.burst = warp.burst;
      kept.in_vain = warp.in_vain;
      kept.registers.assign(warp.registers, warp.registers + block.code->image.size());
      if (warp.copies == nullptr) continue;
      kept.committed = warp.copies->committed;
      kept.copies = warp.copies->copies.size() - warp.copies->first;
    }
  }
}

bool Standstill::repeats(std::span<const BlockState* const> blocks) {
  if (blocks.empty() || blocks.front()->warps.empty()) return false;
  ++calls_;
  bool again = kept_.size() == blocks.size();
  for (std::size_t b = 0; again && b < blocks.size(); ++b) again = same_places(kept_[b], *blocks[b]);
  again = again && same_registers(blocks);
  if (again) {
    // Memory is looked at only now: it may be large, and few loops come this far that go on.
    const std::uint64_t memory = hash_of_memory(blocks, !others_run_);
    if (memory_ && *memory_ == memory) return true;
    keep(blocks);
    memory_ = memory;
  } else if (calls_ >= next_) {
    next_ *= 2;
    keep(blocks);
  }
  return false;
}

}  // namespace evo::evaluators::virtual_device::warp
