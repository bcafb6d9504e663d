#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "evaluators/gates/archive_model.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/json_archive.hpp"

namespace evo::evaluators::gates::archive {

template <class Archive>
void describe(Archive& archive, GateTime& value) {
  archive("gate", value.gate);
  archive("trials", value.trials);
  archive("wall", value.wall);
  archive("cpu", value.cpu);
  archive("device", value.device);
  archive("waiting", value.waiting);
  archive("passed", value.passed);
  archive("device_passed", value.device_passed);
}

template <class Archive>
void describe(Archive& archive, Opponent& value) {
  archive("artifact", value.artifact);
  archive("timed_cases", value.timed_cases);
  archive("error", value.error);
}

template <class Archive>
void describe(Archive& archive, SanitizeAsked& value) {
  archive("unreached", value.unreached);
}

template <class Archive>
void describe(Archive& archive, PairedSeries& value) {
  archive("workload", value.workload);
  archive("weight", value.weight);
  archive("candidate_us", value.candidate_us);
  archive("opponent_us", value.opponent_us);
}

template <class Archive>
void describe(Archive& archive, model::SampleSeries& value) {
  archive("workload", value.workload);
  archive("side", value.side);
  archive("us", value.us);
}

template <class Archive>
void describe(Archive& archive, model::HeldClocks& value) {
  archive("watched", value.watched);
  archive("discarded", value.discarded);
  archive("kept", value.kept);
  archive("reasons", value.reasons);
}

template <class Archive>
void describe(Archive& archive, DeviceJob& value) {
  archive("artifact", value.artifact);
  archive("oracle", value.oracle);
  archive("reference", value.reference);
  archive("input_sets", value.input_sets);
  archive("tolerance", value.tolerance);
  RecordingTable recordings = recordings_of(value);
  archive("recordings", recordings);
  archive("cases", value.cases);
  archive("full_cases", value.workload_count);
  archive("uses", value.uses);
  archive("declared_sets", value.declared_sets);
  archive("reduced_axes", value.reduced_axes);
  archive("tensor_core_sums", value.tensor_core_sums);
  archive("whole_launches", value.whole_launches);
  archive("equal_writes", value.equal_writes);
  archive("timed_cases", value.timed_cases);
  archive("fastest_us", value.fastest_us);
  archive("input_seed", value.input_seed);
  archive("perturbed_launches", value.perturbed_launches);
  archive("opponent", value.opponent);
  archive("sanitize", value.sanitize);
  archive("most_discarded", value.most_discarded);
  archive("pause_ms", value.pause_ms);
  archive("settings", value.settings);
  link_recordings(value, recordings);
}

template <class Archive>
void describe(Archive& archive, DeviceResult& value) {
  archive("gates", value.gates);
  archive("latencies", value.latencies);
  archive("paired", value.paired);
  archive("samples", value.samples);
  archive("clocks", value.clocks);
  archive("device_seconds", value.device_seconds);
  archive("times", value.times);
  archive("notes", value.notes);
  archive("blocks_share", value.blocks_share);
}

namespace {

template <class T>
std::string to_text(const T& value) {
  T copy = value;  // a description takes its type by reference, for both directions
  return json::serialize(Writer::write(copy));
}

template <class T>
T from_text(const std::string& text) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;  // a diagnostic may quote bytes of the source
  T value;
  try {
    Reader::read(json::parse(text, {}, options), value);
  } catch (const std::exception& error) {  // Boost.JSON throws logic errors too
    throw std::runtime_error(std::string("malformed device job or result: ") + error.what());
  }
  return value;
}

}  // namespace
}  // namespace evo::evaluators::gates::archive

namespace evo::evaluators::gates {

std::string to_json(const DeviceJob& job) {
  return archive::to_text(job);
}
DeviceJob device_job_from_json(const std::string& text) {
  return archive::from_text<DeviceJob>(text);
}
std::string to_json(const DeviceResult& result) {
  return archive::to_text(result);
}
DeviceResult device_result_from_json(const std::string& text) {
  return archive::from_text<DeviceResult>(text);
}

}  // namespace evo::evaluators::gates
