#include "evaluators/devices/virtual/ptx/load_program.hpp"

#include <string>

#include "evaluators/devices/virtual/ptx/first_reads.hpp"
#include "evaluators/devices/virtual/ptx/lower.hpp"
#include "evaluators/devices/virtual/ptx/parser.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

tl::unexpected<model::Failure> refusal(std::string reason, std::string message) {
  model::Failure failure;
  failure.status = model::Status::unsupported;
  failure.reason = std::move(reason);
  model::Evidence evidence;
  evidence.kind = "ptx";
  evidence.message = std::move(message);
  failure.evidence.push_back(std::move(evidence));
  return tl::unexpected(std::move(failure));
}

/// With recursions as deep as there is room for. Throws TooLarge.
Program lowered(const Module& module, std::uint32_t entry) {
  for (const unsigned depth : recursion_depths) {
    Lowering lowering(module, entry, depth);
    try {
      Program program = lowering.run();
      if (!lowering.recurses() || depth == 0 || program.code.size() <= max_recursive_instructions)
        return program;
    } catch (const TooLarge&) {
      if (!lowering.recurses() || depth == 0) throw;
    }
  }
  throw TooLarge{};
}

}  // namespace

tl::expected<Program, model::Failure> load_program(std::string_view ptx, std::string_view entry) {
  try {
    const Module module = parse_module(ptx);
    const auto found = module.function_index.find(entry);
    if (found == module.function_index.end() || !module.functions[found->second].is_entry ||
        !module.functions[found->second].has_body) {
      return refusal("ptx_entry", "The PTX has no kernel named '" + std::string(entry) + "'.");
    }
    Program program = lowered(module, found->second);
    mark_first_reads(program);
    return program;
  } catch (const SyntaxError& error) {
    return refusal("ptx_parse", "PTX line " + std::to_string(error.line()) + ": " + error.what() + ".");
  } catch (const TooLarge&) {
    return refusal("ptx_size", "After its calls are inlined the kernel has more than " +
                                   std::to_string(max_instructions) +
                                   " PTX instructions, or a thread of it more than " +
                                   std::to_string(max_local_bytes) + " bytes of local memory.");
  }
}

}  // namespace evo::evaluators::virtual_device::ptx
