#include "config/stages.hpp"

#include <algorithm>
#include <cctype>

#include "config/keys.hpp"
#include "config/yaml_reader.hpp"

namespace evo::config {
namespace {

model::Stage read_stage(const Reader& reader, const std::vector<std::string>& formulas) {
  reader.expect_keys(key_names(stage_keys()));
  model::Stage stage;
  const Reader name = reader.at("name");
  stage.name = name.text();
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (stage.name.empty() || !std::all_of(stage.name.begin(), stage.name.end(), is_word)) {
    name.fail("a stage's name becomes part of macros: letters, digits and underscores");
  }
  const Reader formula = reader.at("formula");
  stage.formula = formulas.empty() ? formula.text() : formula.choice(formulas, "formula");
  stage.rows = reader.at("rows").expression();
  stage.columns = reader.at("columns").expression();
  const auto slices = reader.find("slices");
  stage.slices = slices ? slices->expression() : model::Expression(1);
  if (const auto tile = reader.find("tile")) stage.tile = tile->expression();
  if (const auto description = reader.find("description")) stage.description = description->text();
  if (const auto kept = reader.find("kept_in")) stage.kept_single = kept->choice({"f32"}, "type") == "f32";
  if (const auto running = reader.find("running"))
    stage.running_maximum = running->choice({"max"}, "running value") == "max";
  stage.sums = reader.optional_text("sums");
  return stage;
}

}  // namespace

std::vector<model::Stage> read_stages(const Reader& problem, const std::vector<std::string>& formulas) {
  std::vector<model::Stage> stages;
  const auto list = problem.find("stages");
  if (!list) return stages;
  std::vector<std::string> names;
  for (const Reader& item : list->items()) {
    model::Stage stage = read_stage(item, formulas);
    if (std::find(names.begin(), names.end(), stage.name) != names.end())
      item.fail("there are two stages called '" + stage.name + "'");
    names.push_back(stage.name);
    stages.push_back(std::move(stage));
  }
  for (const Reader& item : list->items()) {
    if (const auto sums = item.find("sums")) (void)sums->choice(names, "stage");
  }
  return stages;
}

}  // namespace evo::config
