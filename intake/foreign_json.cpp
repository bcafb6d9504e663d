#include "intake/foreign_json.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "intake/files.hpp"
#include "intake/import.hpp"
#include "intake/json_place.hpp"
#include "model/error.hpp"

namespace evo::intake {

void refuse_import(const std::string& file, const std::string& message) {
  throw model::Exception(model::ExitCode::invalid_configuration, fmt::format("{}: {}", file, message));
}

boost::json::value ForeignJson::parse(const std::string& file, const std::string& text) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(text, error);
  if (error) refuse_import(file, fmt::format("no JSON: {}", error.message()));
  return value;
}

bool ForeignJson::has(std::string_view key) const {
  return value_->is_object() && value_->get_object().contains(key);
}

ForeignJson ForeignJson::at(std::string_view key) const {
  if (!has(key)) {
    const std::vector<std::string> there = value_->is_object() ? keys() : std::vector<std::string>{};
    const auto near = config::nearest(key, there);
    fail(fmt::format("the key '{}' is missing{}", key,
                     near ? fmt::format("; there is '{}'", *near) : std::string()));
  }
  return {value_->get_object().at(key), file_,
          path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

std::vector<ForeignJson> ForeignJson::items() const {
  if (!value_->is_array()) fail("expected a list");
  std::vector<ForeignJson> items;
  for (const boost::json::value& item : value_->get_array())
    items.emplace_back(item, file_, fmt::format("{}[{}]", path_, items.size()));
  return items;
}

std::vector<std::string> ForeignJson::keys() const {
  if (!value_->is_object()) fail("expected an object");
  std::vector<std::string> keys;
  for (const auto& entry : value_->get_object()) keys.emplace_back(entry.key());
  return keys;
}

std::string ForeignJson::text() const {
  if (value_->is_string()) return std::string(value_->get_string());
  if (value_->is_double()) return fmt::format("{}", value_->get_double());
  if (value_->is_number()) return boost::json::serialize(*value_);
  fail("expected a text or a number");
}

std::string ForeignJson::optional_text(std::string_view key) const {
  return has(key) ? at(key).text() : std::string();
}

std::int64_t ForeignJson::integer() const {
  boost::system::error_code error;
  const auto number = value_->to_number<std::int64_t>(error);
  if (error) fail("expected an integer");
  return number;
}

void ForeignJson::fail(const std::string& message) const {
  std::string place = file_;
  // A document a line ("w.jsonl:2") is named by its line already.
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file_, ignored)) {
    if (const auto line = json_line(read_user_file(file_), path_)) place += fmt::format(":{}", *line);
  }
  refuse_import(place, path_.empty() ? message : fmt::format("{}: {}", path_, message));
}

Draft import_draft(const std::string& file, const std::string& workloads) {
  const boost::json::value value = ForeignJson::parse(file, read_user_file(file));
  const ForeignJson document(value, file);
  if (document.has("ConfigurationSpace")) return draft_of_t1(document, file);
  if (document.has("axes") && document.has("inputs")) return draft_of_definition(document, file, workloads);
  refuse_import(
      file,
      "neither a T1 file (ConfigurationSpace, KernelSpecification) nor a FlashInfer-Bench definition "
      "(axes, inputs, outputs, reference)");
}

}  // namespace evo::intake
