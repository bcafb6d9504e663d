#include "evaluators/devices/virtual/findings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/finding_text.hpp"

namespace evo::evaluators::virtual_device {
namespace {

/// What makes two findings the same to a reader.
std::tuple<FindingKind, std::string, std::string> reader_key(const Program& program, const Finding& f) {
  const auto line = [&](std::uint32_t instruction) {
    const auto [file, number] = source_of(program, instruction);
    return number != 0 ? fmt::format("{}:{}", file, number)
                       : fmt::format("ptx:{}", program.code.at(instruction).ptx_line);
  };
  std::string first = line(f.here.instruction);
  std::string second = f.other ? line(f.other->instruction) : std::string();
  const bool race = f.kind == FindingKind::race_shared || f.kind == FindingKind::race_global;
  if (race && second < first) std::swap(first, second);
  return {f.kind, std::move(first), std::move(second)};
}

}  // namespace

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::wrong_texture:
      return "wrong_texture";
    case FindingKind::wrong_tensor_map:
      return "wrong_tensor_map";
    case FindingKind::async_not_waited:
      return "async_not_waited";
    case FindingKind::wgmma_fence:
      return "wgmma_fence";
    case FindingKind::proxy_fence:
      return "proxy_fence";
    case FindingKind::race_shared:
      return "race_shared";
    case FindingKind::race_global:
      return "race_global";
    case FindingKind::input_written:
      return "input_written";
    case FindingKind::gap_written:
      return "gap_written";
    case FindingKind::nc_of_written:
      return "nc_of_written";
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    case FindingKind::misaligned:
      return "misaligned";
    case FindingKind::barrier_divergence:
      return "barrier_divergence";
    case FindingKind::shuffle_mask:
      return "shuffle_mask";
    case FindingKind::uninitialized:
      return "uninitialized";
    case FindingKind::assertion:
      return "assertion";
    case FindingKind::trap:
      return "trap";
    case FindingKind::hang:
      return "hang";
    case FindingKind::unsupported:
      return "unsupported";
  }
  return "unknown";
}

void FindingLog::add(const Finding& finding) {
  const std::uint32_t other = finding.other ? finding.other->instruction : 0;
  const Key key{finding.kind, finding.here.instruction, other};
  const auto [position, fresh] = index_.try_emplace(key, findings_.size());
  if (fresh) {
    if (findings_.size() < most_kept) {
      findings_.push_back(finding);
    } else {
      index_.erase(position);
    }
    return;
  }
  Finding& known = findings_[position->second];
  known.count += finding.count;
  known.equal &= finding.equal;
  if (!known.lane_stride) known.lane_stride = finding.lane_stride;
}

void FindingLog::clear() {
  findings_.clear();
  index_.clear();
}

model::Evidence to_evidence(const Launch& launch, const Finding& f) {
  const Program& program = *launch.program;
  model::Evidence evidence;
  evidence.kind = name_of(f.kind);
  evidence.message = finding_text(launch, f);
  // An uninitialised value is mended where it is read, not where it shows.
  const bool at_origin = f.kind == FindingKind::uninitialized && f.other;
  const Site& main = at_origin ? *f.other : f.here;
  std::tie(evidence.file, evidence.line) = source_of(program, main.instruction);
  auto& details = evidence.details;
  details.emplace_back("thread", place_text(launch, main));
  details.emplace_back("instruction", opcode_text(program, main.instruction));
  if (main.instruction < program.code.size()) {
    details.emplace_back("ptx_line", std::to_string(program.code[main.instruction].ptx_line));
  }
  if (f.other) {
    const Site& second = at_origin ? f.here : *f.other;
    const auto [file, line] = source_of(program, second.instruction);
    details.emplace_back("other_thread", place_text(launch, second));
    details.emplace_back("other_file", file);
    details.emplace_back("other_line", std::to_string(line));
    details.emplace_back("other_instruction", opcode_text(program, second.instruction));
    details.emplace_back("other_ptx_line", std::to_string(program.code[second.instruction].ptx_line));
  }
  if (!f.variable.empty()) details.emplace_back("register", f.variable);
  if (f.width != 0) {
    details.emplace_back("space", std::string(space_name(f.space)));
    details.emplace_back("address", address_text(launch, f));
    details.emplace_back("width", std::to_string(f.width));
  }
  if (f.lane_stride) details.emplace_back("lane_stride", std::to_string(*f.lane_stride));
  details.emplace_back("count", std::to_string(f.count));
  if (f.endless) details.emplace_back("endless", "yes");
  if (f.equal) details.emplace_back("equal_writes", "yes");
  return evidence;
}

std::vector<model::Evidence> to_evidence(const Launch& launch, std::vector<Finding> findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
  std::map<std::tuple<FindingKind, std::string, std::string>, std::size_t> index;
  std::vector<Finding> told;
  for (const Finding& finding : findings) {
    const auto [position, fresh] = index.try_emplace(reader_key(*launch.program, finding), told.size());
    if (fresh) {
      told.push_back(finding);
    } else {
      Finding& known = told[position->second];
      known.count += finding.count;
      known.equal &= finding.equal;
      if (!known.lane_stride) known.lane_stride = finding.lane_stride;
    }
  }
  const std::size_t more = told.size() - std::min(told.size(), most_told);
  told.resize(told.size() - more);
  std::vector<model::Evidence> evidence;
  evidence.reserve(told.size());
  for (const Finding& finding : told) evidence.push_back(to_evidence(launch, finding));
  if (more != 0) evidence.front().details.emplace_back("more_findings", std::to_string(more));
  return evidence;
}

model::Failure to_failure(const Launch& launch, const std::vector<Finding>& findings) {
  const auto first = std::min_element(findings.begin(), findings.end(),
                                      [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
  model::Failure failure;
  failure.reason = name_of(first->kind);
  switch (first->kind) {
    case FindingKind::hang:
      failure.status = model::Status::timeout;
      break;
    case FindingKind::trap:
    case FindingKind::assertion:
      failure.status = model::Status::device_fault;
      break;
    case FindingKind::unsupported:
      failure.status = model::Status::unsupported;
      failure.reason = "unsupported_instruction";
      break;
    default:
      failure.status = model::Status::sanitizer_fail;
      break;
  }
  failure.evidence = to_evidence(launch, findings);
  if (first->kind == FindingKind::unsupported) {
    failure.evidence.front().details.emplace_back("instruction",
                                                  opcode_text(*launch.program, first->here.instruction));
  }
  return failure;
}

}  // namespace evo::evaluators::virtual_device
