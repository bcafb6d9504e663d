// Operands of mbarrier instructions (PTX ISA, mbarrier.init to mbarrier.pending_count).
#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

bool Lowering::lower_mbarrier(Frame& frame, const AstInstruction& source, Instruction& out) {
  const std::uint32_t count = source.operand_count;
  const auto at = [&](std::uint32_t index) -> const AstOperand& { return operand(frame, source, index); };
  std::uint32_t next = 0;
  switch (out.mbarrier) {
    case MbarrierMode::arrive:
    case MbarrierMode::arrive_drop:
      if (count < 2 || !bind_destination(frame, at(next++), Type::b64, out.dst[0])) return false;
      out.dst_count = 1;
      break;
    case MbarrierMode::wait:
      if (count < 3 || !bind_destination(frame, at(next++), Type::pred, out.dst[0])) return false;
      out.dst_count = 1;
      break;
    case MbarrierMode::pending_count:
      if (count != 2 || !bind_destination(frame, at(0), Type::b32, out.dst[0])) return false;
      out.dst_count = out.src_count = 1;
      return bind_source(frame, at(1), Type::b64, out.src[0]);
    default:
      if (count == 0) return false;
      break;
  }
  if (!bind_address(frame, at(next++), out)) return false;
  const bool needs_count = out.mbarrier == MbarrierMode::init || out.mbarrier == MbarrierMode::expect_tx ||
                           out.mbarrier == MbarrierMode::complete_tx || out.mbarrier == MbarrierMode::wait ||
                           out.expects || out.no_complete;
  const bool takes_count =
      needs_count || out.mbarrier == MbarrierMode::arrive || out.mbarrier == MbarrierMode::arrive_drop;
  if (next == count) return !needs_count;
  if (!takes_count) return false;
  const bool state = out.mbarrier == MbarrierMode::wait && !out.parity;
  if (!bind_source(frame, at(next++), state ? Type::b64 : Type::u32, out.src[0])) return false;
  out.src_count = 1;
  if (next == count) return true;
  // How long try_wait may sleep says nothing about values: it only has to be a number.
  Operand hint;
  return source.opcode.starts_with("mbarrier.try_wait") && next + 1 == count &&
         bind_source(frame, at(next), Type::u32, hint);
}

}  // namespace evo::evaluators::virtual_device::ptx
