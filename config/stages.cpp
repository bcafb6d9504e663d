#include "config/stages.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "config/keys.hpp"
#include "config/yaml_reader.hpp"

namespace evo::config {
namespace {

model::Stage read_stage(const Reader& reader) {
  reader.expect_keys(key_names(stage_keys()));
  model::Stage stage;
  const Reader name = reader.at("name");
  stage.name = name.text();
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (stage.name.empty() || !std::all_of(stage.name.begin(), stage.name.end(), is_word)) {
    name.fail("a stage's name becomes part of macros: letters, digits and underscores");
  }
  stage.formula = reader.at("formula").text();
  stage.rows = reader.at("rows").expression();
  stage.columns = reader.at("columns").expression();
  const auto slices = reader.find("slices");
  stage.slices = slices ? slices->expression() : model::Expression(1);
  if (const auto tile = reader.find("tile")) stage.tile = tile->expression();
  if (const auto description = reader.find("description")) stage.description = description->text();
  return stage;
}

}  // namespace

model::Expected<std::vector<model::Stage>> load_stages(const std::string& problem_folder) {
  try {
    const auto file = std::filesystem::path(problem_folder) / "problem.yaml";
    std::vector<model::Stage> stages;
    const Reader problem = Reader::load(file.string());
    const auto list = problem.find("stages");
    if (!list) return stages;
    for (const Reader& item : list->items()) {
      model::Stage stage = read_stage(item);
      const bool known = std::any_of(stages.begin(), stages.end(),
                                     [&](const model::Stage& other) { return other.name == stage.name; });
      if (known) item.fail("there are two stages called '" + stage.name + "'");
      stages.push_back(std::move(stage));
    }
    return stages;
  } catch (const Invalid& invalid) {
    return tl::make_unexpected(invalid.error);
  }
}

}  // namespace evo::config
