#include "engine/record_json.hpp"

#include <boost/json.hpp>

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

template <class Integer>
Integer integer_of(const json::object& object, const char* key) {
  return object.at(key).to_number<Integer>();
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
  for (const model::Evidence& item : evidence) {
    json::array details;
    for (const auto& [key, value] : item.details) details.push_back(json::array{key, value});
    array.push_back(json::object{{"kind", item.kind},
                                 {"message", item.message},
                                 {"file", item.file},
                                 {"line", item.line},
                                 {"details", details}});
  }
  return json::serialize(array);
}

std::string to_json(const model::ResourceUsage& usage) {
  return json::serialize(json::object{{"registers", usage.registers},
                                      {"spill_store_bytes", usage.spill_store_bytes},
                                      {"spill_load_bytes", usage.spill_load_bytes},
                                      {"stack_bytes", usage.stack_bytes},
                                      {"static_smem_bytes", usage.static_smem_bytes},
                                      {"constant_bytes", usage.constant_bytes},
                                      {"barriers", usage.barriers}});
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
  for (const json::value& item : parsed.as_array()) {
    const json::object& object = item.as_object();
    model::Evidence one{text_of(object, "kind"),
                        text_of(object, "message"),
                        text_of(object, "file"),
                        integer_of<int>(object, "line"),
                        {}};
    for (const json::value& detail : object.at("details").as_array()) {
      const json::array& pair = detail.as_array();
      one.details.emplace_back(pair.at(0).as_string(), pair.at(1).as_string());
    }
    evidence.push_back(std::move(one));
  }
  return evidence;
}

model::ResourceUsage resources_from_json(const std::string& text) {
  const json::value parsed = json::parse(text);
  const json::object& object = parsed.as_object();
  model::ResourceUsage usage;
  usage.registers = integer_of<int>(object, "registers");
  usage.spill_store_bytes = integer_of<int>(object, "spill_store_bytes");
  usage.spill_load_bytes = integer_of<int>(object, "spill_load_bytes");
  usage.stack_bytes = integer_of<int>(object, "stack_bytes");
  usage.static_smem_bytes = integer_of<std::int64_t>(object, "static_smem_bytes");
  usage.constant_bytes = integer_of<std::int64_t>(object, "constant_bytes");
  usage.barriers = integer_of<int>(object, "barriers");
  return usage;
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
