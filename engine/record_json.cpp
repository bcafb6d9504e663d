#include "engine/record_json.hpp"

#include <boost/json.hpp>

#include "model/fields.hpp"

namespace evo::engine {
namespace {

namespace json = boost::json;

json::value to_value(const model::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return json::value(std::get<std::string>(value));
}

model::Value from_value(const json::value& value) {
  if (value.is_int64()) return value.as_int64();
  return std::string(value.as_string());
}

std::string text_of(const json::object& object, const char* key) {
  return std::string(object.at(key).as_string());
}

using Details = std::vector<std::pair<std::string, std::string>>;

/// The value's fields, one key each.
template <class T>
json::object object_of(const T& value) {
  json::object object;
  model::visit_fields(value, [&]<class Field>(const char* name, const Field& field) {
    if constexpr (std::is_same_v<Field, Details>) {
      json::array pairs;
      for (const auto& [key, text] : field) pairs.push_back(json::array{key, text});
      object[name] = std::move(pairs);
    } else {
      object[name] = field;
    }
  });
  return object;
}

template <class T>
T value_of(const json::object& object) {
  T value;
  model::visit_fields(value, [&]<class Field>(const char* name, Field& field) {
    if constexpr (std::is_same_v<Field, Details>) {
      for (const json::value& pair : object.at(name).as_array())
        field.emplace_back(pair.as_array().at(0).as_string(), pair.as_array().at(1).as_string());
    } else if constexpr (std::is_same_v<Field, std::string>) {
      field = text_of(object, name);
    } else {
      field = object.at(name).to_number<Field>();
    }
  });
  return value;
}

}  // namespace

std::string to_json(const model::Environment& values) {
  json::object object;
  for (const auto& [name, value] : values) object.emplace(name, to_value(value));
  return json::serialize(object);
}

std::string to_json(const model::Value& value) {
  return json::serialize(to_value(value));
}

std::string to_json(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return json::serialize(array);
}

std::string to_json(const std::vector<model::Evidence>& evidence) {
  json::array array;
  for (const model::Evidence& item : evidence) array.push_back(object_of(item));
  return json::serialize(array);
}

std::string to_json(const std::vector<model::OddSeries>& odd) {
  json::array array;
  for (const model::OddSeries& one : odd)
    array.push_back(json::object{
        {"workload", one.workload}, {"side", one.side}, {"words", json::parse(to_json(one.words))}});
  return json::serialize(array);
}

std::string to_json(const model::ResourceUsage& usage) {
  return json::serialize(object_of(usage));
}

std::string to_json(const std::map<std::string, int>& counts) {
  json::object object;
  for (const auto& [name, count] : counts) object.emplace(name, count);
  return json::serialize(object);
}

std::string to_json(const std::map<std::string, std::string>& details) {
  json::object object;
  for (const auto& [key, value] : details) object.emplace(key, value);
  return json::serialize(object);
}

model::Environment environment_from_json(const std::string& text) {
  model::Environment values;
  const json::value parsed = json::parse(text);
  for (const auto& [name, value] : parsed.as_object())
    values.insert_or_assign(std::string(name), from_value(value));
  return values;
}

model::Value value_from_json(const std::string& text) {
  return from_value(json::parse(text));
}

std::vector<std::string> texts_from_json(const std::string& text) {
  std::vector<std::string> texts;
  const json::value parsed = json::parse(text);
  for (const json::value& item : parsed.as_array()) texts.emplace_back(item.as_string());
  return texts;
}

std::vector<model::Evidence> evidence_from_json(const std::string& text) {
  std::vector<model::Evidence> evidence;
  const json::value parsed = json::parse(text);
  for (const json::value& item : parsed.as_array())
    evidence.push_back(value_of<model::Evidence>(item.as_object()));
  return evidence;
}

std::vector<model::OddSeries> odd_series_from_json(const std::string& text) {
  std::vector<model::OddSeries> odd;
  const json::value parsed = json::parse(text);
  for (const json::value& item : parsed.as_array()) {
    const json::object& object = item.as_object();
    model::OddSeries& one = odd.emplace_back();
    one.workload = text_of(object, "workload");
    one.side = text_of(object, "side");
    for (const json::value& word : object.at("words").as_array()) one.words.emplace_back(word.as_string());
  }
  return odd;
}

model::ResourceUsage resources_from_json(const std::string& text) {
  return value_of<model::ResourceUsage>(json::parse(text).as_object());
}

std::map<std::string, int> counts_from_json(const std::string& text) {
  std::map<std::string, int> counts;
  const json::value parsed = json::parse(text);
  for (const auto& [name, count] : parsed.as_object()) counts.emplace(name, count.to_number<int>());
  return counts;
}

std::map<std::string, std::string> details_from_json(const std::string& text) {
  std::map<std::string, std::string> details;
  const json::value parsed = json::parse(text);
  for (const auto& [key, value] : parsed.as_object()) details.emplace(key, value.as_string());
  return details;
}

}  // namespace evo::engine
