// The words of enumerations in the JSON of device jobs and results. Private to device_job_json.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/json_archive.hpp"

namespace evo::evaluators::gates::archive {

template <>
struct EnumNames<model::DType> {
  static std::string_view name_of(model::DType value) { return model::name_of(value); }
  static auto from_name(std::string_view name) { return model::dtype_from_name(name); }
};
template <>
struct EnumNames<model::Status> {
  static std::string_view name_of(model::Status value) { return model::name_of(value); }
  static auto from_name(std::string_view name) { return model::status_from_name(name); }
};
template <>
struct EnumNames<model::Gate> {
  static std::string_view name_of(model::Gate value) { return model::name_of(value); }
  static auto from_name(std::string_view name) { return model::gate_from_name(name); }
};
template <>
struct EnumNames<model::LatencyKind> {
  static std::string_view name_of(model::LatencyKind value) { return model::name_of(value); }
  static auto from_name(std::string_view name) { return model::latency_kind_from_name(name); }
};
template <>
struct EnumNames<model::ArgumentRole> {
  static constexpr std::array<std::string_view, 5> names{"input", "output", "scalar", "workspace", "inout"};
  static std::string_view name_of(model::ArgumentRole value) {
    return names.at(static_cast<std::size_t>(value));
  }
  static std::optional<model::ArgumentRole> from_name(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<model::ArgumentRole>(i);
    }
    return std::nullopt;
  }
};

/// Of an enumeration whose values are counted from 0 and have a name_of().
template <class Value, std::size_t count>
struct NamedInModel {
  static std::string_view name_of(Value value) { return model::name_of(value); }
  static std::optional<Value> from_name(std::string_view name) {
    for (std::size_t i = 0; i < count; ++i) {
      if (model::name_of(static_cast<Value>(i)) == name) return static_cast<Value>(i);
    }
    return std::nullopt;
  }
};
template <>
struct EnumNames<model::TextureFilter> : NamedInModel<model::TextureFilter, 2> {};
template <>
struct EnumNames<model::TextureAddress> : NamedInModel<model::TextureAddress, 4> {};
template <>
struct EnumNames<model::TextureMemory> : NamedInModel<model::TextureMemory, 2> {};

template <>
struct EnumNames<CaseUse> {
  static constexpr std::array names{
      std::string_view("workload"),  std::string_view("odd"),     std::string_view("drawn"),
      std::string_view("placed"),    std::string_view("changed"), std::string_view("swept"),
      std::string_view("stretched"), std::string_view("crossed"), std::string_view("rescaled"),
      std::string_view("unusual"),   std::string_view("named"),   std::string_view("alone"),
      std::string_view("ranged")};
  // A use without a name could not be sent to a worker.
  static_assert(names.size() == static_cast<std::size_t>(CaseUse::ranged) + 1);
  static std::string_view name_of(CaseUse value) { return names.at(static_cast<std::size_t>(value)); }
  static std::optional<CaseUse> from_name(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<CaseUse>(i);
    }
    return std::nullopt;
  }
};

template <>
struct EnumNames<model::OracleKind> {
  static std::string_view name_of(model::OracleKind value) { return model::name_of(value); }
  static auto from_name(std::string_view name) { return model::oracle_kind_from_name(name); }
};

}  // namespace evo::evaluators::gates::archive
