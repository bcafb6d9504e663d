#include "config/language_models.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "config/keys.hpp"
#include "model/preset.hpp"

namespace evo::config {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using model::LanguageModel;

const std::vector<Key>& language_model_keys() {
  static const std::vector<Key> keys{
      {"model", "string", "Name of the model, as the endpoint knows it and reports call it", true},
      {"weight", "number", "As an operator's", false, 0, 1e6},
      {"mode", "string", "Where replies come from", false, 0, 0, "live|record|replay|mixed"},
      {"preset", "string", "What the prompt holds", false, 0, 0, model::preset_names},
      {"endpoint", "string", "OpenAI-compatible, e.g. http://127.0.0.1:8080/v1"},
      {"command", "array", "Program that gets the request on stdin and writes the reply"},
      {"cassette", "string", "File of recorded replies, JSON lines"},
      {"api_key_env", "string", "Name of the environment variable that holds the key"},
      {"params", "object", "Sampling keys, passed through as they are"},
      {"timeout_s", "number", "Of one attempt", false, 0.01, 3600},
      {"retries", "integer", "Attempts after the first, where it may help", false, 0, 10},
      {"repairs", "integer", "Turns in which a reply that is no variant may be mended", false, 0, 5},
      {"max_requests", "integer", "Budget; 0: no limit", false, 0, 1e9},
      {"max_tokens", "integer", "Budget, of requests and replies; 0: no limit", false, 0, 1e15},
      {"max_money", "number", "Budget; 0: no limit", false, 0, 1e9},
      {"input_price", "number", "Money for a million tokens of requests", false, 0, 1e9},
      {"output_price", "number", "Money for a million tokens of replies", false, 0, 1e9},
  };
  return keys;
}

/// YAML's plain words as JSON has them.
json::value json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    json::object object;
    for (const auto& entry : node) object[entry.first.as<std::string>()] = json_of(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    json::array array;
    for (const auto& item : node) array.push_back(json_of(item));
    return array;
  }
  if (node.IsNull()) return nullptr;
  const std::string text = node.Scalar();
  if (node.Tag() == "!") return json::value(text);  // quoted
  if (text == "true" || text == "false") return text == "true";
  boost::system::error_code failed;
  json::value number = json::parse(text, failed);
  return !failed && number.is_number() ? number : json::value(text);
}

void check_endpoint(const Reader& reader, const std::string& endpoint) {
  const bool secure = endpoint.starts_with("https://");
  if (!secure && !endpoint.starts_with("http://")) reader.fail("an endpoint begins with http:// or https://");
  std::string_view host = std::string_view(endpoint).substr(secure ? 8 : 7);
  host = host.substr(0, host.find('/'));
  if (host.find('@') != std::string_view::npos)
    reader.fail("no user and password in an endpoint: name a variable with api_key_env");
  if (!host.starts_with("[")) host = host.substr(0, host.find(':'));
  const bool loopback = host == "localhost" || host == "127.0.0.1" || host.starts_with("[::1]");
  if (host.empty()) reader.fail("the endpoint has no host");
  if (!secure && !loopback) reader.fail("http:// goes to this machine only (127.0.0.1): use https://");
}

void check_key_name(const Reader& reader, const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  // The text is not repeated: it may be the key itself.
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
      !std::ranges::all_of(name, fits))
    reader.fail("this is the name of an environment variable (letters, digits, _), never the key itself");
}

std::string choice_of(const Reader& reader, std::string_view name) {
  std::vector<std::string> words;
  std::istringstream in(std::string(key(language_model_keys(), name).choices));
  for (std::string word; std::getline(in, word, '|');) words.push_back(word);
  return reader.at(name).choice(words, name);
}

double number_of(const Reader& reader, std::string_view name, double otherwise) {
  const Key& entry = key(language_model_keys(), name);
  const auto found = reader.find(name);
  return found ? found->number(entry.minimum, entry.maximum) : otherwise;
}

std::int64_t integer_of(const Reader& reader, std::string_view name, std::int64_t otherwise) {
  const Key& entry = key(language_model_keys(), name);
  const auto found = reader.find(name);
  return found ? found->integer(static_cast<std::int64_t>(entry.minimum),
                                static_cast<std::int64_t>(entry.maximum))
               : otherwise;
}

/// A map, or, as in a resolved experiment, the JSON object as text.
std::string params_of(const Reader& reader) {
  boost::system::error_code failed;
  json::value params = reader.is_scalar() ? json::parse(reader.text(), failed) : json_of(reader.node());
  if (failed || !params.is_object()) reader.fail("params is a map, e.g. {temperature: 0.7}");
  for (const char* own : {"model", "messages", "stream"}) {
    if (params.as_object().contains(own)) reader.fail(fmt::format("evo sets {} itself", own));
  }
  return json::serialize(params);
}

/// Beside the experiment; absolute, so that a run can be continued from its folder.
std::string path_beside(const Reader& reader, const std::string& text) {
  const fs::path folder = fs::absolute(reader.file()).parent_path();
  return (folder / text).lexically_normal().string();
}

void check_mode(const Reader& reader, LanguageModel& model) {
  const bool asks = !model.endpoint.empty() || !model.command.empty();
  if (!model.endpoint.empty() && !model.command.empty())
    reader.at("command").fail("a model has an endpoint or a command, not both");
  if (!asks && model.cassette.empty()) reader.fail("a model needs an endpoint, a command or a cassette");
  const auto mode = reader.find("mode");
  if (!mode) {
    model.mode = model.cassette.empty() ? "live" : asks ? "record" : "replay";
    return;
  }
  model.mode = choice_of(reader, "mode");
  if (model.mode != "replay" && !asks)
    mode->fail(fmt::format("mode {} needs an endpoint or a command", model.mode));
  if (model.mode != "live" && model.cassette.empty())
    mode->fail(fmt::format("mode {} needs a cassette", model.mode));
}

LanguageModel read_language_model(const Reader& reader) {
  reader.expect_keys(key_names(language_model_keys()));
  LanguageModel model;
  model.name = reader.at("model").text();
  if (model.name.empty() || model.name.find_first_of(" \t\n#:") != std::string::npos)
    reader.at("model").fail("a model's name is not empty and has no white space, '#' or ':'");
  model.weight = number_of(reader, "weight", model.weight);
  model.preset = reader.find("preset") ? choice_of(reader, "preset") : std::string(model::default_preset);
  model.endpoint = reader.optional_text("endpoint");
  if (const auto endpoint = reader.find("endpoint")) check_endpoint(*endpoint, model.endpoint);
  if (const auto command = reader.find("command")) {
    for (const Reader& word : command->items()) {
      std::string text = word.text();
      model.command.push_back(text.starts_with("./") ? path_beside(reader, text) : text);
    }
    if (model.command.empty()) command->fail("a command needs at least a program");
  }
  if (const auto cassette = reader.find("cassette")) {
    model.cassette = path_beside(reader, cassette->text());
    if (fs::is_directory(model.cassette)) cassette->fail("the cassette is a folder, not a file");
  }
  model.api_key_env = reader.optional_text("api_key_env");
  if (const auto name = reader.find("api_key_env")) check_key_name(*name, model.api_key_env);
  if (const auto params = reader.find("params")) model.params = params_of(*params);
  model.timeout_s = number_of(reader, "timeout_s", model.timeout_s);
  model.retries = integer_of(reader, "retries", model.retries);
  model.repairs = integer_of(reader, "repairs", model.repairs);
  model.max_requests = integer_of(reader, "max_requests", 0);
  model.max_tokens = integer_of(reader, "max_tokens", 0);
  model.max_cost = number_of(reader, "max_money", 0);
  model.input_price = number_of(reader, "input_price", 0);
  model.output_price = number_of(reader, "output_price", 0);
  if (model.max_cost > 0 && model.input_price <= 0 && model.output_price <= 0)
    reader.at("max_money").fail("a cost budget needs input_price or output_price above 0");
  check_mode(reader, model);
  if (model.mode == "replay" && !fs::exists(model.cassette))
    reader.at("cassette").fail(fmt::format("there is no file '{}'", reader.at("cassette").text()));
  return model;
}

}  // namespace

std::vector<LanguageModel> read_language_models(const Reader& mutators) {
  std::vector<LanguageModel> models;
  const auto add = [&](const Reader& reader) {
    LanguageModel model = read_language_model(reader);
    const auto same = [&](const LanguageModel& other) { return other.name == model.name; };
    if (std::ranges::any_of(models, same))
      reader.at("model").fail(fmt::format("two models are named {}", model.name));
    if (model.weight > 0) models.push_back(std::move(model));
  };
  const auto add_all = [&](const Reader& reader) {
    if (!reader.is_sequence()) return add(reader);
    for (const Reader& item : reader.items()) add(item);
  };
  if (mutators.is_map()) {
    if (const auto found = mutators.find(language_models)) add_all(*found);
  } else {
    for (const Reader& item : mutators.items()) {
      if (item.is_map()) add_all(item.at(language_models));
    }
  }
  return models;
}

void write_language_models(YAML::Emitter& out, const std::vector<LanguageModel>& models) {
  if (models.empty()) return;
  YAML::Node list(YAML::NodeType::Sequence);
  for (const LanguageModel& model : models) {
    YAML::Node node;
    const auto text = [&](const char* name, const std::string& value) {
      if (!value.empty()) node[name] = value;
    };
    const auto number = [&](const char* name, double value) { node[name] = fmt::format("{}", value); };
    text("model", model.name);
    number("weight", model.weight);
    text("mode", model.mode);
    text("preset", model.preset);
    text("endpoint", model.endpoint);
    for (const std::string& word : model.command) node["command"].push_back(word);
    text("cassette", model.cassette);
    text("api_key_env", model.api_key_env);
    text("params", model.params);
    number("timeout_s", model.timeout_s);
    node["retries"] = model.retries;
    node["repairs"] = model.repairs;
    node["max_requests"] = model.max_requests;
    node["max_tokens"] = model.max_tokens;
    number("max_money", model.max_cost);
    number("input_price", model.input_price);
    number("output_price", model.output_price);
    list.push_back(node);
  }
  out << YAML::Key << std::string(language_models) << YAML::Value << list;
}

json::object language_model_schema() {
  json::object properties;
  for (const Key& entry : language_model_keys()) {
    json::object property{{"type", entry.type}, {"description", entry.description}};
    if (!entry.choices.empty()) {
      json::array words;
      std::istringstream in(std::string(entry.choices));
      for (std::string word; std::getline(in, word, '|');) words.emplace_back(word);
      property["enum"] = std::move(words);
    }
    properties[entry.name] = std::move(property);
  }
  json::object one{{"type", "object"},
                   {"description", "A language model; docs/use/language-models.md"},
                   {"additionalProperties", false},
                   {"required", json::array{"model"}},
                   {"properties", std::move(properties)}};
  json::object list{{"type", "array"}, {"items", one}};
  return {{"oneOf", json::array{one, list}}};
}

}  // namespace evo::config
