#include "engine/trial_difference.hpp"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/record_json.hpp"

namespace evo::engine {
namespace {

class Comparison {
 public:
  Comparison(std::int64_t index, std::vector<Mismatch>& mismatches)
      : index_(index), mismatches_(mismatches) {}

  Comparison& field(const char* name, const std::string& expected, const std::string& got) {
    if (expected != got) mismatches_.push_back({index_, "trials", name, expected, got});
    return *this;
  }

 private:
  std::int64_t index_;
  std::vector<Mismatch>& mismatches_;
};

std::string text_of(const std::optional<double>& value) {
  return value ? number_text(*value) : "none";
}
std::string text_of(const std::optional<model::Gate>& gate) {
  return gate ? std::string(model::name_of(*gate)) : "none";
}
std::string text_of(const std::optional<model::ResourceUsage>& usage) {
  return usage ? to_json(*usage) : "none";
}

std::string text_of(const std::vector<GateRecord>& gates) {
  std::vector<std::string> texts;
  for (const GateRecord& gate : gates) {
    texts.push_back(fmt::format("{} {}", model::name_of(gate.gate), gate.pass ? "pass" : "fail"));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string text_of(const std::vector<model::WorkloadLatency>& latencies) {
  std::vector<std::string> texts;
  for (const model::WorkloadLatency& entry : latencies) {
    texts.push_back(fmt::format("{} (weight {}): {} us {}", entry.workload, entry.weight,
                                entry.latency.microseconds, model::name_of(entry.latency.kind)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string kinds_of(const std::vector<model::Evidence>& evidence) {
  std::set<std::string> kinds;
  for (const model::Evidence& item : evidence) kinds.insert(item.kind);
  return fmt::format("{}", fmt::join(kinds, ", "));
}

}  // namespace

std::string number_text(double value) {
  return fmt::format("{}", value);
}

void compare_proposal(const TrialRecord& expected, const TrialRecord& got,
                      std::vector<Mismatch>& mismatches) {
  Comparison(expected.index, mismatches)
      .field("generation", std::to_string(expected.generation), std::to_string(got.generation))
      .field("slot", std::to_string(expected.slot), std::to_string(got.slot))
      .field("template", expected.template_name, got.template_name)
      .field("genes", expected.genome.text(), got.genome.text())
      .field("variant", expected.variant, got.variant)
      .field("parents", to_json(expected.parents), to_json(got.parents))
      .field("operator", expected.operator_name, got.operator_name)
      .field("rationale", expected.rationale, got.rationale)
      .field("predicted_effect", text_of(expected.predicted_effect), text_of(got.predicted_effect))
      .field("source_hash", expected.source_hash, got.source_hash);
}

void compare_verdict(const TrialRecord& expected, const TrialRecord& got, bool measured,
                     std::vector<Mismatch>& mismatches) {
  Comparison comparison(expected.index, mismatches);
  comparison
      .field("status", std::string(model::name_of(expected.status)), std::string(model::name_of(got.status)))
      .field("gate", text_of(expected.gate), text_of(got.gate))
      .field("reason", expected.reason, got.reason)
      .field("gates", text_of(expected.gates), text_of(got.gates))
      .field("resources", text_of(expected.resources), text_of(got.resources))
      .field("code_identity", expected.code_identity, got.code_identity)
      .field("duplicate_of", expected.duplicate_of, got.duplicate_of);
  if (measured) {
    comparison.field("evidence", kinds_of(expected.evidence), kinds_of(got.evidence));
  } else {
    comparison.field("evidence", to_json(expected.evidence), to_json(got.evidence))
        .field("latency", text_of(expected.latencies), text_of(got.latencies));
  }
}

}  // namespace evo::engine
