// draft-07 JSON Schemas from the settings tables.
#include <utility>

#include <boost/json.hpp>

#include "config/keys.hpp"
#include "config/language_models.hpp"
#include "config/settings.hpp"
#include "mutators/source_weights.hpp"
#include "mutators/weights.hpp"

namespace evo::config {
namespace {

namespace json = boost::json;

json::array words(const std::vector<std::string>& list) {
  json::array result;
  for (const std::string& word : list) result.emplace_back(word);
  return result;
}

json::object property(const Key& entry) {
  json::object schema;
  schema["description"] = entry.description;
  if (entry.type == "value or list") {
    schema["type"] = json::array{"integer", "string", "array"};
  } else if (entry.type == "value") {
    schema["type"] = json::array{"integer", "string"};
  } else if (entry.type == "list") {
    schema["type"] = json::array{"array", "object"};
  } else if (entry.type != "name") {
    schema["type"] = entry.type;
  }
  const bool numeric = entry.type == "integer" || entry.type == "number";
  if (numeric && entry.maximum > entry.minimum) {
    schema["minimum"] = entry.minimum;
    schema["maximum"] = entry.maximum;
  }
  if (!entry.choices.empty()) schema["enum"] = words(choices_of(entry));
  if (!entry.unit.empty()) schema["unit"] = entry.unit;
  std::visit(
      [&]<class T>(const T& initial) {
        if constexpr (!std::is_same_v<T, std::monostate>) schema["default"] = initial;
      },
      entry.initial);
  return schema;
}

json::object section(std::span<const Key> keys) {
  json::object properties;
  json::array required;
  for (const Key& entry : keys) {
    properties[entry.name] = property(entry);
    if (entry.required) required.emplace_back(entry.name);
  }
  json::object schema;
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

/// A map whose keys are names and whose values follow `values`.
json::object map_of(json::object values) {
  return {{"type", "object"}, {"additionalProperties", std::move(values)}};
}

json::object list_of(json::object items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

/// Indented by two blanks, keys in table order: stable text that diffs well.
void print(const json::value& value, const std::string& indent, std::string& out) {
  const std::string inner = indent + "  ";
  if (const auto* object = value.if_object(); object && !object->empty()) {
    out += "{\n";
    bool first = true;
    for (const auto& [name, child] : *object) {
      out += (first ? "" : ",\n") + inner + json::serialize(name) + ": ";
      print(child, inner, out);
      first = false;
    }
    out += "\n" + indent + "}";
  } else if (const auto* array = value.if_array(); array && !array->empty() && array->front().is_object()) {
    out += "[\n";
    for (const json::value& child : *array) {
      out += (&child == &array->front() ? "" : ",\n") + inner;
      print(child, inner, out);
    }
    out += "\n" + indent + "]";
  } else if (value.is_double() &&
             value.get_double() == static_cast<double>(static_cast<std::int64_t>(value.get_double()))) {
    out += std::to_string(static_cast<std::int64_t>(value.get_double()));
  } else {
    out += json::serialize(value);
  }
}

/// One form; its numbers are numbers or expressions.
json::object fill_schema() {
  json::object schema = section(fill_keys());
  for (auto& [name, form] : schema["properties"].as_object()) {
    json::object& type = form.as_object();
    if (!type["type"].is_array()) continue;
    // An integer is one of the numbers here.
    const bool list = type["type"].as_array().size() > 2;
    type["type"] = list ? json::array{"number", "string", "array"} : json::array{"number", "string"};
  }
  schema["minProperties"] = 1;
  schema["maxProperties"] = 1;
  return schema;
}

std::string document(std::string_view title, const json::object& root) {
  json::object schema;
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = title;
  for (const auto& [name, value] : root) schema[name] = value;
  std::string text;
  print(schema, "", text);
  return text + "\n";
}

}  // namespace

std::string experiment_schema(const std::vector<std::string>& targets) {
  json::object root = section(experiment_keys());
  json::object& properties = root["properties"].as_object();
  properties["search"] = section(search_keys());
  json::object weights;
  for (const std::string& name : mutators::operator_names())
    weights[name] = json::object{{"type", "number"}, {"minimum", 0}};
  for (const std::string& name : mutators::source_weight_names())
    weights[name] = json::object{{"type", "number"}, {"minimum", 0}};
  json::object& mutators = properties["search"].as_object()["properties"].as_object()["mutators"].as_object();
  mutators["additionalProperties"] = false;
  json::object& screen = properties["search"].as_object()["properties"].as_object()["screen"].as_object();
  for (const auto& [name, value] : section(screen_keys())) screen[name] = value;
  weights[language_models] = language_model_schema();
  mutators["properties"] = std::move(weights);
  properties["budget"] = section(budget_keys());
  properties["gates"] = section(gate_keys());
  properties["baseline"] = section(baseline_keys());
  properties["starts"] = list_of(section(initial_design_keys()));
  properties["priors"] =
      list_of({{"anyOf", json::array{json::object{{"type", "string"}}, section(prior_keys())}}});
  // The shipped names are offered; another name or path, and a whole target, are as good.
  json::object& target = properties["target"].as_object();
  target.erase("type");
  target["anyOf"] = json::array{json::object{{"enum", words(targets)}}, json::object{{"type", "string"}},
                                section(target_keys())};
  json::object workload;
  workload["type"] = "object";
  workload["required"] = json::array{"name"};
  workload["properties"] = json::object{{"name", {{"type", "string"}}}, {"weight", {{"type", "number"}}}};
  workload["additionalProperties"] = json::object{{"type", "integer"}};
  properties["workloads"] = list_of(workload);
  return document("evo experiment", root);
}

std::string problem_schema(const model::KnownNames& known) {
  json::object root = section(problem_keys());
  json::object& properties = root["properties"].as_object();
  json::object& oracle = properties["oracle"].as_object();
  json::object own = section(oracle_keys());
  json::object& expression = own["properties"].as_object()["expression"].as_object();
  expression["type"] = json::array{"string", "array"};
  expression["items"] = json::object{{"type", "string"}};
  const json::array one{json::object{{"type", "string"}, {"enum", words(known.oracles)}}, own};
  oracle["oneOf"] = one;
  oracle["oneOf"].as_array().push_back(list_of({{"oneOf", one}}));
  properties["axes"] = map_of(section(axis_keys()));
  json::object argument = section(argument_keys());
  argument["properties"].as_object()["fill"].as_object()["oneOf"] =
      json::array{json::object{{"type", "string"}, {"enum", json::array{"normal"}}}, fill_schema()};
  for (const auto& [name, keys] :
       {std::pair("texture", texture_keys()), std::pair("surface", surface_keys())}) {
    for (const auto& [key, value] : section(keys))
      argument["properties"].as_object()[name].as_object()[key] = value;
  }
  // A struct has members in the place of a role and a type.
  argument["properties"].as_object()["struct"].as_object()["items"] = json::object{{"type", "object"}};
  argument["anyOf"] = json::array{json::object{{"required", argument["required"]}},
                                  json::object{{"required", json::array{"name", "struct"}}}};
  argument.erase("required");
  properties["args"] = list_of(std::move(argument));
  properties["tolerances"] = list_of(section(tolerance_keys()));
  properties["comparators"] = list_of(section(comparator_keys()));
  json::object set = section(input_set_keys());
  set["additionalProperties"] = json::object{{"type", "number"}};
  set["properties"].as_object()["fill"].as_object()["additionalProperties"] = fill_schema();
  std::vector<std::string> kinds;
  for (const model::KnownKind& kind : known.input_kinds) kinds.push_back(kind.name);
  set["properties"].as_object()["kind"].as_object()["enum"] = words(kinds);
  properties["input_sets"] = list_of(std::move(set));
  json::object stage = section(stage_keys());
  stage["properties"].as_object()["formula"].as_object()["enum"] = words(known.stage_formulas);
  properties["stages"] = list_of(std::move(stage));
  json::object kernel = section(template_keys());
  json::object& parts = kernel["properties"].as_object();
  parts["source"].as_object()["oneOf"] =
      json::array{json::object{{"type", "string"}}, section(source_keys())};
  parts["genes"] = map_of({{"anyOf", json::array{json::object{{"type", "array"}}, section(gene_keys())}}});
  parts["constraints"] =
      list_of({{"anyOf", json::array{json::object{{"type", "string"}}, section(constraint_keys())}}});
  parts["shapes"] = parts["constraints"];
  parts["starts"] = list_of(section(start_keys()));
  json::object launch = section(launch_keys());
  launch["properties"].as_object()["tensor_maps"] = list_of(section(tensor_map_keys()));
  json::object step = section(launch_step_keys());
  for (const auto& [name, value] : launch["properties"].as_object())
    step["properties"].as_object()[name] = value;
  // A launch, or a list of them with its count.
  json::array of_launch{"entry"};
  for (const auto& required : launch["required"].as_array()) of_launch.push_back(required);
  step["anyOf"] = json::array{json::object{{"required", std::move(of_launch)}},
                              json::object{{"required", json::array{"repeat", "launches"}}}};
  parts["launches"] = list_of(std::move(step));
  parts["launch"] = std::move(launch);
  properties["templates"] = map_of(std::move(kernel));
  return document("evo problem", root);
}

std::string target_schema() {
  return document("evo target", section(target_keys()));
}

}  // namespace evo::config
