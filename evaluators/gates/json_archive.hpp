// One description of a type's fields serves for writing and for reading, so that the two cannot drift apart:
//   template <class Archive> void describe(Archive& archive, Type& value) { archive("name", value.name); ...
//   }
// Private to device_job_json.cpp, which keeps Boost.JSON out of everybody else's headers.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "evaluators/gates/base64.hpp"

namespace evo::evaluators::gates::archive {

namespace json = boost::json;

template <class T>
struct EnumNames;  ///< name_of(T) and from_name(string) for the enums that are written

struct Binary {
  std::string& bytes;
};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t n>
struct IsArray<std::array<T, n>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T, class Compare>
struct IsMap<std::map<std::string, T, Compare>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

class Writer {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    object_[name] = write(value);
  }
  void operator()(const char* name, const Binary& value) { object_[name] = encode_base64(value.bytes); }
  [[nodiscard]] json::object take() { return std::move(object_); }

  template <class T>
  [[nodiscard]] static json::value write(T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
      return json::value_from(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      // As text: Boost.JSON's parser may be off by a unit in the last place, and JSON has no infinity.
      std::array<char, 32> text{};
      const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
      return json::value(json::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
    } else if constexpr (std::is_integral_v<T>) {
      return value;
    } else if constexpr (std::is_enum_v<T>) {
      return json::value_from(std::string(EnumNames<T>::name_of(value)));
    } else if constexpr (IsVector<T>::value || IsArray<T>::value) {
      json::array array;
      for (auto& element : value) array.push_back(write(element));
      return array;
    } else if constexpr (IsMap<T>::value) {
      json::object object;
      for (auto& [key, element] : value) object[key] = write(element);
      return object;
    } else if constexpr (IsOptional<T>::value) {
      return value ? write(*value) : json::value(nullptr);
    } else {
      Writer nested;
      describe(nested, value);
      return nested.take();
    }
  }

 private:
  json::object object_;
};

class Reader {
 public:
  explicit Reader(const json::object& object) : object_(object) {}

  template <class T>
  void operator()(const char* name, T& value) {
    read(at(name), value);
  }
  void operator()(const char* name, const Binary& value) {
    value.bytes = decode_base64(std::string(at(name).as_string()));
  }

  template <class T>
  static void read(const json::value& from, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = from.as_bool();
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = std::string(from.as_string());
    } else if constexpr (std::is_floating_point_v<T>) {
      value = number(from);
    } else if constexpr (std::is_integral_v<T>) {
      value = from.to_number<T>();
    } else if constexpr (std::is_enum_v<T>) {
      const std::string name(from.as_string());
      const std::optional<T> known = EnumNames<T>::from_name(name);
      if (!known) throw std::runtime_error("unknown name: " + name);
      value = *known;
    } else if constexpr (IsVector<T>::value) {
      value.clear();
      for (const json::value& element : from.as_array()) read(element, value.emplace_back());
    } else if constexpr (IsArray<T>::value) {
      if (from.as_array().size() != value.size()) throw std::runtime_error("an array of the wrong length");
      for (std::size_t i = 0; i < value.size(); ++i) read(from.as_array()[i], value[i]);
    } else if constexpr (IsMap<T>::value) {
      value.clear();
      for (const auto& entry : from.as_object()) read(entry.value(), value[std::string(entry.key())]);
    } else if constexpr (IsOptional<T>::value) {
      value.reset();
      if (!from.is_null()) read(from, value.emplace());
    } else {
      Reader nested(from.as_object());
      describe(nested, value);
    }
  }

 private:
  [[nodiscard]] const json::value& at(const char* name) const {
    const json::value* found = object_.if_contains(name);
    if (found == nullptr) throw std::runtime_error(std::string("missing field ") + name);
    return *found;
  }
  [[nodiscard]] static double number(const json::value& from) {
    const std::string text(from.as_string());
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw std::runtime_error("not a number: " + text);
    return value;
  }

  const json::object& object_;
};

}  // namespace evo::evaluators::gates::archive
