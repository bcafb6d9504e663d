#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "diagnose/observations.hpp"

namespace evo::diagnose {
namespace {

using model::Evidence;
using model::Status;

std::string_view detail(const Evidence& evidence, std::string_view name) {
  for (const auto& [key, value] : evidence.details) {
    if (key == name) return value;
  }
  return {};
}

struct ThreadPlace {
  std::array<int, 3> block{}, thread{};
};

/// Reads "block (0,0,0) thread (5,0,0)".
std::optional<ThreadPlace> place_of(std::string_view text) {
  ThreadPlace place;
  const std::string copy(text);
  const int read =
      std::sscanf(copy.c_str(), "block (%d,%d,%d) thread (%d,%d,%d)", &place.block[0], &place.block[1],
                  &place.block[2], &place.thread[0], &place.thread[1], &place.thread[2]);
  if (read != 6) return std::nullopt;
  return place;
}

int warp_of(const ThreadPlace& place, const model::LaunchPlan& plan) {
  const int x = static_cast<int>(plan.block[0]), y = static_cast<int>(plan.block[1]);
  return (place.thread[0] + x * (place.thread[1] + y * place.thread[2])) / 32;
}

void add_race(const Evidence& evidence, const model::LaunchPlan& plan, Facts& facts) {
  const auto one = place_of(detail(evidence, "thread")), other = place_of(detail(evidence, "other_thread"));
  if (!one || !other) return;
  const std::string text =
      fmt::format("{} and {}", detail(evidence, "thread"), detail(evidence, "other_thread"));
  if (evidence.message.find("asynchronous copy") != std::string::npos) {
    facts.add("race.async_copy",
              "one of the two is an asynchronous copy, of which any thread may have made a part");
    return;
  }
  // Two stores to one element may be one owner too many; what others read has an owner, and no order.
  if (evidence.kind == "race_global" && evidence.message.find(" reads ") != std::string::npos)
    facts.add("race.read_and_write", "one of the two reads what the other writes");
  if (evidence.kind == "race_shared" && evidence.message.find(" reads ") == std::string::npos)
    facts.add("race.two_writes", "both write: " + text);
  if (one->block != other->block) {
    facts.add("race.across_blocks", text);
  } else if (warp_of(*one, plan) == warp_of(*other, plan)) {
    facts.add("race.within_warp", text);
  } else {
    facts.add("race.across_warps", text);
  }
}

bool names_word(std::string_view text, std::string_view word) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

void add_access(const Evidence& evidence, const model::Case& bound, Facts& facts) {
  const std::string_view space = detail(evidence, "space");
  const std::string address(detail(evidence, "address"));
  if (space == "shared" || space == "global" || space == "local")
    facts.add(fmt::format("space.{}", space), address);
  if (space == "shared" || space == "local") return;
  if (address.find("module data") != std::string::npos) facts.add("access.module_data", address);
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role == model::ArgumentRole::scalar || !names_word(address, argument.name)) continue;
    facts.add(argument.role == model::ArgumentRole::input    ? "access.input"
              : argument.role == model::ArgumentRole::output ? "access.output"
                                                             : "access.workspace",
              address);
  }
}

void add_finding(const Evidence& evidence, const model::Case& bound, Facts& facts) {
  facts.add("finding." + evidence.kind, evidence.message);
  if (evidence.kind == "race_shared" || evidence.kind == "race_global")
    add_race(evidence, bound.launch, facts);
  add_access(evidence, bound, facts);
  if (evidence.kind == "barrier_divergence" &&
      evidence.message.find("waits for other lanes") != std::string::npos)
    facts.add("divergence.shuffle", "some wait at a barrier, others for lanes that a shuffle names");
  if (evidence.kind != "misaligned") return;
  const int width = std::atoi(std::string(detail(evidence, "width")).c_str());
  const int stride = std::atoi(std::string(detail(evidence, "lane_stride")).c_str());
  if (width > 0 && stride % width != 0) {
    facts.add(
        "misaligned.lane_stride",
        fmt::format("neighbouring lanes are {} bytes apart, no multiple of the access's {}", stride, width));
  }
}

void add_wrong(const Subject& subject, const Observation& seen, Facts& facts) {
  for (const Evidence& evidence : seen.failure->evidence)
    facts.add("wrong." + seen.failure->reason, evidence.message);
  for (const auto& comparison : seen.comparisons) {
    if (!comparison || comparison->pass || comparison->reason != "mismatch") continue;
    const double error = comparison->relative_frobenius, peak = comparison->max_abs_over_rms;
    const std::string text = fmt::format(
        "relative Frobenius error {:.3g}, largest error {:.3g} of the rms; the class "
        "{} allows {:.3g} and {:.3g}",
        error, peak, subject.tolerance.accuracy_class, subject.tolerance.relative_frobenius,
        subject.tolerance.max_abs_over_rms);
    if (error <= 10 * close_error(subject) && peak <= 0.2) facts.add("error.small", text);
    if (error > 0.03) facts.add("error.large", text);
  }
}

}  // namespace

void add_failure_facts(const Subject& subject, const Observation& seen, Facts& facts) {
  if (subject.violation) facts.add("constraint.violated", *subject.violation);
  if (!seen.failure) return;
  const model::Failure& failure = *seen.failure;
  const std::string first = failure.evidence.empty() ? failure.reason : failure.evidence.front().message;
  switch (failure.status) {
    case Status::compile_error:
    case Status::compile_timeout:
    case Status::parse_error:
      facts.add("compile.failed", first);
      return;
    case Status::illegal:
    case Status::launch_error:
    case Status::over_budget:
      facts.add("launch.refused", first);
      return;
    case Status::unsupported:
      facts.add("finding.unsupported", first);
      return;
    case Status::wrong:
      add_wrong(subject, seen, facts);
      return;
    default:
      break;
  }
  for (const Evidence& evidence : failure.evidence) {
    if (!evidence.kind.empty()) add_finding(evidence, seen.bound, facts);
  }
  if (failure.status == Status::timeout) facts.add("finding.hang", first);
}

void add_race_facts(const model::Failure& failure, const model::Case& bound, Facts& facts) {
  for (const Evidence& evidence : failure.evidence) {
    if (facts.has("finding." + evidence.kind) && evidence.kind.starts_with("race_"))
      add_race(evidence, bound.launch, facts);
  }
}

void add_origin_facts(const Origin& origin, Facts& facts) {
  const auto lower_has = [](const std::string& text, std::initializer_list<std::string_view> words) {
    std::string lower;
    for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return lower.find(word) != std::string::npos; });
  };
  if (!origin.edits.empty()) {
    std::string text, lines;
    for (const Edit& edit : origin.edits) {
      text += (text.empty() ? "" : "; ") + edit.text();
      for (const auto* side : {&edit.removed, &edit.added}) {
        for (const std::string& line : *side) lines += line + "\n";
      }
    }
    facts.add("edit.responsible", "without this edit it is correct: " + text);
    const bool warp = lower_has(lines, {"syncwarp", "sync_warp"});
    if (warp) facts.add("edit.warp_barrier", text);
    if (!warp && lower_has(lines, {"sync", "barrier", "fence"})) facts.add("edit.barrier", text);
    if (lower_has(lines, {"wait", "commit"})) facts.add("edit.wait", text);
  }
  if (origin.known_source_fails)
    facts.add("edit.not_responsible", "the template's own source fails in the same way");
  if (!origin.genes.empty()) {
    std::string text;
    bool sync = false, half = false;
    for (const GeneChange& change : origin.genes) {
      text += fmt::format("{}{}={} (correct with {})", text.empty() ? "" : ", ", change.gene,
                          change.diagnosed, change.known);
      sync = sync || change.sync;
      half = half || lower_has(change.diagnosed, {"half", "f16", "fp16", "bf16"});
    }
    facts.add("genes.responsible", text);
    if (sync) facts.add("genes.sync_weakened", text);
    if (half) facts.add("genes.half_storage", text);
    if (origin.genes.size() == 1 && !sync && !half) facts.add("genes.single", text);
  }
  if (origin.known_genome_fails) facts.add("genes.not_responsible", "the known genome fails too");
}

}  // namespace evo::diagnose
