#include "config/rules_file.hpp"

#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "config/keys.hpp"
#include "config/yaml_reader.hpp"

namespace evo::config {
namespace {

constexpr std::int64_t most_points = 20;

std::vector<std::string> words_of(const Reader& reader, std::string_view key) {
  std::vector<std::string> words;
  if (const auto list = reader.find(key)) {
    for (const Reader& item : list->items()) words.push_back(item.text());
  }
  return words;
}

std::vector<model::Clue> clues_of(const Reader& reader, std::string_view key) {
  std::vector<model::Clue> clues;
  if (const auto facts = reader.find(key)) {
    for (const std::string& fact : facts->keys())
      clues.push_back({fact, static_cast<int>(facts->at(fact).integer(1, most_points))});
  }
  return clues;
}

model::CauseRule read_rule(const Reader& reader) {
  reader.expect_keys(key_names(rule_keys()));
  model::CauseRule rule;
  rule.name = reader.at("name").text();
  rule.category = reader.optional_text("category");
  rule.cause = reader.optional_text("cause");
  rule.remedy = reader.optional_text("remedy");
  rule.needs = words_of(reader, "needs");
  rule.words = words_of(reader, "words");
  rule.evidence_for = clues_of(reader, "for");
  rule.evidence_against = clues_of(reader, "against");
  return rule;
}

model::SuspectPattern read_suspect(const Reader& reader) {
  reader.expect_keys(key_names(suspect_keys()));
  model::SuspectPattern suspect;
  suspect.rule = reader.at("rule").text();
  suspect.fact = reader.optional_text("fact");
  const Reader pattern = reader.at("pattern");
  suspect.pattern = pattern.text();
  try {
    const std::regex known(suspect.pattern);
  } catch (const std::regex_error& error) {
    pattern.fail(fmt::format("'{}' is no regular expression: {}", suspect.pattern, error.what()));
  }
  suspect.why = reader.at("why").text();
  if (const auto look = reader.find("look")) {
    const std::vector<std::string> known{"text", "named", "hook_factor", "factor_use"};
    const std::string word = look->choice(known, "look");
    suspect.look = static_cast<model::Look>(std::find(known.begin(), known.end(), word) - known.begin());
  }
  return suspect;
}

}  // namespace

void add_rules_file(const std::string& file, model::CauseRules& rules) {
  const Reader reader = Reader::load(file);
  reader.expect_keys({"rules", "suspects"});
  if (const auto list = reader.find("rules")) {
    for (const Reader& item : list->items()) {
      model::CauseRule rule = read_rule(item);
      for (const model::CauseRule& other : rules.rules) {
        if (other.name == rule.name) item.fail(fmt::format("the rule '{}' occurs twice", rule.name));
      }
      rules.rules.push_back(std::move(rule));
    }
  }
  if (const auto list = reader.find("suspects")) {
    for (const Reader& item : list->items()) rules.suspects.push_back(read_suspect(item));
  }
}

}  // namespace evo::config
