#include "evaluators/devices/virtual/finding_text.hpp"

#include <array>

#include <fmt/format.h>

namespace evo::evaluators::virtual_device {
namespace {

std::array<std::uint32_t, 3> unravel(std::uint64_t linear, const std::array<std::uint32_t, 3>& extent) {
  const std::uint64_t plane = std::uint64_t{extent[0]} * extent[1];
  return {static_cast<std::uint32_t>(linear % extent[0]),
          static_cast<std::uint32_t>(linear % plane / extent[0]), static_cast<std::uint32_t>(linear / plane)};
}

std::string coordinates(std::uint64_t linear, const std::array<std::uint32_t, 3>& extent) {
  const auto c = unravel(linear, extent);
  return fmt::format("({},{},{})", c[0], c[1], c[2]);
}

std::string_view verb(AccessKind access) {
  switch (access) {
    case AccessKind::read:
      return "reads";
    case AccessKind::write:
      return "writes";
    case AccessKind::atomic:
      return "updates atomically";
    case AccessKind::copy:
      return "writes by asynchronous copy";
  }
  return "accesses";
}

std::string at(const Program& program, std::uint32_t instruction) {
  return fmt::format("{}, {}", line_text(program, instruction), opcode_text(program, instruction));
}

/// "thread (5,0,0)", with its block where the two differ.
std::string thread_text(const Launch& launch, const Site& site, bool with_block) {
  std::string text = fmt::format("thread {}", coordinates(site.thread, launch.block));
  if (with_block) text += fmt::format(" of block {}", coordinates(site.block, launch.grid));
  return text;
}

/// Is the access of the site a wgmma's?
bool is_wgmma(const Program& program, const Site& site) {
  return site.instruction < program.code.size() && program.code[site.instruction].op == Opcode::wgmma;
}

bool is_bulk(const Program& program, const Site& site) {
  return site.instruction < program.code.size() && program.code[site.instruction].op == Opcode::bulk_copy;
}

std::string race_message(const Launch& launch, const Finding& f) {
  const Program& program = *launch.program;
  const Site& other = *f.other;
  const bool blocks_differ = other.block != f.here.block;
  // A store to the source of a copy in flight.
  const bool reads_source = f.other_access == AccessKind::copy && f.space == Space::global;
  const bool same_warp = !blocks_differ && other.thread / 32 == f.here.thread / 32;
  std::string text = fmt::format(
      "Data race in {} memory: {} {} {} bytes at {} ({}), and {} {} there ({})", space_name(f.space),
      thread_text(launch, other, true), reads_source ? "reads by asynchronous copy" : verb(f.other_access),
      f.width, address_text(launch, f), at(program, other.instruction),
      thread_text(launch, f.here, blocks_differ), verb(f.access), at(program, f.here.instruction));
  if (is_wgmma(program, other)) {
    text +=
        "; a wgmma reads shared memory until its group was waited for (wgmma.wait_group), and a barrier that "
        "both threads pass has to stand between that wait and the access";
  } else if (is_bulk(program, other) || is_bulk(program, f.here)) {
    text +=
        "; a bulk copy lasts from its issue to a wait (of the reader for the phase of its mbarrier, of its "
        "thread for its bulk group), and nothing that both threads pass orders that and the other access";
  } else if (f.other_access == AccessKind::copy || f.access == AccessKind::copy) {
    text +=
        "; an asynchronous copy lasts from its issue to the wait of the thread that issued it, and a barrier "
        "that both threads pass has to stand between that and any other access";
  } else if (blocks_differ) {
    text += "; blocks of one launch run in any order, so that nothing orders the two accesses";
  } else if (same_warp) {
    text +=
        "; both are lanes of one warp, which need __syncwarp() or __syncthreads() between the two accesses "
        "(lanes do not run in lockstep, and shuffles and votes do not order memory)";
  } else {
    text += "; no barrier that both threads pass stands between the two accesses";
  }
  return text;
}

std::string async_message(const Launch& launch, const Finding& f) {
  if (!f.text.empty()) return f.text;
  const Program& program = *launch.program;
  if (is_wgmma(program, *f.other)) {
    return fmt::format(
        "Matrix not waited for: {} {} {} bytes at {} ({}) while the wgmma that reads them ({}) may be in "
        "flight; wgmma.wait_group has to come first",
        thread_text(launch, f.here, true), verb(f.access), f.width, address_text(launch, f),
        at(program, f.here.instruction), at(program, f.other->instruction));
  }
  const bool own = f.other->thread == f.here.thread;
  if (is_bulk(program, *f.other)) {
    const bool loads = program.code[f.other->instruction].bulk.mode == BulkMode::load;
    return fmt::format(
        "Bulk copy not waited for: {} {} {} bytes at {} ({}) while the copy that {} issued ({}) may still {} "
        "them; {}",
        thread_text(launch, f.here, true), verb(f.access), f.width, address_text(launch, f),
        at(program, f.here.instruction), own ? "it has" : thread_text(launch, *f.other, false),
        at(program, f.other->instruction), f.other_access == AccessKind::read ? "read" : "write",
        loads ? "it has to wait for the phase of the mbarrier that counts the copy's bytes, or come behind a "
                "barrier of those who have"
        : f.other_access == AccessKind::read
            ? "the thread that issued it has to wait for its group first (cp.async.bulk.wait_group.read), "
              "and a barrier has to follow the wait for others"
            : "the thread that issued it has to wait for its group first (cp.async.bulk.wait_group, without "
              ".read), and a barrier has to follow the wait for others");
  }
  return fmt::format(
      "Asynchronous copy not waited for: {} {} {} bytes at {} ({}) while the copy to them that {} issued "
      "({}) "
      "may be in flight; {} has to wait for it first (cp.async.wait_group, __pipeline_wait_prior){}",
      thread_text(launch, f.here, true), verb(f.access), f.width, address_text(launch, f),
      at(program, f.here.instruction), own ? "it has" : thread_text(launch, *f.other, false),
      at(program, f.other->instruction), own ? "it" : "that thread",
      own ? "" : ", and a barrier has to follow the wait");
}

std::string uninitialized_message(const Launch& launch, const Finding& f) {
  const Program& program = *launch.program;
  if (!f.variable.empty()) {
    return fmt::format(
        "Uninitialised variable: {} uses a variable that it has given no value (register {}, first read at "
        "{}); the "
        "value {} ({})",
        thread_text(launch, f.here, true), f.variable, at(program, f.other->instruction), f.text,
        at(program, f.here.instruction));
  }
  std::string text;
  if (f.other) {
    text = fmt::format("{} reads {} bytes at {} that nothing has written ({})",
                       thread_text(launch, *f.other, true), f.width, address_text(launch, f),
                       at(program, f.other->instruction));
  } else {
    text = fmt::format("{} uses a value that comes from memory that nothing has written",
                       thread_text(launch, f.here, true));
  }
  return fmt::format("Uninitialised read: {}; the value {} ({})", text, f.text,
                     at(program, f.here.instruction));
}

std::string texture_message(const Launch& launch, const Finding& f) {
  const char* const what = f.kind == FindingKind::wrong_texture      ? "Wrong texture"
                           : f.kind == FindingKind::wrong_tensor_map ? "Wrong tensor map"
                           : f.kind == FindingKind::misaligned       ? "Misaligned address"
                                                                     : "Out of bounds";
  return fmt::format("{}: {}: {} ({})", what, thread_text(launch, f.here, true), f.text,
                     at(*launch.program, f.here.instruction));
}

std::string access_message(const Launch& launch, const Finding& f) {
  const std::string what =
      fmt::format("{} {} {} bytes at {} ({})", thread_text(launch, f.here, true), verb(f.access), f.width,
                  address_text(launch, f), at(*launch.program, f.here.instruction));
  if (f.kind == FindingKind::out_of_bounds) return fmt::format("Out of bounds: {}", what);
  std::string text =
      fmt::format("Misaligned address: {}; the address must be a multiple of {} and is {} bytes past one",
                  what, f.width, f.address % f.width);
  if (f.lane_stride) text += fmt::format("; neighbouring lanes are {} bytes apart", *f.lane_stride);
  return text;
}

std::string trespass_message(const Launch& launch, const Finding& f) {
  const std::string what =
      fmt::format("{} {} {} bytes at {} ({})", thread_text(launch, f.here, true), verb(f.access), f.width,
                  address_text(launch, f), at(*launch.program, f.here.instruction));
  if (f.kind == FindingKind::input_written) {
    return fmt::format("Input written: {}; an input may not be written, not even with what stands there",
                       what);
  }
  return fmt::format(
      "Gap written: {}; some of these bytes lie between the elements of a strided output and belong to none, "
      "so that they may not be written, not even with what stands there",
      what);
}

std::string non_coherent_message(const Launch& launch, const Finding& f) {
  const Program& program = *launch.program;
  return fmt::format(
      "Read-only load of what the launch writes: {} reads {} bytes at {} through the non-coherent cache "
      "({}), "
      "and {} {} there ({}); ld.global.nc (__ldg, const __restrict__) needs memory that nothing writes while "
      "the kernel runs",
      thread_text(launch, f.here, true), f.width, address_text(launch, f), at(program, f.here.instruction),
      thread_text(launch, *f.other, f.other->block != f.here.block), verb(f.other_access),
      at(program, f.other->instruction));
}

}  // namespace

std::string_view space_name(Space space) {
  switch (space) {
    case Space::shared:
      return "shared";
    case Space::local:
      return "local";
    case Space::constant:
      return "constant";
    case Space::param:
      return "parameter";
    default:
      return "global";
  }
}

const std::string& opcode_text(const Program& program, std::uint32_t instruction) {
  static const std::string unknown = "instruction";
  if (instruction >= program.code.size()) return unknown;
  const std::uint32_t text = program.code[instruction].text;
  return text < program.texts.size() ? program.texts[text] : unknown;
}

std::string address_text(const Launch& launch, const Finding& finding) {
  std::uint64_t size = 0;
  switch (finding.space) {
    case Space::shared:
      size = launch.shared_bytes();
      break;
    case Space::local:
      size = launch.program->local_bytes;
      break;
    case Space::constant:
      size = launch.program->constant_image.size();
      break;
    case Space::param:
      size = launch.program->parameter_bytes;
      break;
    default:
      return launch.memory->describe(finding.address, finding.width);
  }
  std::string text = fmt::format("{} byte offset {}", space_name(finding.space), finding.address);
  if (finding.address + finding.width > size || finding.address > size) {
    text += fmt::format(" ({} memory has {} bytes)", space_name(finding.space), size);
  }
  return text;
}

std::pair<std::string, int> source_of(const Program& program, std::uint32_t instruction) {
  if (instruction >= program.code.size()) return {"", 0};
  const SourceLine& source = program.code[instruction].source;
  if (source.file == 0 || source.file >= program.files.size()) return {"", 0};
  return {program.files[source.file], static_cast<int>(source.line)};
}

std::string place_text(const Launch& launch, const Site& site) {
  return fmt::format("block {} thread {}", coordinates(site.block, launch.grid),
                     coordinates(site.thread, launch.block));
}

std::string line_text(const Program& program, std::uint32_t instruction) {
  const auto [file, line] = source_of(program, instruction);
  if (line != 0) return fmt::format("line {}", line);
  return instruction < program.code.size() ? fmt::format("PTX line {}", program.code[instruction].ptx_line)
                                           : std::string("end of the kernel");
}

std::string finding_text(const Launch& launch, const Finding& f) {
  std::string text;
  switch (f.kind) {
    case FindingKind::async_not_waited:
      text = async_message(launch, f);
      break;
    case FindingKind::race_shared:
    case FindingKind::race_global:
      text = race_message(launch, f);
      break;
    case FindingKind::input_written:
    case FindingKind::gap_written:
      text = trespass_message(launch, f);
      break;
    case FindingKind::nc_of_written:
      text = non_coherent_message(launch, f);
      break;
    case FindingKind::uninitialized:
      text = uninitialized_message(launch, f);
      break;
    case FindingKind::wrong_texture:
      text = texture_message(launch, f);
      break;
    case FindingKind::wrong_tensor_map:
      text = texture_message(launch, f);
      break;
    case FindingKind::out_of_bounds:
    case FindingKind::misaligned:
      text = f.text.empty() ? access_message(launch, f) : texture_message(launch, f);
      break;
    case FindingKind::trap:
      text = fmt::format("{} executes trap ({})", thread_text(launch, f.here, true),
                         at(*launch.program, f.here.instruction));
      break;
    case FindingKind::unsupported:
      text = fmt::format(
          "The PTX machine does not know the instruction `{}` (PTX line {}, {}), which {} reaches",
          opcode_text(*launch.program, f.here.instruction), launch.program->code[f.here.instruction].ptx_line,
          line_text(*launch.program, f.here.instruction), thread_text(launch, f.here, true));
      break;
    default:
      text = f.text;
      break;
  }
  if (f.count > 1) text += fmt::format("; seen {} times", f.count);
  return text + ".";
}

}  // namespace evo::evaluators::virtual_device
