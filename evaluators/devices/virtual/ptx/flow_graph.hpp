// Basic blocks of a Program and the edges between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Blocks in code order, from Program::block_starts. Adjacency in two arrays (offsets, then ends) each way.
class FlowGraph {
 public:
  explicit FlowGraph(const Program& program);
  [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(starts_.size()) - 1; }
  [[nodiscard]] std::uint32_t start(std::uint32_t block) const { return starts_[block]; }
  /// One past the block's last instruction.
  [[nodiscard]] std::uint32_t end(std::uint32_t block) const { return starts_[block + 1]; }
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t block) const {
    return std::span(sources_).subspan(offsets_[block], offsets_[block + 1] - offsets_[block]);
  }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t block) const {
    return std::span(targets_).subspan(exits_[block], exits_[block + 1] - exits_[block]);
  }
  /// The block of an instruction.
  [[nodiscard]] std::uint32_t block_of(std::uint32_t instruction) const { return block_of_[instruction]; }

 private:
  std::vector<std::uint32_t> starts_, offsets_, sources_, exits_, targets_, block_of_;
};

}  // namespace evo::evaluators::virtual_device::ptx
