#include "evaluators/gates/proxy_steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace evo::evaluators::gates {
namespace {

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "bar.sync" is one of the instruction "bar".
bool is_instruction(std::string_view opcode, std::string_view name) {
  return opcode.starts_with(name) && (opcode.size() == name.size() || opcode[name.size()] == '.');
}

/// st, stmatrix, wmma.store, atom and red, where they may be to shared memory.
bool writes_shared(std::string_view opcode) {
  constexpr std::array writers{"st", "stmatrix", "wmma.store", "atom", "red"};
  if (std::none_of(writers.begin(), writers.end(),
                   [&](const char* name) { return is_instruction(opcode, name); }))
    return false;
  if (mentions(opcode, ".shared")) return !mentions(opcode, ".async");
  return !mentions(opcode, ".global") && !mentions(opcode, ".local") && !mentions(opcode, ".param") &&
         !mentions(opcode, ".async");
}

/// A bulk copy out of shared memory: of the two state spaces, where it goes is named first.
bool copies_from_shared(std::string_view opcode) {
  if (!opcode.starts_with("cp.async.bulk.") && !opcode.starts_with("cp.reduce.async.bulk.")) return false;
  const std::size_t shared = opcode.rfind(".shared::cta");
  if (shared == std::string_view::npos) return false;
  return std::min(opcode.find(".global"), opcode.find(".shared")) < shared;
}

bool orders_proxies(std::string_view opcode) {
  return opcode == "fence.proxy.async" || opcode.starts_with("fence.proxy.async.shared") ||
         opcode.starts_with("fence.proxy.async::generic.release");
}

std::string_view number_of(std::string_view operands) {
  const auto words = words_of(operands);
  if (words.empty() || std::isdigit(static_cast<unsigned char>(words.front().front())) == 0) return {};
  return words.front();
}

ProxyStep mbarrier_step(std::string_view opcode) {
  if (opcode.starts_with("mbarrier.arrive")) return {ProxyAction::arrive, BarrierKind::mbarrier};
  if (opcode.starts_with("mbarrier.try_wait") || opcode.starts_with("mbarrier.test_wait"))
    return {ProxyAction::wait, BarrierKind::mbarrier};
  return {};
}

ProxyStep barrier_step(std::string_view opcode, std::string_view operands) {
  if (mentions(opcode, ".warp.")) return {};
  const bool arrives = mentions(opcode, ".arrive");
  if (mentions(opcode, ".cluster"))
    return {arrives ? ProxyAction::arrive : ProxyAction::wait, BarrierKind::cluster};
  if (mentions(opcode, ".red")) return {ProxyAction::meet, BarrierKind::block};
  return {arrives ? ProxyAction::arrive : ProxyAction::meet, BarrierKind::block, number_of(operands)};
}

}  // namespace

ProxyStep proxy_step(const Statement& statement) {
  const auto [opcode, operands] = instruction_of(statement);
  if (opcode.starts_with("wgmma.mma_async") || copies_from_shared(opcode)) return {ProxyAction::read};
  if (is_instruction(opcode, "mbarrier")) return mbarrier_step(opcode);
  if (is_instruction(opcode, "bar") || is_instruction(opcode, "barrier"))
    return barrier_step(opcode, operands);
  if (opcode.starts_with("cp.async.mbarrier.arrive"))
    return {ProxyAction::copy_arrive, BarrierKind::mbarrier};
  if (opcode == "cp.async.wait_all" || (opcode == "cp.async.wait_group" && number_of(operands) == "0"))
    return {ProxyAction::copies_wait};
  if (opcode == "cp.async.wait_group") return {ProxyAction::copy_wait};
  if (opcode.starts_with("cp.async.ca.") || opcode.starts_with("cp.async.cg.")) return {ProxyAction::copy};
  if (writes_shared(opcode)) return {ProxyAction::write};
  // A fence under a predicate may not be executed.
  if (orders_proxies(opcode) && statement.text.front() != '@') return {ProxyAction::fence};
  return {};
}

}  // namespace evo::evaluators::gates
