// A backend descriptor, and errors that say which one failed, and at what.
#pragma once

#include <utility>
#include <vector>

#include "packs/attention/cudnn/api.hpp"

namespace evo::packs::attention::cudnn {

template <class T>
struct TypeOf;
template <>
struct TypeOf<RawDescriptor> {
  // RawHandle and data pointers are void* as well: those are set by their attribute type.
  static constexpr Type value = Type::descriptor;
};
template <>
struct TypeOf<std::int64_t> {
  static constexpr Type value = Type::int64;
};
template <>
struct TypeOf<bool> {
  static constexpr Type value = Type::boolean;
};
template <>
struct TypeOf<DataType> {
  static constexpr Type value = Type::data_type;
};
template <>
struct TypeOf<Pointwise> {
  static constexpr Type value = Type::pointwise_mode;
};
template <>
struct TypeOf<Reduction> {
  static constexpr Type value = Type::reduction_operator;
};
template <>
struct TypeOf<Heuristics> {
  static constexpr Type value = Type::heuristics_mode;
};

/// Builds one descriptor: the first call that fails is remembered, later ones do nothing, so that a chain of
/// sets ends in one check. Move-only; destroys what it created.
class Descriptor {
 public:
  /// `name`: for errors, e.g. "softmax maximum".
  Descriptor(ApiPointer api, Kind kind, std::string name);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  Descriptor& set_raw(Attribute attribute, Type type, std::int64_t count, const void* values);
  template <class T>
  Descriptor& set(Attribute attribute, const T& value) {
    return set_raw(attribute, TypeOf<T>::value, 1, &value);
  }
  template <class T>
  Descriptor& set(Attribute attribute, const std::vector<T>& values) {
    return set_raw(attribute, TypeOf<T>::value, static_cast<std::int64_t>(values.size()), values.data());
  }
  Descriptor& set(Attribute attribute, const Descriptor& other) { return set(attribute, other.raw_); }
  Descriptor& finalize();

  /// The number of values there are, of which at most `count` were written.
  [[nodiscard]] Attempt<std::int64_t> get(Attribute attribute, Type type, std::int64_t count,
                                          void* values) const;

  [[nodiscard]] RawDescriptor raw() const { return raw_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Of the first call that failed, in one line; empty if all went well.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  void note(Status status, const std::string& action);

  ApiPointer api_;
  RawDescriptor raw_ = nullptr;
  std::string name_, error_;
};

}  // namespace evo::packs::attention::cudnn
