// The fields of the model's types in the JSON of device jobs and results. Private to device_job_json.cpp.
#pragma once

#include <string>
#include <utility>

#include "evaluators/gates/archive_names.hpp"
#include "evaluators/gates/recordings.hpp"
#include "model/fields.hpp"
#include "model/settings.hpp"

namespace evo::evaluators::gates::archive {

template <class Archive>
void describe(Archive& archive, model::ResourceUsage& value) {
  model::visit_fields(value, archive);
}

template <class Archive>
void describe(Archive& archive, model::FurtherKernel& value) {
  archive("entry", value.entry);
  archive("resources", value.resources);
}

template <class Archive>
void describe(Archive& archive, model::KeptVariable& value) {
  archive("name", value.name);
  archive("file", value.file);
  archive("line", value.line);
  archive("written", value.written);
}

template <class Archive>
void describe(Archive& archive, model::Artifact& value) {
  archive("entry", value.entry);
  archive("arch", value.arch);
  archive("ptx", Binary{value.ptx});
  archive("cubin", Binary{value.cubin});
  archive("resources", value.resources);
  archive("compiler_log", value.compiler_log);
  archive("source_file", value.source_file);
  archive("code_hash", value.code_hash);
  archive("compiler", value.compiler);
  archive("from_cache", value.from_cache);
  archive("compile_ms", value.compile_ms);
  archive("others", value.others);
  archive("kept", value.kept);
}

template <class Archive>
void describe(Archive& archive, model::OracleStatement& value) {
  archive("text", value.text);
  archive("file", value.file);
  archive("line", value.line);
  archive("column", value.column);
}

template <class Archive>
void describe(Archive& archive, model::RecordedWorkload& value) {
  archive("workload", value.workload);
  archive("files", value.files);
}

template <class Archive>
void describe(Archive& archive, model::OracleSource& value) {
  archive("kind", value.kind);
  archive("name", value.name);
  archive("statements", value.statements);
  archive("recordings", value.recordings);
  archive("command", value.command);
  archive("folder", value.folder);
  archive("timeout_s", value.timeout_s);
  archive("content", value.content);
}

template <class Archive>
void describe(Archive& archive, model::OracleParts& value) {
  archive("sources", value.sources);
  archive("kernel", value.kernel);
  archive("plain_kernel", value.plain_kernel);
  archive("power_kernel", value.power_kernel);
  archive("hash", value.hash);
}

template <class Archive>
void describe(Archive& archive, model::InputSet& value) {
  archive("name", value.name);
  archive("kind", value.kind);
  archive("parameters", value.parameters);
}

template <class Archive>
void describe(Archive& archive, model::ReferenceFactor& value) {
  archive("factor", value.factor);
  archive("absolute", value.absolute);
}

template <class Archive>
void describe(Archive& archive, model::Tolerance& value) {
  archive("accuracy_class", value.accuracy_class);
  archive("relative_frobenius", value.relative_frobenius);
  archive("max_abs_over_rms", value.max_abs_over_rms);
  archive("input_sets", value.input_sets);
  archive("reference_factor", value.reference_factor);
  archive("automatic", value.automatic);
  archive("backward_error", value.backward_error);
}

template <>
struct EnumNames<model::Reduction> : NamedInModel<model::Reduction, 5> {};
template <>
struct EnumNames<model::FillForm> {
  static std::string_view name_of(model::FillForm value) {
    return model::fill_form_names()[static_cast<std::size_t>(value)];
  }
  static std::optional<model::FillForm> from_name(std::string_view name) {
    const auto names = model::fill_form_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<model::FillForm>(found - names.begin());
  }
};

/// A recording goes by its name; see RecordingTable.
template <class Archive>
void describe(Archive& archive, model::BoundFill& value) {
  archive("form", value.form);
  archive("a", value.a);
  archive("b", value.b);
  archive("argument", value.argument);
  archive("recorded", value.recorded);
}

template <class Archive>
void describe(Archive& archive, Recorded& value) {
  archive("shape", value.shape);
  archive("values", Binary{value.values});
}

template <class Archive>
void describe(Archive& archive, model::ValueRange& value) {
  archive("least", value.least);
  archive("most", value.most);
  archive("multiple", value.multiple);
}

template <class Archive>
void describe(Archive& archive, model::TextureModel& value) {
  archive("surface", value.surface);
  archive("filter", value.filter);
  archive("address", value.address);
  archive("memory", value.memory);
  archive("normalized", value.normalized);
  archive("normalized_float", value.normalized_float);
  archive("layered", value.layered);
  archive("channels", value.channels);
}

template <class Archive>
void describe(Archive& archive, model::BoundArgument& value) {
  archive("name", value.name);
  archive("role", value.role);
  archive("dtype", value.dtype);
  archive("shape", value.shape);
  archive("strides", value.strides);
  archive("scalar_float", value.scalar_float);
  archive("scalar_integer", value.scalar_integer);
  archive("scalar_range", value.scalar_range);
  archive("zeroed", value.zeroed);
  archive("alignment", value.alignment);
  archive("keeps_unwritten", value.keeps_unwritten);
  archive("reproducible", value.reproducible);
  archive("fill", value.fill);
  archive("set_fills", value.set_fills);
  archive("texture", value.texture);
  archive("reduce", value.reduce);
  archive("slices", value.slices);
}

template <class Archive>
void describe(Archive& archive, model::TensorMapPlan& value) {
  archive("name", value.name);
  archive("argument", value.argument);
  archive("dtype", value.dtype);
  archive("sizes", value.sizes);
  archive("strides", value.strides);
  archive("box", value.box);
  archive("swizzle", value.swizzle);
  archive("encodable", value.encodable);
}

template <class Archive>
void describe(Archive& archive, model::SymbolPlan& value) {
  archive("argument", value.argument);
  archive("name", value.name);
}

template <class Archive>
void describe(Archive& archive, model::StructPlan& value) {
  archive("first", value.first);
  archive("bytes", value.bytes);
  archive("offsets", value.offsets);
}

template <class Archive>
void describe(Archive& archive, model::ScalarPlan& value) {
  archive("argument", value.argument);
  archive("value", value.value);
}

template <class Archive>
void describe(Archive& archive, model::LaunchPlan& value) {
  archive("grid", value.grid);
  archive("block", value.block);
  archive("dynamic_smem", value.dynamic_smem);
  archive("tensor_maps", value.tensor_maps);
  archive("kernel", value.kernel);
  archive("arguments", value.arguments);
  archive("symbols", value.symbols);
  archive("structs", value.structs);
  archive("scalars", value.scalars);
  archive("then", value.then);
}

template <class Archive>
void describe(Archive& archive, model::Case& value) {
  archive("name", value.name);
  archive("weight", value.weight);
  archive("axes", value.axes);
  archive("arguments", value.arguments);
  archive("launch", value.launch);
  archive("flops", value.flops);
  archive("bytes", value.bytes);
  archive("reference_launch", value.reference_launch);
  archive("reference_by_element", value.reference_by_element);
  archive("reference_guessed", value.reference_guessed);
  archive("undeclared_scalar", value.undeclared_scalar);
  archive("reference_budget", value.reference_budget);
  archive("computes_in", value.computes_in);
}

template <class Archive>
void describe(Archive& archive, model::GateSettings& value) {
  model::for_each_setting<model::GateSettings>(
      [&](const auto& setting) { archive(setting.name, value.*setting.member); });
}

template <class Archive>
void describe(Archive& archive, std::pair<std::string, std::string>& value) {
  archive("key", value.first);
  archive("value", value.second);
}

template <class Archive>
void describe(Archive& archive, model::Evidence& value) {
  model::visit_fields(value, archive);
}

template <class Archive>
void describe(Archive& archive, model::Failure& value) {
  archive("status", value.status);
  archive("reason", value.reason);
  archive("evidence", value.evidence);
}

template <class Archive>
void describe(Archive& archive, model::GateResult& value) {
  archive("gate", value.gate);
  archive("failure", value.failure);
  archive("milliseconds", value.milliseconds);
}

template <class Archive>
void describe(Archive& archive, model::Latency& value) {
  archive("kind", value.kind);
  archive("microseconds", value.microseconds);
  archive("ci95", value.ci95);
  archive("samples", value.samples);
  archive("method", value.method);
}

template <class Archive>
void describe(Archive& archive, model::WorkloadLatency& value) {
  archive("workload", value.workload);
  archive("weight", value.weight);
  archive("latency", value.latency);
}

}  // namespace evo::evaluators::gates::archive
