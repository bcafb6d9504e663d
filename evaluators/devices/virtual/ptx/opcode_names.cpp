#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {

std::string_view name_of(Opcode op) {
  switch (op) {
    case Opcode::unsupported:
      return "unsupported";
    case Opcode::pack:
      return "pack";
    case Opcode::unpack:
      return "unpack";
    case Opcode::video:
      return "video";
    case Opcode::bar_red:
      return "bar.red";
    case Opcode::bar_warp:
      return "bar.warp";
    case Opcode::ldmatrix:
      return "ldmatrix";
    case Opcode::stmatrix:
      return "stmatrix";
    case Opcode::movmatrix:
      return "movmatrix";
    case Opcode::mma:
      return "mma";
    case Opcode::wmma_load:
      return "wmma.load";
    case Opcode::wmma_mma:
      return "wmma.mma";
    case Opcode::wmma_store:
      return "wmma.store";
    case Opcode::cp_async:
      return "cp.async";
    case Opcode::mbarrier:
      return "mbarrier";
    case Opcode::proxy_fence:
      return "fence.proxy";
    case Opcode::wgmma:
      return "wgmma.mma_async";
    case Opcode::wgmma_fence:
      return "wgmma.fence";
    case Opcode::wgmma_commit:
      return "wgmma.commit_group";
    case Opcode::wgmma_wait:
      return "wgmma.wait_group";
    case Opcode::set_max_registers:
      return "setmaxnreg";
    case Opcode::bulk_copy:
      return "cp.async.bulk";
    case Opcode::bulk_commit:
      return "cp.async.bulk.commit_group";
    case Opcode::bulk_wait:
      return "cp.async.bulk.wait_group";
    case Opcode::tex:
      return "tex";
    case Opcode::surface:
      return "surface";
    case Opcode::cp_async_commit:
      return "cp.async.commit_group";
    case Opcode::cp_async_wait:
      return "cp.async.wait";
    case Opcode::call_vprintf:
      return "call vprintf";
    case Opcode::call_assertfail:
      return "call __assertfail";
    default:
      break;
  }
  for (const Rule& rule : rules) {
    if (rule.op == op) return rule.root;
  }
  return "?";
}

}  // namespace evo::evaluators::virtual_device::ptx
