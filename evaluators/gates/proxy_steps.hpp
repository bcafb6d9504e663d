// What an instruction does to the order between ordinary ("generic") accesses to shared memory and those of
// the asynchronous proxy: the tensor cores' reads through descriptors, and the copy engine's. PTX ISA,
// "Proxies" and "Async proxy".
#pragma once

#include <cstdint>
#include <string_view>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {

enum class ProxyAction : std::uint8_t {
  none,
  write,        ///< to shared memory, through the generic proxy
  copy,         ///< cp.async: such a write, which lands later
  copy_wait,    ///< some of the thread's cp.async have landed; how many is not counted
  copies_wait,  ///< all of them have
  copy_arrive,  ///< arrives on an mbarrier once they have
  fence,        ///< fence.proxy.async
  arrive,       ///< hands over what the thread has seen
  wait,         ///< takes over what others hand over
  meet,         ///< both: a barrier of the block
  read,         ///< of shared memory, through the async proxy
};

enum class BarrierKind : std::uint8_t { none, mbarrier, block, cluster };

struct ProxyStep {
  ProxyAction action = ProxyAction::none;
  BarrierKind kind = BarrierKind::none;
  std::string_view barrier{};  ///< number of a block's barrier; empty: known at run time
};

/// A store without a state space counts as one to shared memory, since it may be one. Not writes of data:
/// what initialises, arrives on and takes down an mbarrier, and what the copy engine itself writes. st.async
/// and red.async are passed over: what they deliver is awaited by transaction bytes.
[[nodiscard]] ProxyStep proxy_step(const Statement& statement);

}  // namespace evo::evaluators::gates
